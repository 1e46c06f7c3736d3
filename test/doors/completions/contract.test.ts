// The contract of chat completions: fields, faults, retries, single calls.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AppError } from '#core/errors.ts'
import { logTo } from '#lib/log.ts'
import { clearOfMidnight } from '../../clear-of-midnight.ts'
import { until } from '../../until.ts'
import { eventually } from '../test-app.ts'
import { assistant, complete, user, weather } from './client.ts'
import { ann, openContract, turns } from './contract-rig.ts'

describe('what a request brings', () => {
  it('reaches the turn: files, sampling, format, metadata', async (t) => {
    const served = await openContract(t)
    const file = { filename: 'a.txt', file_data: `data:text/plain;base64,${Buffer.from('inside').toString('base64')}` }
    const { turn } = await complete(
      served,
      [
        user([
          { type: 'text', text: 'read' },
          { type: 'file', file },
        ]),
      ],
      {
        top_p: 0.5,
        stop: 'END',
        seed: 7,
        max_tokens: 9,
        max_completion_tokens: 8,
        reasoning_effort: 'low',
        temperature: 1.5,
        response_format: { type: 'json_object' },
        user: 'u1',
        metadata: { chat: 'c1' },
      },
    )
    const asked = served.asked.at(-1)
    assert.deepEqual(asked?.sampling, { topP: 0.5, seed: 7, stop: ['END'], maxTokens: 8, effort: 'low' })
    assert.deepEqual([asked?.temperature, asked?.json], [1.5, true])
    assert.match(JSON.stringify(asked?.items), /inside/)
    assert.deepEqual((await served.turns.get(ann, turn))?.options.echo, { user: 'u1', metadata: { chat: 'c1' } })
  })

  it('chooses a model that the operator offers; any other name means the agent', async (t) => {
    const served = await openContract(t)
    for (const [model, chosen] of [
      ['vendor/large', 'vendor/large'],
      ['gpt-5', undefined],
    ] as const) {
      const { turn, body } = await complete(served, [user('hi')], { model })
      assert.deepEqual([(await served.turns.get(ann, turn))?.options.model, body['model']], [chosen, model])
    }
  })

  it('has no reasoning where progress is switched off', async (t) => {
    const served = await openContract(t, { progress: false })
    for (const stream of [false, true]) {
      const { text, reasoning } = await complete(served, [user('clock')], { stream })
      assert.deepEqual([text, reasoning], ['Noon.', ''])
    }
  })

  it('refuses functions where the operator switched them off', async (t) => {
    const served = await openContract(t, { externalTools: false })
    const { status, error } = await complete(served, [user('hi')], { tools: [weather] })
    assert.deepEqual([status, error['param']], [400, 'tools'])
  })
})

describe('a fault', () => {
  it('of the turn is 502 before the first chunk, and a line of the stream after it', async (t) => {
    const served = await openContract(t)
    for (const stream of [false, true]) {
      const { status, error, thread } = await complete(served, [user('fail')], { stream })
      assert.deepEqual([status, error['code'], thread !== ''], [502, 'model_failed', true])
    }
    const half = await complete(served, [user('half')], { stream: true })
    assert.deepEqual([half.status, half.error['code']], [200, 'model_failed'])
  })

  it('does not move the history: the retry goes on in its thread', async (t) => {
    const served = await openContract(t)
    const one = await complete(served, [user('hi')])
    const start = [user('hi'), assistant(one.text)]
    const failed = await complete(served, [...start, user('fail')])
    const again = await complete(served, [...start, user('again')])
    assert.deepEqual([failed.thread, again.thread], [one.thread, one.thread])
  })

  it('by the filter of a provider is an answer with the text so far', async (t) => {
    const served = await openContract(t)
    for (const stream of [false, true]) {
      const cut = await complete(served, [user('filter')], { stream })
      assert.deepEqual([cut.status, cut.text, cut.finish], [200, 'So far', 'content_filter'])
      const next = await complete(served, [user('filter'), assistant(cut.text), user('hi')])
      assert.equal(next.thread, cut.thread)
    }
  })

  it('by the time limit is 504', async (t) => {
    const served = await openContract(t, { turnTimeoutMs: 50 })
    const { status, error } = await complete(served, [user('slow')])
    assert.deepEqual([status, error['code']], [504, 'turn_timeout'])
  })

  it('of the rate is 429 with Retry-After, each rate by itself', async (t) => {
    const full = { take: () => Promise.reject(new AppError('rate_limited', 'too many', { retryAfterSecs: 7 })) }
    const served = await openContract(t, { chatLimit: full, taskLimit: { take: () => Promise.resolve() } })
    const answer = await served.call('POST', '/v1/chat/completions', { model: 'm', messages: [user('hi')] })
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [429, '7'])
    assert.equal((await complete(served, [user('hi')], { model: 'atrium-task' })).status, 200)
  })

  it('of too many turns at once is 503 with Retry-After', async (t) => {
    const served = await openContract(t, { room: 0 })
    const answer = await served.call('POST', '/v1/chat/completions', { model: 'm', messages: [user('hi')] })
    assert.equal(answer.status, 503)
    assert.ok(answer.headers.get('retry-after'))
  })
})

describe('a retry', () => {
  it('with the same key is the same turn, while it runs and after it', async (t) => {
    const served = await openContract(t)
    const key = { 'idempotency-key': 'k1' }
    const first = await complete(served, [user('hi')], {}, key)
    const again = await complete(served, [user('hi')], {}, key)
    assert.deepEqual([again.turn, again.text], [first.turn, first.text])
    const other = await complete(served, [user('other')], {}, key)
    assert.deepEqual([other.status, other.error['code']], [422, 'idempotency_conflict'])
    assert.equal(await turns(served), 1)
    const next = await complete(served, [user('hi'), assistant(first.text), user('more')])
    assert.equal(next.thread, first.thread)
  })

  it('attaches to the turn that runs, and gets its text from the beginning', async (t) => {
    const served = await openContract(t)
    const send = (signal?: AbortSignal) =>
      fetch(`${served.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: 'Bearer ann', 'content-type': 'application/json', 'idempotency-key': 'k2' },
        body: JSON.stringify({ model: 'm', stream: true, messages: [user('slow')] }),
        ...(signal && { signal }),
      })
    const leaving = new AbortController()
    const first = await send(leaving.signal)
    const reader = first.body?.getReader()
    await reader?.read()
    leaving.abort()
    const second = await send()
    assert.equal(second.headers.get('x-atrium-turn'), first.headers.get('x-atrium-turn'))
    let text = ''
    for await (const part of (second.body ?? []) as AsyncIterable<Uint8Array>) {
      text += Buffer.from(part).toString()
      if (text.includes('"content":"one "')) break
    }
    assert.match(text, /"role":"assistant"[^]*"content":"one "/)
    assert.equal(await turns(served), 1)
  })
})

describe('atrium-task', () => {
  it('is one call of the model: no tools, no identity, nothing stored but usage', async (t) => {
    await clearOfMidnight()
    const served = await openContract(t)
    const system = { role: 'system', content: 'Write a title.' }
    for (const stream of [false, true]) {
      const { status, text, finish, thread } = await complete(
        served,
        [system, user('hi'), assistant('ho'), user('title?')],
        {
          model: 'atrium-task',
          stream,
          tools: [weather],
        },
      )
      assert.deepEqual([status, text, finish, thread], [200, 'Hello there.', 'stop', ''])
      const asked = served.asked.at(-1)
      assert.deepEqual([asked?.system, asked?.tools], ['Write a title.', []])
      assert.ok(!JSON.stringify(asked?.items).includes('untrusted'))
    }
    assert.equal(await turns(served), 0)
    assert.equal((await served.threads.list(ann, { limit: 9 })).rows.length, 0)
    const [day] = await served.store.usage.list(ann, 1)
    assert.ok((day?.inputTokens ?? 0) > 0)
  })

  it('takes instructions alone for the message', async (t) => {
    const served = await openContract(t)
    const { status } = await complete(served, [{ role: 'system', content: 'Say hi.' }], { model: 'atrium-task' })
    assert.equal(status, 200)
    assert.match(JSON.stringify(served.asked.at(-1)?.items), /Say hi/)
  })

  it('takes no longer than a turn may', async (t) => {
    const served = await openContract(t, { turnTimeoutMs: 50 })
    const { status, error } = await complete(served, [user('slow')], { model: 'atrium-task' })
    assert.deepEqual([status, error['code']], [504, 'turn_timeout'])
  })

  it('fails with a status, or within its stream', async (t) => {
    const served = await openContract(t)
    for (const stream of [false, true]) {
      const failed = await complete(served, [user('fail')], { model: 'atrium-task', stream })
      assert.deepEqual([failed.status, failed.error['code']], [502, 'model_failed'])
    }
    const half = await complete(served, [user('half')], { model: 'atrium-task', stream: true })
    assert.deepEqual([half.status, half.error['code']], [200, 'model_failed'])
  })

  it('logs no fault when its client leaves', async (t) => {
    const lines: string[] = []
    const log = logTo((level, _, message) => lines.push(`${level} ${message}`), 'info')
    const served = await openContract(t, { log })
    for (const [at, stream] of [false, true].entries()) {
      const leaving = new AbortController()
      const left = assert.rejects(
        fetch(`${served.url}/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: 'Bearer ann', 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'atrium-task', messages: [user('silent')], stream }),
          signal: leaving.signal,
        }),
      )
      await until(() => served.asked.length > at)
      leaving.abort()
      await left
      await until(() => lines.length > at)
    }
    await served.close()
    assert.deepEqual(lines, ['info request', 'info request'])
  })

  it('opens its stream while the model is silent, and ends it with the fault', async (t) => {
    const served = await openContract(t, { maxSilenceMs: 10, turnTimeoutMs: 100 })
    const { status, error } = await complete(served, [user('silent')], { model: 'atrium-task', stream: true })
    assert.deepEqual([status, error['code']], [200, 'turn_timeout'])
  })

  it('tells the reasoning of the model', async (t) => {
    const served = await openContract(t)
    for (const stream of [false, true]) {
      const { text, reasoning } = await complete(served, [user('think')], { model: 'atrium-task', stream })
      assert.deepEqual([text, reasoning], ['Hello.', 'hm'])
    }
  })

  it('that the filter withheld whole is an empty answer', async (t) => {
    const served = await openContract(t)
    for (const stream of [false, true]) {
      const { status, text, finish } = await complete(served, [user('withheld')], { model: 'atrium-task', stream })
      assert.deepEqual([status, text, finish], [200, '', 'content_filter'])
    }
  })
})

describe('two requests at once', () => {
  it('that name one thread: the second waits behind the first', async (t) => {
    const served = await openContract(t)
    const one = await complete(served, [user('hi')])
    const headers = { 'x-atrium-thread': one.thread }
    const both = await Promise.all([
      complete(served, [user('a')], {}, headers),
      complete(served, [user('b')], { stream: true }, headers),
    ])
    assert.deepEqual(
      both.map(({ status, thread, text }) => [status, thread, text]),
      both.map(() => [200, one.thread, 'Hello there.']),
    )
    await eventually(async () => (await served.turns.count(ann)).queued === 0)
  })
})
