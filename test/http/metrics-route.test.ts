// GET /metrics through a real gateway: what a turn, a tool and a request leave in it, in lines that a reader takes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { noUsage } from '#core/turn.ts'
import { calls, createHold, createWriter, says } from '../doors/test-app.ts'
import { openHouse, operatorToken } from '../doors/web/house.ts'

const line = /^[a-zA-Z_:][\w:]*(\{([a-zA-Z_]\w*="(\\[\\"n]|[^"\\\n])*",?)+\})? (NaN|[+-]Inf|-?\d+(\.\d+)?(e[+-]?\d+)?)$/

/** The samples of a text, `name{labels}` -> value; fails on a line that is none. */
function samplesIn(text: string): ReadonlyMap<string, number> {
  const typed = new Set([...text.matchAll(/^# TYPE (\S+) (?:counter|gauge|histogram)$/gm)].map(([, name]) => name))
  const lines = text.split('\n').filter((each) => each !== '' && !/^# (HELP|TYPE) \S+ \S/.test(each))
  for (const each of lines) {
    assert.match(each, line)
    const [name = ''] = each.split(/[{ ]/)
    assert.ok(typed.has(name) || typed.has(name.replace(/_(bucket|sum|count)$/, '')), `${name} has no type`)
  }
  return new Map(lines.map((each) => [each.slice(0, each.lastIndexOf(' ')), Number(each.split(' ').at(-1))]))
}

test('turns by door and outcome, model and tool calls, tokens, cost, requests and the process are told', async (t) => {
  const ran: unknown[] = []
  const house = await openHouse(t, {
    tools: [{ ...createWriter(ran), effects: 'read' }],
    say: ({ items }) => (items.at(-1)?.type === 'result' ? says('done') : calls('write_note', {})),
  })
  assert.equal((await house.call('POST', '/api/chat', { body: { message: 'hi' } })).json.status, 'completed')
  const { status, headers, text } = await house.call('GET', '/metrics')
  assert.equal(status, 200)
  assert.equal(headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  const samples = samplesIn(text)
  const expected = {
    'atrium_turns_total{door="web",outcome="completed"}': 1,
    'atrium_turn_seconds_count{door="web"}': 1,
    'atrium_model_seconds_count{model="test-1"}': 2,
    'atrium_tokens_total{model="test-1",kind="input"}': 3,
    'atrium_tokens_total{model="test-1",kind="output"}': 2,
    'atrium_cost_usd_total{model="test-1"}': 0.25,
    'atrium_unpriced_calls_total{model="test-1"}': 0,
    'atrium_tool_calls_total{tool="write_note",outcome="ok"}': 1,
    'atrium_tool_seconds_count{tool="write_note"}': 1,
    'atrium_turns_active{status="queued"}': 0,
    atrium_turns_here: 0,
    'atrium_http_requests_total{door="gateway",status="200"}': 1,
    'atrium_info{version="1.2.3",database="sqlite"}': 1,
  }
  for (const [name, value] of Object.entries(expected)) assert.equal(samples.get(name), value, name)
  assert.ok((samples.get('atrium_connections') ?? 0) >= 1)
  assert.ok((samples.get('process_resident_memory_bytes') ?? 0) > 1e7)
  assert.ok((samples.get('nodejs_eventloop_delay_seconds{stat="p99"}') ?? -1) >= 0)
  assert.ok((samples.get('nodejs_eventloop_active_seconds_total') ?? 0) > 0)
})

test('a turn that waits, fails or is cancelled counts once, also where it is cancelled twice', async (t) => {
  const ran: unknown[] = []
  const hold = createHold()
  const house = await openHouse(t, {
    tools: [createWriter(ran)],
    say(request, signal) {
      const said = JSON.stringify(request.items.at(-1))
      if (said.includes('fail')) throw new Error('out of order')
      return said.includes('hold') ? hold.say(request, signal) : calls('write_note', {})
    },
  })
  const send = async (message: string) => (await house.call('POST', '/api/chat', { body: { message } })).json
  const waiting = await send('ask')
  assert.equal(waiting.status, 'waiting')
  await send('fail')
  const held = (await house.call('POST', '/api/chat/send', { body: { message: 'hold' } })).json
  await hold.asked
  const queued = { message: 'next', thread_id: held.thread_id }
  const behind = (await house.call('POST', '/api/chat/send', { body: queued })).json
  for (const { turn_id } of [waiting, behind, held, waiting, behind, held]) {
    await house.call('POST', `/api/jobs/${turn_id}/cancel`)
  }
  const samples = samplesIn((await house.call('GET', '/metrics')).text)
  assert.equal(samples.get('atrium_turns_total{door="web",outcome="waiting"}'), 1)
  assert.equal(samples.get('atrium_turns_total{door="web",outcome="failed"}'), 1)
  assert.equal(samples.get('atrium_turn_failures_total{code="internal"}'), 1)
  assert.equal(samples.get('atrium_turns_total{door="web",outcome="cancelled"}'), 3)
  assert.equal(samples.get('atrium_tool_calls_total{tool="write_note",outcome="ok"}'), undefined)
})

test('a cost that nobody knows is counted as such and not as 0, also of a call that broke off', async (t) => {
  const usage = { ...noUsage, inputTokens: 5, outputTokens: 1, costUsd: null }
  const house = await openHouse(t, {
    model: {
      provider: 'test',
      name: 'test-1',
      window: 100_000,
      priceOf: () => null,
      async *stream({ items }) {
        const breaks = JSON.stringify(items.at(-1)).includes('break')
        yield await Promise.resolve([{ type: 'reasoning', text: 'hm' }])
        if (breaks) throw new AppError('model_failed', 'it broke off')
        yield [
          { type: 'text', text: 'hello' },
          { type: 'done', usage },
        ]
      },
    },
  })
  for (const message of ['hi', 'break']) await house.call('POST', '/api/chat', { body: { message } })
  const samples = samplesIn((await house.call('GET', '/metrics')).text)
  assert.equal(samples.get('atrium_unpriced_calls_total{model="test-1"}'), 2)
  assert.equal(samples.get('atrium_cost_usd_total{model="test-1"}'), undefined)
})

test('only the operator reads them', async (t) => {
  const house = await openHouse(t)
  const ada = await house.addUser('ada')
  const statuses = [null, ada, operatorToken].map(
    async (token) => (await house.call('GET', '/metrics', { token })).status,
  )
  assert.deepEqual(await Promise.all(statuses), [401, 403, 200])
})
