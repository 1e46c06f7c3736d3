// Streams over HTTP: what they hold, and what happens to slow and vanished readers.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { setImmediate as nextTick, setTimeout as pause } from 'node:timers/promises'
import { after, before, describe, it, mock } from 'node:test'
import { userId } from '#core/ids.ts'
import type { Model } from '#core/model.ts'
import { noUsage } from '#core/turn.ts'
import { unreadMs } from '#http/in-flight.ts'
import { until } from '../../until.ts'
import { outputOf, readEvents, serve, type Served, type SseEvent, textIn, weather, type Wire } from './serve.ts'

/** So often a stream looks whether its reader still reads. */
const keepaliveMs = 15_000
const vocabulary = [
  'response.created',
  'response.output_text.delta',
  'response.output_item.added',
  'response.output_item.done',
  'response.completed',
  'response.failed',
]

/** What must hold of any stream, whatever it tells. */
function checkStream(events: readonly SseEvent[]): Wire {
  const items: Wire[] = []
  for (const [at, { event, data }] of events.entries()) {
    assert.equal(data['type'], event)
    assert.ok(vocabulary.includes(event), event)
    assert.equal(data['sequence_number'], at)
    const index = Number(data['output_index'])
    if (event === 'response.output_item.added') {
      assert.equal(index, items.length)
      items.push(structuredClone(data['item']) as Wire)
    } else if (event === 'response.output_text.delta') {
      const item = items[index]
      assert.equal(data['item_id'], item?.['id'])
      const [part] = (item?.['content'] ?? []) as Wire[]
      if (part) part['text'] = String(part['text']) + String(data['delta'])
    } else if (event === 'response.output_item.done') {
      const item = data['item'] as Wire
      assert.deepEqual({ ...items[index], status: item['status'] }, item)
      items[index] = item
    }
  }
  const last = events.at(-1)?.data['response'] as Wire
  assert.deepEqual(last['output'], items)
  const first = events[0]?.data['response'] as Wire
  assert.deepEqual(Object.keys(first), Object.keys(last))
  assert.equal(first['id'], last['id'])
  assert.equal(first['status'], 'in_progress')
  assert.deepEqual(first['output'], [])
  return last
}

describe('a stream', () => {
  let served: Served
  before(async () => {
    served = await serve({
      replies: [
        { when: 'weather', text: 'Let me look.', calls: [{ name: 'get_weather', args: { city: 'Rome' } }] },
        { afterTool: 'get_weather', text: 'I heard {{result}}' },
        { when: 'clock', text: 'Looking. ', calls: [{ name: 'time', args: {} }] },
        { afterTool: 'time', text: ['It ', 'is ', 'noon\n\n', 'now \u2028'] },
        { when: 'broken', text: 'Half an answer', error: { code: 'model_failed', message: 'broke', afterChunks: 2 } },
        { when: 'approve', text: 'May I?', calls: [{ name: 'workspace_write', args: {} }] },
        { when: 'slow', text: 'one two three', chunkDelayMs: 200 },
        { when: 'silent', text: '' },
        { when: '', text: 'Hello there.' },
      ],
    })
  })
  after(() => served.close())

  it('is Server-Sent Events that nobody may keep or guess', async () => {
    const { headers } = await served.create({ input: 'hi', stream: true })
    assert.match(String(headers.get('content-type')), /^text\/event-stream/)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
  })

  it('tells a message delta by delta and closes after completed', async () => {
    const events = await served.stream({ input: 'hi' })
    assert.deepEqual(
      events.map(({ event }) => event),
      [
        'response.created',
        'response.output_item.added',
        'response.output_text.delta',
        'response.output_text.delta',
        'response.output_item.done',
        'response.completed',
      ],
    )
    const response = checkStream(events)
    assert.equal(textIn(response), 'Hello there.')
    assert.equal(response['model'], 'gpt-test')
    const got = await served.get(`/responses/${String(response['id'])}`)
    assert.deepEqual(got.body, { ...response, model: 'reborn' })
  })

  it('tells leading text and the call, and on the resume the answer', async () => {
    const events = await served.stream({ input: 'weather?', tools: [weather] })
    const response = checkStream(events)
    assert.equal(response['status'], 'completed')
    const call = outputOf(response)[1]
    assert.equal(call?.['type'], 'function_call')
    const [added, done] = events.filter(({ data }) => data['output_index'] === 1)
    assert.deepEqual(added?.data['item'], call)
    assert.deepEqual(done?.data['item'], call)
    const output = { type: 'function_call_output', call_id: call?.['call_id'], output: 'rain' }
    const answer = checkStream(await served.stream({ previous_response_id: response['id'], input: [output] }))
    assert.match(textIn(answer), /rain/)
  })

  it('tells text before and after a tool of the service as two messages', async () => {
    const response = checkStream(await served.stream({ input: 'clock' }))
    assert.deepEqual(
      outputOf(response).map((item) => textIn({ output: [item] })),
      ['Looking. ', 'It is noon\n\nnow \u2028'],
    )
  })

  it('tells a failure as failed, with the text so far', async () => {
    const events = await served.stream({ input: 'broken' })
    const response = checkStream(events)
    assert.equal(events.at(-1)?.event, 'response.failed')
    assert.equal(response['status'], 'failed')
    assert.equal((response['error'] as Wire)['code'], 'model_failed')
    assert.equal(textIn(response), 'Half an ')
  })

  it('tells a turn that needs an approval as failed', async () => {
    const response = checkStream(await served.stream({ input: 'approve' }))
    assert.equal((response['error'] as Wire)['code'], 'gate_required')
    assert.equal(textIn(response), 'May I?')
  })

  it('tells an empty answer as an empty message', async () => {
    const response = checkStream(await served.stream({ input: 'silent' }))
    assert.equal(outputOf(response).length, 1)
    assert.equal(textIn(response), '')
  })

  it('goes on without its reader: the turn ends, nothing is left open', async () => {
    const controller = new AbortController()
    const response = await fetch(`${served.url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: 'Bearer eve', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', input: 'slow', stream: true }),
      signal: controller.signal,
    })
    await response.body?.getReader().read()
    controller.abort()
    const [turn] = (await served.turns.list(userId('eve'), { limit: 1 })).rows
    assert.ok(turn)
    await until(() => served.watching.size === 0)
    await until(async () => (await served.turns.get(turn.userId, turn.id))?.status === 'completed')
  })

  it('sends a keepalive comment every 15 seconds from the start', async (t) => {
    const { promise: end, resolve: letEnd } = Promise.withResolvers<void>()
    const model: Model = {
      provider: 'test',
      name: 'held',
      window: 1_000,
      async *stream() {
        await end
        yield [
          { type: 'text', text: 'At last.' },
          { type: 'done', usage: noUsage },
        ]
      },
    }
    const held = await serve({ model })
    t.after(() => held.close())
    mock.timers.enable({ apis: ['setInterval'] })
    try {
      const response = await fetch(`${held.url}/v1/responses`, {
        method: 'POST',
        headers: { authorization: 'Bearer ann', 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', input: 'hi', stream: true }),
      })
      mock.timers.tick(30_000)
      letEnd()
      const text = await response.text()
      assert.equal(text.split(': keepalive\n\n').length - 1, 2)
      checkStream(readEvents(text))
    } finally {
      mock.timers.reset()
    }
  })
})

it('a reader that does not read is dropped, and its turn goes on', async (t) => {
  const chunk = 'x'.repeat(64 * 1024)
  const model: Model = {
    provider: 'test',
    name: 'flood',
    window: 100_000_000,
    // Several answers: one has at most 4 MiB.
    async *stream({ items }) {
      const step = items.filter(({ type }) => type === 'result').length
      for (let at = 0; at < 50; at++) {
        yield [{ type: 'text', text: chunk }]
        await pause(at % 20 === 0 ? 20 : 0)
        await nextTick()
      }
      if (step < 7) yield [{ type: 'call', name: 'time', args: JSON.stringify({ step }) }]
      yield [{ type: 'done', usage: noUsage }]
    },
  }
  t.mock.timers.enable({ apis: ['setInterval'] })
  const served = await serve({ model })
  const socket = connect(Number(new URL(served.url).port), '127.0.0.1')
  socket.pause()
  const body = JSON.stringify({ model: 'm', input: 'hi', stream: true })
  const head = `POST /v1/responses HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ann\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
  socket.write(head + body)
  socket.on('error', () => {})
  await until(async () => (await served.turns.list(userId('ann'), { limit: 1 })).rows.length > 0)
  await until(async () => (await served.turns.list(userId('ann'), { limit: 1 })).rows[0]?.status === 'completed')
  // Between two looks passes as much time as a stream may remain unread.
  let now = performance.now()
  t.mock.method(performance, 'now', () => (now += 1))
  const isDropped = async (): Promise<boolean> => {
    now += unreadMs
    t.mock.timers.tick(keepaliveMs)
    return (await connections(served)) === 0 && served.watching.size === 0
  }
  await until(isDropped, 1_000 * unreadMs)
  socket.destroy()
  await served.close()
})

function connections(served: Served): Promise<number> {
  return new Promise((resolve) => served.fastify.server.getConnections((_error, count) => resolve(count)))
}
