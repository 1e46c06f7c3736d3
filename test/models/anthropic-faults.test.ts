// Anthropic's client against a strict server: overload, broken streams, wrong keys, silence, floods.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as nextLoop } from 'node:timers/promises'
import type { ModelEvent } from '#core/model.ts'
import { createAnthropicModel } from '#models/anthropic.ts'
import { anthropicKey, event, messageEvents, saying } from './strict-anthropic.ts'
import { collect, createSilence, failing, fails, hello, type Reply, send, sendStopped, textsOf } from './wire.ts'
import { serve, text } from './anthropic-client.ts'

describe('faults', () => {
  const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }

  test('before the first token it tries again: overload, limits with their wait, broken connections', async (t) => {
    const { model, slept } = await serve(t, [
      failing(529, overloaded),
      failing(429, overloaded, { 'retry-after': '3' }),
      (response) => void response.destroy(),
      saying([text]),
    ])
    assert.deepEqual(textsOf(await collect(model)), ['Hel', 'lo'])
    assert.deepEqual(slept, [500, 3000, 2000])
  })

  test('overload told inside of a stream counts as such before the first token, and ends the answer after it', async (t) => {
    const start = messageEvents([text])
    const { model, slept, asked } = await serve(t, [
      (response) => send(response, [event('error', { error: overloaded.error })]),
      (response) => send(response, [...start.slice(0, 3), event('error', { error: overloaded.error })]),
      (response) => send(response, [...start.slice(0, 4), event('error', { error: overloaded.error })]),
    ])
    const error = await fails(collect(model))
    assert.match(error.message, /Overloaded/)
    assert.equal(error.code, 'model_failed')
    assert.deepEqual([slept.length, asked.length], [2, 3])
  })

  test('an event of a kind that nobody knows yet is passed over', async (t) => {
    const pieces = messageEvents([text])
    const news = event('brand_new_event', { index: 0 })
    const { model } = await serve(t, [(response) => send(response, [...pieces.slice(0, 4), news, ...pieces.slice(4)])])
    assert.deepEqual(textsOf(await collect(model)), ['Hel', 'lo'])
  })

  test('a connection that breaks after the first token is not made again', async (t) => {
    let cut = (): void => {}
    const { model, asked } = await serve(t, [
      (response) => {
        cut = () => void response.destroy()
        return send(response, messageEvents([text]).slice(0, 4), false)
      },
    ])
    const reading = (async () => {
      for await (const batch of model.stream(hello, new AbortController().signal)) if (batch.length > 0) cut()
    })()
    assert.equal((await fails(reading)).code, 'model_failed')
    assert.equal(asked.length, 1)
  })

  test('a stream that ends without its end is no answer', async (t) => {
    const pieces = messageEvents([text])
    for (const cut of [4, 5, pieces.length - 1]) {
      const { model } = await serve(t, [(response) => send(response, pieces.slice(0, cut))])
      const seen: ModelEvent[] = []
      const error = await fails(
        (async () => {
          for await (const batch of model.stream(hello, new AbortController().signal)) seen.push(...batch)
        })(),
      )
      assert.equal(error.code, 'model_failed')
      assert.equal(
        seen.some(({ type }) => type === 'done'),
        false,
      )
    }
  })

  test('a wrong key is told with the way out and without the key', async (t) => {
    const wrong = 'sk-ant-api03-wrong-key-000'
    const { url, asked } = await serve(t, [])
    const strict = { name: 'claude', baseUrl: `${url}/v1`, apiKey: wrong, secret: 'ANTHROPIC_API_KEY' }
    const error = await fails(collect(createAnthropicModel(strict)))
    assert.equal(error.code, 'model_unauthorized')
    assert.match(error.message, /invalid x-api-key/)
    assert.match(error.message, /atrium secret set ANTHROPIC_API_KEY/)
    assert.equal(asked.length, 0)
    const said = [anthropicKey, btoa(anthropicKey), encodeURIComponent(anthropicKey)].join(' ')
    const { model, slept } = await serve(t, [failing(403, { type: 'error', error: { message: `not for ${said}` } })])
    const told = await fails(collect(model))
    assert.match(told.message, /not for/)
    assert.doesNotMatch(told.message, new RegExp(`${anthropicKey}|${btoa(anthropicKey)}`))
    assert.deepEqual(slept, [])
  })

  test('an absent server and an unknown model are told as such', async (t) => {
    const { url } = await serve(t, [saying([text])])
    const gone = createAnthropicModel({
      name: 'claude',
      baseUrl: 'http://127.0.0.1:9/v1',
      apiKey: 'k',
      sleep: async () => {},
    })
    assert.equal((await fails(collect(gone))).code, 'model_unreachable')
    const unknown = createAnthropicModel({ name: 'claude-nowhere', baseUrl: `${url}/v1`, apiKey: anthropicKey })
    const error = await fails(collect(unknown))
    assert.equal(error.code, 'model_unknown')
    assert.match(error.message, /model: claude-nowhere/)
  })

  test('a redirect is not followed: the key would go along', async (t) => {
    const other = await serve(t, [saying([text])])
    const { model } = await serve(t, [
      (response) => void response.writeHead(307, { location: `${other.url}/v1/messages` }).end(),
    ])
    assert.match((await fails(collect(model))).message, /redirects to/)
    assert.equal(other.asked.length, 0)
  })

  test('silence ends a call, and it is not tried again', async (t) => {
    const { model, slept } = await serve(t, [(response) => send(response, [event('ping')], false)], {
      limits: { idleMs: 30 },
    })
    assert.equal((await fails(collect(model))).code, 'model_timeout')
    assert.deepEqual(slept, [])
  })

  test('time in which the answer is not read is no silence', async (t) => {
    const { idleMs, pass } = createSilence(t)
    const { model } = await serve(t, [saying([text])], { limits: { idleMs } })
    const events: ModelEvent[] = []
    for await (const batch of model.stream(hello, new AbortController().signal)) {
      events.push(...batch)
      pass()
      // Only then does it count as over.
      await nextLoop()
    }
    assert.deepEqual(textsOf(events), ['Hel', 'lo'])
  })

  test('what came while the process was stopped is no silence', async (t) => {
    const silence = createSilence(t)
    const read = Promise.withResolvers<void>()
    const pieces = messageEvents([text])
    const [first, rest] = [pieces.slice(0, 4).join(''), pieces.slice(4).join('')]
    const reply: Reply = (response) => sendStopped(response, { first, rest, read: read.promise, silence })
    const { model } = await serve(t, [reply], { limits: silence })
    const events: ModelEvent[] = []
    for await (const batch of model.stream(hello, new AbortController().signal)) {
      events.push(...batch)
      read.resolve()
    }
    assert.deepEqual(textsOf(events), ['Hel', 'lo'])
  })

  test('a stop reaches the server', async (t) => {
    const { model, closed } = await serve(t, [(response) => send(response, messageEvents([text]).slice(0, 4), false)])
    const stop = new AbortController()
    const reading = (async () => {
      for await (const batch of model.stream(hello, stop.signal)) if (batch.length > 0) stop.abort(new Error('enough'))
    })()
    await assert.rejects(reading, /enough/)
    await closed
  })

  test('whoever stops reading closes the connection', async (t) => {
    const { model, closed } = await serve(t, [(response) => send(response, messageEvents([text]).slice(0, 4), false)])
    for await (const batch of model.stream(hello, new AbortController().signal)) if (batch.length > 0) break
    await closed
  })

  test('others have their turns while a flood is read', async (t) => {
    const pings = event('ping').repeat(4_000)
    const { model } = await serve(t, [(response) => send(response, [pings, ...messageEvents([text])])])
    // Every look at the clock is the end of a stretch.
    let now = performance.now()
    t.mock.method(performance, 'now', () => (now += 100))
    let turns = 0
    let timer = setImmediate(function count() {
      turns++
      timer = setImmediate(count)
    })
    await collect(model)
    clearImmediate(timer)
    assert(turns > pings.length / 8_192, `${turns} turns for ${pings.length} bytes`)
  })

  test('what a server sends is bounded in bytes, lines and calls while it is read', async (t) => {
    const call = { call: { name: 'a', pieces: ['{}'] } }
    const many = await serve(t, [saying(Array.from({ length: 130 }, () => call))])
    assert.match((await fails(collect(many.model))).message, /128 tool calls/)
    const flood = (response: Parameters<Reply>[0]): void => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const pour = (): void => {
        while (!response.destroyed && response.write(`data: ${'x'.repeat(1000)}`)) continue
      }
      response.on('drain', pour)
      pour()
    }
    for (const [limits, says] of [
      [{ lineBytes: 10_000 }, /line of more than/],
      [{ lineBytes: 1e9, responseBytes: 10_000 }, /size limit/],
    ] as const) {
      const { model } = await serve(t, [flood], { limits })
      assert.match((await fails(collect(model))).message, says)
    }
    const { model } = await serve(t, [(response) => send(response, [':\n'.repeat(500)], false)], {
      limits: { lines: 100 },
    })
    assert.match((await fails(collect(model))).message, /100 lines/)
  })

  test('an answer that is no stream is told with the base URL to check', async (t) => {
    const { model } = await serve(t, [(response) => void response.setHeader('content-type', 'text/html').end('<p>')])
    assert.match((await fails(collect(model))).message, /text\/html.*\/v1/)
  })
})
