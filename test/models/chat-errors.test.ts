// Faults of a server that speaks chat completions: which error they become, and when the client tries again.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { AppError } from '#core/errors.ts'
import type { ModelEvent } from '#core/model.ts'
import { createChatModel } from '#models/chat.ts'
import { delta, done, type Handler, key, line, never, serve, stop, streaming } from './chat-server.ts'
import { collect, createSilence, fails, hello, sendStopped, textsOf } from './wire.ts'

describe('errors', () => {
  const table: [number, string, RegExp][] = [
    [400, 'model_refused', /bad thing/],
    [401, 'model_unauthorized', /API key/],
    [402, 'model_refused', /402/],
    [403, 'model_unauthorized', /API key/],
    [404, 'model_unknown', /mock-1.*base URL/],
    [408, 'model_timeout', /408/],
    [409, 'model_failed', /409/],
    [422, 'model_refused', /bad thing/],
    [429, 'model_rate_limited', /429/],
    [500, 'model_failed', /500/],
    [503, 'model_failed', /503/],
  ]
  for (const [status, code, words] of table) {
    const attempts = [408, 409, 429, 500, 503].includes(status) ? 4 : 1
    test(`status ${status} is ${code} after ${attempts} attempts and names the server`, async (t) => {
      const { model, bodies, port } = await serve(t, (response) => {
        response.writeHead(status, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ error: { message: 'bad thing', type: 'x' } }))
      })
      const error = await fails(collect(model))
      assert.equal(error.code, code)
      assert.match(error.message, words)
      assert.match(error.message, attempts === 4 ? /bad thing\. It was asked four times\.$/ : /bad thing$/)
      assert.ok(error.message.includes(`127.0.0.1:${port}`))
      assert.equal(bodies.length, attempts)
      assert.equal(new Set(bodies).size, 1)
      assert.deepEqual(error.asked, [{ model: 'mock-1', via: { host: `127.0.0.1:${port}` }, attempts }])
    })
  }

  test('a refused connection is model_unreachable', async (t) => {
    const { model, server, slept } = await serve(t, () => undefined)
    server.close()
    const error = await fails(collect(model))
    assert.equal(error.code, 'model_unreachable')
    assert.ok(error.cause instanceof Error)
    assert.equal(slept.length, 3)
  })

  test('silence is model_timeout, before the headers and after them, and not tried again', async (t) => {
    const before = await serve(t, () => undefined, { limits: { idleMs: 20 } })
    assert.equal((await fails(collect(before.model))).code, 'model_timeout')
    assert.deepEqual(before.slept, [])
    const after = await serve(
      t,
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(delta({ content: 'a' }))
      },
      { limits: { idleMs: 20 } },
    )
    const error = await fails(collect(after.model))
    assert.equal(error.code, 'model_timeout')
    assert.deepEqual(after.slept, [])
  })

  test('comments are no tokens: they do not hold off the timeout', async (t) => {
    const { model } = await serve(
      t,
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        const beat = setInterval(() => response.write(': still here\n\n'), 5)
        response.on('close', () => clearInterval(beat))
      },
      { limits: { idleMs: 60 } },
    )
    assert.equal((await fails(collect(model))).code, 'model_timeout')
  })

  test('what came while the process was stopped is no silence', async (t) => {
    const silence = createSilence(t)
    const read = Promise.withResolvers<void>()
    const [first, rest] = [delta({ content: 'a' }), delta({ content: 'b' }) + stop + done]
    const handler: Handler = (response) => sendStopped(response, { first, rest, read: read.promise, silence })
    const { model } = await serve(t, handler, { limits: silence })
    const events: ModelEvent[] = []
    for await (const batch of model.stream(hello, never)) {
      events.push(...batch)
      read.resolve()
    }
    assert.deepEqual(textsOf(events), ['a', 'b'])
  })

  test('what came before a fault is yielded first', async (t) => {
    const { model } = await serve(t, streaming(delta({ content: 'a' }) + line({ error: { message: 'overloaded' } })))
    const events: ModelEvent[] = []
    const error = await fails(
      (async () => {
        for await (const batch of model.stream(hello, never)) events.push(...batch)
      })(),
    )
    assert.deepEqual(textsOf(events), ['a'])
    assert.equal(error.code, 'model_failed')
    assert.match(error.message, /overloaded/)
  })

  test('an error inside the stream counts by its code, and is tried again only before the first event', async (t) => {
    const early = await serve(t, streaming(line({ error: { code: 429, message: 'slow down' } })))
    assert.equal((await fails(collect(early.model))).code, 'model_rate_limited')
    assert.equal(early.bodies.length, 4)
    const late = await serve(
      t,
      streaming(delta({ content: 'a' }), line({ error: { code: 429, message: 'slow down' } })),
    )
    assert.equal((await fails(collect(late.model))).code, 'model_rate_limited')
    assert.equal(late.bodies.length, 1)
  })

  test('an error inside the stream that has a word for a code counts by it', async (t) => {
    const words = [
      [{ type: 'server_error', code: null }, 'model_failed', 4],
      [{ type: 'requests', code: 'rate_limit_exceeded' }, 'model_rate_limited', 4],
      [{ type: 'invalid_request_error', code: null }, 'model_refused', 1],
      [{ type: 'something else', code: null }, 'model_failed', 1],
    ] as const
    for (const [error, code, attempts] of words) {
      const { model, bodies } = await serve(t, streaming(line({ error: { message: 'no', ...error } })))
      assert.equal((await fails(collect(model))).code, code)
      assert.equal(bodies.length, attempts, error.type)
    }
  })

  const endings: [string, string, string, RegExp][] = [
    ['a stream without an end', delta({ content: 'a' }), 'model_failed', /cut off/],
    ['a content filter', delta({ content: 'a' }) + delta({}, 'content_filter'), 'model_filtered', /content filter/],
    ['an answer that ends in an error', delta({ content: 'a' }) + delta({}, 'error'), 'model_failed', /cut off/],
    ['a line that is no JSON', 'data: {oops\n\n', 'model_failed', /\{oops/],
    ['a line over the limit', `data: {"x":"${'y'.repeat(5000)}"}\n\n`, 'model_failed', /1000 bytes/],
    ['an endless line', `data: {"x":"${'y'.repeat(5000)}`, 'model_failed', /1000 bytes/],
    ['an answer over the limit', `: ${'y'.repeat(500)}\n\n`.repeat(100), 'model_failed', /size limit/],
  ]
  for (const [what, text, code, words] of endings) {
    test(`${what} is ${code}`, async (t) => {
      const { model } = await serve(t, streaming(text), { limits: { lineBytes: 1000, responseBytes: 20_000 } })
      const error = await fails(collect(model))
      assert.equal(error.code, code)
      assert.match(error.message, words)
    })
  }

  test('a page instead of an answer points to the base URL', async (t) => {
    const { model } = await serve(t, (response) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      response.end('<html>\n</html>\n')
    })
    assert.match((await fails(collect(model))).message, /text\/html.*base URL/)
  })

  test('a connection that breaks in the middle is model_failed', async (t) => {
    const { model } = await serve(t, async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(delta({ content: 'a' }), () => response.destroy())
    })
    assert.equal((await fails(collect(model))).code, 'model_failed')
  })

  test('no secret is ever echoed, and echoes are short', async (t) => {
    const { model } = await serve(
      t,
      (response, _, request) => {
        response.writeHead(400)
        const { authorization, 'x-team': team } = request.headers
        response.end(`${authorization} ${key} sk-other-12345678 Bearer abc.def ${String(team)} ${'z'.repeat(5000)}`)
      },
      { headers: { 'X-Team': 'team-secret-1' } },
    )
    const { message } = await fails(collect(model))
    for (const secret of [key, 'sk-other', 'abc.def', 'team-secret-1']) assert.ok(!message.includes(secret), secret)
    assert.ok(message.length < 800)
  })

  test('a key is masked in every spelling it may come back in', async (t) => {
    const apiKey = 'k/ey "with" + signs & more'
    const base64 = Buffer.from(`x${apiKey}`).toString('base64')
    const said = [
      apiKey,
      JSON.stringify(apiKey),
      encodeURIComponent(apiKey),
      base64,
      Buffer.from(apiKey).toString('hex'),
    ]
    for (const spelling of said) {
      const { model } = await serve(t, (response) => void response.writeHead(400).end(`<${spelling}>`), { apiKey })
      const { message } = await fails(collect(model))
      assert.match(message, /It said: <.{0,6}\*\*\*.{0,6}>$/, spelling)
    }
  })

  test('of an error without end only the beginning is read', async (t) => {
    let sent = 0
    const { model } = await serve(t, async (response) => {
      response.writeHead(400)
      const chunk = Buffer.alloc(64 * 1024, 'x')
      while (!response.destroyed) {
        sent += chunk.length
        if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')])
      }
    })
    assert.equal((await fails(collect(model))).code, 'model_refused')
    assert.ok(sent < 16 * 1024 * 1024, `${sent} bytes were taken`)
  })

  test('a key or base URL that cannot work is refused when the model is made', () => {
    const parts = { provider: 'p', name: 'm', baseUrl: 'http://127.0.0.1/v1', apiKey: 'abcdef\nghijkl' }
    assert.throws(
      () => createChatModel(parts),
      (error) => error instanceof AppError && error.code === 'invalid_config' && !error.message.includes('abcdef'),
    )
    assert.throws(() => createChatModel({ ...parts, apiKey: 'x', baseUrl: 'localhost:1' }), { code: 'invalid_config' })
  })
})

describe('trying again', () => {
  test('after a passing failure the answer comes, with growing pauses between', async (t) => {
    let calls = 0
    const { model, slept } = await serve(t, async (response, body, request) => {
      calls += 1
      if (calls === 1) response.destroy()
      else if (calls === 2) response.writeHead(503).end()
      else await streaming(delta({ content: 'ok' }), stop, done)(response, body, request)
    })
    assert.deepEqual(textsOf(await collect(model)), ['ok'])
    assert.deepEqual(slept, [500, 1000])
  })

  test('Retry-After is honoured in seconds and as a date, up to 30 s', async (t) => {
    const headers = ['2', 'Thu, 01 Jan 2026 00:00:05 GMT', '3600']
    const handler: Handler = (response) => {
      const after = headers.shift()
      response.writeHead(429, after ? { 'retry-after': after } : {}).end()
    }
    const { model, slept } = await serve(t, handler, { clock: () => Date.UTC(2026, 0, 1) })
    await fails(collect(model))
    assert.deepEqual(slept, [2000, 5000, 30_000])
  })

  test('an abort during the pause stops at once with its reason', async (t) => {
    const controller = new AbortController()
    const reason = new Error('stopped by the user')
    const { open, bodies } = await serve(t, (response) => void response.writeHead(500).end())
    const model = open({
      sleep: async (_, signal) => {
        controller.abort(reason)
        signal.throwIfAborted()
      },
    })
    await assert.rejects(collect(model, hello, controller.signal), (error) => error === reason)
    assert.equal(bodies.length, 1)
  })
})
