// The chat-completions client against real local servers.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate as tick } from 'node:timers/promises'
import { describe, test, type TestContext } from 'node:test'
import { AppError } from '#core/errors.ts'
import { type Item, textMessage } from '#core/item.ts'
import type { Model, ModelEvent } from '#core/model.ts'
import { type ChatModelParts, createChatModel } from '#models/chat.ts'
import { collect, fails, hello, listen, textsOf } from './wire.ts'

type Handler = (response: ServerResponse, body: string, request: IncomingMessage) => void | Promise<void>

const key = 'sk-test-0123456789abcdef'
const never = new AbortController().signal

/** A server for one test, and a model that talks to it and never really waits. */
async function serve(t: TestContext, handler: Handler, parts: Partial<ChatModelParts> = {}) {
  const bodies: string[] = []
  const slept: number[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    bodies.push(body)
    await handler(response, body, request)
  }
  const { server, port } = await listen(t, answer)
  const sleep = async (ms: number): Promise<void> => void slept.push(ms)
  const open = (more: Partial<ChatModelParts> = {}): Model =>
    createChatModel({
      provider: 'openai-compatible',
      name: 'mock-1',
      baseUrl: `http://127.0.0.1:${port}/v1`,
      apiKey: key,
      sleep,
      random: () => 1,
      ...parts,
      ...more,
    })
  return { model: open(), open, bodies, slept, port, server }
}

const line = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
const delta = (fields: object, finish: string | null = null): string =>
  line({ id: 'c1', created: 1, choices: [{ index: 0, delta: fields, finish_reason: finish }] })
const stop = delta({}, 'stop')
const done = 'data: [DONE]\n\n'
const callsOf = (events: readonly ModelEvent[]): [string, string][] =>
  events.flatMap((event): [string, string][] => (event.type === 'call' ? [[event.name, event.args]] : []))

/** Sends pieces one socket write each. */
function streaming(...pieces: (string | Buffer)[]): Handler {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const piece of pieces) {
      response.write(piece)
      await tick()
    }
    response.end()
  }
}

describe('reading a stream', () => {
  test('text deltas become text events, one each, and done comes last with the usage', async (t) => {
    const usage = {
      prompt_tokens: 12,
      completion_tokens: 7,
      prompt_tokens_details: { cached_tokens: 5 },
      completion_tokens_details: { reasoning_tokens: 3 },
    }
    const pieces = [delta({ role: 'assistant', content: '' }), delta({ content: 'Hel' }), delta({ content: 'lo' })]
    const { model, bodies } = await serve(t, streaming(...pieces, stop, line({ choices: [], usage }), done), {
      priceOf: ({ inputTokens, outputTokens }) => inputTokens + outputTokens * 10,
    })
    assert.deepEqual(await collect(model), [
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
      { type: 'done', usage: { inputTokens: 12, cachedTokens: 5, outputTokens: 7, reasoningTokens: 3, costUsd: 82 } },
    ])
    assert.deepEqual(JSON.parse(bodies[0] ?? ''), {
      model: 'mock-1',
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hello' },
      ],
    })
  })

  test('what one read of the network brings is one batch', async (t) => {
    const { model } = await serve(t, (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(delta({ content: 'a' }) + delta({ content: 'b' }) + stop + done)
    })
    const sizes: number[] = []
    for await (const batch of model.stream(hello, never)) sizes.push(batch.length)
    assert.deepEqual(sizes, [3])
  })

  test('an answer may be split at any byte, also within a character', async (t) => {
    const whole = Buffer.from(delta({ content: 'Grüße 👋🏽 "x" \\ \n' }) + delta({ content: 'é' }) + stop + done)
    const { model } = await serve(t, streaming(...Array.from(whole, (byte) => Buffer.from([byte]))))
    assert.equal(textsOf(await collect(model)).join(''), 'Grüße 👋🏽 "x" \\ \né')
  })

  test('CRLF, comments, other fields, a missing space and a missing last newline are understood', async (t) => {
    const text = `: ping\r\nevent: x\r\nid: 1\r\n${delta({ content: 'a' }).replaceAll('\n', '\r\n')}data:${JSON.stringify(
      {
        choices: [{ delta: { content: 'b' }, finish_reason: 'stop' }],
      },
    )}\r\n\r\ndata:\r\n\r\ndata:[DONE]`
    const { model } = await serve(t, streaming(text))
    assert.deepEqual(textsOf(await collect(model)), ['a', 'b'])
  })

  test('tokens of every spelling come out as JSON.parse would read them', async (t) => {
    const tokens = ['plain', ' two', 'quote " in', 'back\\slash', '', 'new\nline', 'ü', '"', '\\', 'content":"x', 'end']
    const { model } = await serve(t, streaming(...tokens.map((content) => delta({ content })), stop, done))
    assert.deepEqual(
      textsOf(await collect(model)),
      tokens.filter((token) => token !== ''),
    )
  })

  test('a line that looks like the last text but says more is read in full', async (t) => {
    const rows = [delta({ content: 'a' }), delta({ content: 'b' }, 'length'), delta({ reasoning: 'hm', content: 'c' })]
    const { model } = await serve(t, streaming(...rows, done))
    const events = await collect(model)
    assert.deepEqual(textsOf(events), ['a', 'b', 'c'])
    assert.ok(events.some((event) => event.type === 'reasoning'))
  })

  test('a line of the same length as the last text that has another field is no text', async (t) => {
    const { model } = await serve(
      t,
      streaming(delta({ content: 'a' }), delta({ content: 'b' }), delta({ nothing: 'c' }), stop, done),
    )
    assert.deepEqual(textsOf(await collect(model)), ['a', 'b'])
  })

  test('reasoning in either field and refusals come through', async (t) => {
    const rows = [delta({ reasoning_content: 'think' }), delta({ reasoning: 'more' }), delta({ refusal: 'No.' })]
    const { model } = await serve(t, streaming(...rows, stop, done))
    assert.deepEqual((await collect(model)).slice(0, 3), [
      { type: 'reasoning', text: 'think' },
      { type: 'reasoning', text: 'more' },
      { type: 'text', text: 'No.' },
    ])
  })

  test('an empty answer is fine, and missing usage counts as zero', async (t) => {
    const { model } = await serve(t, streaming(stop, done))
    const usage = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, reasoningTokens: 0, costUsd: 0 }
    assert.deepEqual(await collect(model), [{ type: 'done', usage }])
    const priced = await serve(t, streaming(stop, done), { priceOf: () => 1 })
    const unknown = { ...usage, costUsd: null }
    assert.deepEqual(await collect(priced.model), [{ type: 'done', usage: unknown }], 'its cost is unknown')
  })

  test('a finish reason is enough of an end, and so is [DONE] alone', async (t) => {
    const first = await serve(t, streaming(delta({ content: 'a' }), stop))
    assert.deepEqual(textsOf(await collect(first.model)), ['a'])
    const second = await serve(t, streaming(delta({ content: 'b' }), done))
    assert.deepEqual(textsOf(await collect(second.model)), ['b'])
  })

  test('an answer that ran into the limit of the model says so', async (t) => {
    const { model } = await serve(t, streaming(delta({ content: 'Half a' }), delta({}, 'length'), done))
    const end = (await collect(model)).at(-1)
    assert.equal(end?.type === 'done' && end.stop, 'length')
  })

  test('a server that does not stream is understood', async (t) => {
    const tool = { id: 'x', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }
    const message = { content: 'Hi', reasoning_content: 'hm', tool_calls: [tool] }
    const usage = { prompt_tokens: 1, completion_tokens: 2 }
    const { model } = await serve(t, (response) => {
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' })
      response.end(JSON.stringify({ choices: [{ message, finish_reason: 'tool_calls' }], usage }))
    })
    const events = await collect(model)
    assert.deepEqual(
      events.map((event) => event.type),
      ['reasoning', 'text', 'call', 'done'],
    )
  })
})

describe('tool calls', () => {
  const fragment = (fields: object, called: object = {}): string =>
    delta({ tool_calls: [{ ...fields, function: called }] })
  const shapes: [string, string[], [string, string][]][] = [
    [
      'fragments by index, interleaved',
      [
        fragment({ index: 0, id: 'a' }, { name: 'one', arguments: '' }),
        fragment({ index: 1, id: 'b' }, { name: 'two', arguments: '{"x":' }),
        fragment({ index: 0 }, { arguments: '{"y":2}' }),
        fragment({ index: 1 }, { arguments: '1}' }),
      ],
      [
        ['one', '{"y":2}'],
        ['two', '{"x":1}'],
      ],
    ],
    ['no arguments at all', [fragment({ index: 0, id: 'a' }, { name: 'now' })], [['now', '{}']]],
    [
      'whole calls in one chunk, without index',
      [
        delta({
          tool_calls: [
            { id: 'a', function: { name: 'one', arguments: '{}' } },
            { id: 'b', function: { name: 'one', arguments: '{"n":2}' } },
          ],
        }),
      ],
      [
        ['one', '{}'],
        ['one', '{"n":2}'],
      ],
    ],
    [
      'neither index nor id',
      [
        fragment({}, { name: 'one', arguments: '{"a":' }),
        fragment({}, { arguments: '1}' }),
        fragment({}, { name: 'one', arguments: '{"a":2}' }),
      ],
      [
        ['one', '{"a":1}'],
        ['one', '{"a":2}'],
      ],
    ],
    [
      'one index for all calls, told apart by id',
      [
        fragment({ index: 0, id: 'a' }, { name: 'one', arguments: '{"a":1}' }),
        fragment({ index: 0, id: 'b' }, { name: 'one', arguments: '{"b"' }),
        fragment({ index: 0 }, { arguments: ':2}' }),
      ],
      [
        ['one', '{"a":1}'],
        ['one', '{"b":2}'],
      ],
    ],
    [
      'name and id repeated on each fragment',
      [
        fragment({ index: 0, id: 'a' }, { name: 'one', arguments: '{"a"' }),
        fragment({ index: 0, id: 'a' }, { name: 'one', arguments: ':1}' }),
        fragment({ index: 0, id: 'a' }, { name: 'one', arguments: '' }),
      ],
      [['one', '{"a":1}']],
    ],
    [
      'the name repeated without an id',
      [
        fragment({ index: 0 }, { name: 'one', arguments: '{"a"' }),
        fragment({ index: 0 }, { name: 'one', arguments: ':1}' }),
        fragment({ index: 0 }, { name: 'one', arguments: '' }),
      ],
      [['one', '{"a":1}']],
    ],
    [
      'a new id on every fragment',
      [
        fragment({ index: 0, id: 'a' }, { name: 'one', arguments: '{"a"' }),
        fragment({ index: 0, id: 'b' }, { name: null, arguments: ':1}' }),
      ],
      [['one', '{"a":1}']],
    ],
    [
      'a head under a taken index and its tail under the next',
      [
        fragment({ index: 0, id: 'a' }, { name: 'one', arguments: '{}' }),
        fragment({ index: 0, id: 'b' }, { name: 'two', arguments: '{"b"' }),
        fragment({ index: 1 }, { arguments: ':2}' }),
      ],
      [
        ['one', '{}'],
        ['two', '{"b":2}'],
      ],
    ],
    [
      'arguments as an object',
      [fragment({ index: 0, id: 'a' }, { name: 'one', arguments: { a: 1 } })],
      [['one', '{"a":1}']],
    ],
  ]
  for (const [shape, pieces, calls] of shapes) {
    test(`are put together: ${shape}`, async (t) => {
      const { model } = await serve(t, streaming(delta({ content: 'ok' }), ...pieces, delta({}, 'tool_calls'), done))
      const events = await collect(model)
      assert.deepEqual(callsOf(events), calls)
      assert.deepEqual([events[0]?.type, events.at(-1)?.type], ['text', 'done'])
    })
  }

  const piece = (fields: object) => ({ index: 0, ...fields })
  const flood = (count: number, each: (at: number) => object): string[] =>
    Array.from({ length: Math.ceil(count / 1000) }, (_, page) => {
      const size = Math.min(1000, count - page * 1000)
      return delta({ tool_calls: Array.from({ length: size }, (__, at) => each(page * 1000 + at)) })
    })

  test('a hundred thousand fragments of one call cost no more than their bytes', async (t) => {
    const opening = delta({ tool_calls: [piece({ function: { name: 'f', arguments: '{"a":"' } })] })
    // The name comes again with each: whether the call is whole must be known without reading it anew.
    const pieces = flood(100_000, () => piece({ function: { name: 'f', arguments: 'xxxxxxxx' } }))
    const closing = delta({ tool_calls: [piece({ function: { arguments: '"}' } })] })
    const { model } = await serve(t, streaming(opening, ...pieces, closing, stop, done))
    assert.deepEqual(callsOf(await collect(model)), [['f', `{"a":"${'x'.repeat(800_000)}"}`]])
  })

  const floods: readonly [what: string, count: number, each: (at: number) => object, message: RegExp][] = [
    ['calls', 129, (at) => ({ id: `c${at}`, function: { name: 'f', arguments: '{}' } }), /more than 128 tool calls/],
    ['fragments', 200_002, () => piece({ function: { arguments: 'x' } }), /more than 200000 fragments/],
  ]
  for (const [what, count, each, message] of floods) {
    test(`more ${what} than a response may have are a fault, and none is taken`, async (t) => {
      const opening = delta({ tool_calls: [{ id: 'c0', function: { name: 'f', arguments: '{}' } }] })
      const { model, bodies } = await serve(t, streaming(opening, ...flood(count, each), stop, done))
      const error = await fails(collect(model))
      assert.equal(error.code, 'model_failed')
      assert.match(error.message, message)
      assert.equal(bodies.length, 1)
    })
  }

  test('as many calls as a response may have are taken', async (t) => {
    const calls = flood(128, (at) => ({ id: `c${at}`, function: { name: 'f', arguments: '{}' } }))
    const { model } = await serve(t, streaming(...calls, stop, done))
    assert.equal(callsOf(await collect(model)).length, 128)
  })

  test('a call without a name is a fault of the model', async (t) => {
    const { model } = await serve(t, streaming(fragment({ index: 0 }, { arguments: '{}' }), done))
    assert.equal((await fails(collect(model))).code, 'model_failed')
  })
})

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
      assert.match(error.message, /bad thing/)
      assert.ok(error.message.includes(`127.0.0.1:${port}`))
      assert.equal(bodies.length, attempts)
      assert.equal(new Set(bodies).size, 1)
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

describe('stopping', () => {
  const forever: Handler = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(delta({ content: 'a' }))
  }

  /** A server that answers without an end and tells when its connection was closed. */
  async function serveForever(t: TestContext, handler: Handler = forever) {
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
    const served = await serve(t, async (response, body, request) => {
      response.on('close', resolve)
      await handler(response, body, request)
      reach()
    })
    return { ...served, closed, reached }
  }

  test('an abort while waiting closes the connection and throws the reason', async (t) => {
    const { model, closed } = await serveForever(t)
    const controller = new AbortController()
    const reason = new Error('enough')
    const reading = (async () => {
      for await (const batch of model.stream(hello, controller.signal)) {
        assert.equal(batch.length, 1)
        setImmediate(() => controller.abort(reason))
      }
    })()
    await assert.rejects(reading, (error) => error === reason)
    await closed
  })

  test('an abort before the headers closes the connection too', async (t) => {
    const { model, closed, reached } = await serveForever(t, () => undefined)
    const controller = new AbortController()
    const reading = collect(model, hello, controller.signal)
    await reached
    controller.abort()
    await assert.rejects(reading, { name: 'AbortError' })
    await closed
  })

  test('an abort while the reader is busy closes the connection at once', async (t) => {
    const { model, closed } = await serveForever(t)
    const controller = new AbortController()
    const iterator = model.stream(hello, controller.signal)[Symbol.asyncIterator]()
    await iterator.next()
    controller.abort()
    await closed
    await assert.rejects(iterator.next(), { name: 'AbortError' })
  })

  test('an aborted signal sends nothing', async (t) => {
    const { model, bodies } = await serve(t, forever)
    await assert.rejects(collect(model, hello, AbortSignal.abort()), { name: 'AbortError' })
    assert.equal(bodies.length, 0)
  })

  test('leaving the loop early closes the connection', async (t) => {
    const { model, closed } = await serveForever(t)
    for await (const _ of model.stream(hello, never)) break
    await closed
  })

  test('a finished answer leaves its connection for the next call', async (t) => {
    const ports = new Set<number | undefined>()
    const { model } = await serve(t, async (response, body, request) => {
      ports.add(request.socket.remotePort)
      await streaming(delta({ content: 'a' }), stop, done)(response, body, request)
    })
    await collect(model)
    // The end of the body may come after [DONE]; the connection is free once the server has sent it.
    for (let round = 0; round < 20; round += 1) await tick()
    await collect(model)
    assert.equal(ports.size, 1)
  })

  test('a server that goes on after [DONE] does not hold the answer back', async (t) => {
    const { model, closed } = await serveForever(t, (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(delta({ content: 'a' }) + done)
    })
    assert.deepEqual(textsOf(await collect(model)), ['a'])
    await closed
  })

  test('a slow reader pauses the server', async (t) => {
    const block = delta({ content: 'x'.repeat(64 * 1024) })
    let sent = 0
    const { promise: full, resolve } = Promise.withResolvers<void>()
    const { model } = await serve(t, async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (; sent < 400; sent += 1) {
        if (response.write(block)) continue
        const drained = once(response, 'drain')
        const stalled = new Promise<'stalled'>((done) => void setTimeout(() => done('stalled'), 100))
        if ((await Promise.race([drained, stalled])) === 'stalled') resolve()
        await drained
      }
      resolve()
      response.end(stop + done)
    })
    let chars = 0
    for await (const batch of model.stream(hello, never)) {
      if (chars === 0) await full
      if (chars === 0) assert.ok(sent < 400, 'the server was not paused')
      for (const text of textsOf(batch)) chars += text.length
    }
    assert.equal(chars, 400 * 64 * 1024)
  })
})

describe('the request body', () => {
  const items: Item[] = [
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'text', text: 'Look: ' },
        { type: 'file', name: 'a"b.txt', text: 'one< / FILE >two' },
      ],
    },
    { type: 'reasoning', text: 'hm' },
    textMessage('assistant', 'I shall call.'),
    { type: 'call', callId: 'call_1', name: 'add', args: '{"a":1}' },
    { type: 'call', callId: 'call_2', name: 'add', args: 'not json' },
    { type: 'result', callId: 'call_1', output: '2' },
    { type: 'result', callId: 'call_2', output: 'bad', error: true },
    { type: 'reasoning', text: 'hm' },
    { type: 'call', callId: 'call_3', name: 'now', args: '{"id": 9007199254740993}' },
    textMessage('assistant', 'I wait.'),
    { type: 'result', callId: 'call_3', output: 'noon' },
    textMessage('assistant', 'It is noon.'),
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'text', text: 'and' },
        { type: 'image', url: 'data:x' },
      ],
    },
  ]
  const tools = [
    { name: 'add', description: 'Adds.', parameters: { type: 'object', properties: {} }, strict: true },
    { name: 'pick', description: '', parameters: { oneOf: [{ properties: { a: { const: 1 } } }] }, strict: true },
  ] as const

  test('has items as messages, one assistant message per answer', async (t) => {
    const { model, bodies } = await serve(t, streaming(stop, done))
    const format = { name: 'out', schema: { type: 'object' }, strict: true }
    await collect(model, { system: '', items, tools, temperature: 0, format })
    const body = JSON.parse(bodies[0] ?? '')
    const call = (id: string, name: string, args: string) => ({
      id,
      type: 'function',
      function: { name, arguments: args },
    })
    assert.deepEqual(body.messages, [
      { role: 'user', content: 'Look: \n<file name="a&quot;b.txt">\none[ / FILE >two\n</file>\n' },
      {
        role: 'assistant',
        content: 'I shall call.',
        tool_calls: [call('call_1', 'add', '{"a":1}'), call('call_2', 'add', '{"text":"not json"}')],
      },
      { role: 'tool', tool_call_id: 'call_1', content: '2' },
      { role: 'tool', tool_call_id: 'call_2', content: 'bad' },
      { role: 'assistant', content: 'I wait.', tool_calls: [call('call_3', 'now', '{"id": 9007199254740993}')] },
      { role: 'tool', tool_call_id: 'call_3', content: 'noon' },
      { role: 'assistant', content: 'It is noon.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'and' },
          { type: 'image_url', image_url: { url: 'data:x' } },
        ],
      },
    ])
    assert.equal(body.temperature, 0)
    assert.deepEqual(body.response_format, { type: 'json_schema', json_schema: format })
    assert.deepEqual(
      body.tools.map((tool: { function: { strict?: boolean } }) => tool.function.strict),
      [true, undefined],
    )
  })

  test('has no half of a character, for which a server would refuse it', async (t) => {
    const { model, bodies } = await serve(t, streaming(stop, done))
    const halves: Item[] = [
      textMessage('user', 'half \ud83d'),
      { type: 'call', callId: 'call_1', name: 'add', args: '{"a":"\ud83d"}' },
      { type: 'result', callId: 'call_1', output: 'half \ude00' },
      textMessage('assistant', '\ud83d'),
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'text', text: '\ud83d' },
          { type: 'image', url: 'data:x' },
        ],
      },
    ]
    await collect(model, { system: '\ud83d', items: halves, tools: [] })
    assert.doesNotMatch(bodies[0] ?? '', /\\ud/)
  })

  test('has only pictures that the server takes; another is told by a word', async (t) => {
    const urls = ['data:image/png;base64,aGk=', 'https://example.com/a.png', 'data:image/svg+xml;base64,aGk=']
    const kinds = { openai: ['image_url', 'image_url', 'text'], ollama: ['image_url', 'text', 'text'] }
    const content = urls.map((url) => ({ type: 'image', url }) as const)
    for (const [provider, expected] of [...Object.entries(kinds), ['any', Array(3).fill('image_url')] as const]) {
      const { model, bodies } = await serve(t, streaming(stop, done), { provider })
      await collect(model, { ...hello, items: [{ type: 'message', role: 'user', content }] })
      const sent: { type: string }[] = JSON.parse(bodies[0] ?? '').messages.at(-1).content
      assert.deepEqual(
        sent.map(({ type }) => type),
        expected,
        provider,
      )
    }
  })

  test('is the same byte for byte whether the thread was seen before or not', async (t) => {
    const { model, open, bodies } = await serve(t, streaming(stop, done))
    const grown: Item[] = []
    for (const item of items) {
      grown.push(item)
      await collect(model, { system: 'S', items: grown, tools })
      await collect(open(), { system: 'S', items: [...grown], tools: [...tools] })
      assert.equal(bodies.at(-2), bodies.at(-1))
    }
  })

  test('goes to the path and query of the base URL, with the key and further headers', async (t) => {
    const seen: unknown[] = []
    const { open, port } = await serve(t, async (response, body, request) => {
      seen.push(request.url, request.headers.authorization, request.headers['x-a'])
      await streaming(stop, done)(response, body, request)
    })
    await collect(open({ baseUrl: `http://127.0.0.1:${port}/x/v1/?api-version=2`, headers: { 'X-A': 'b' } }))
    assert.deepEqual(seen, ['/x/v1/chat/completions?api-version=2', `Bearer ${key}`, 'b'])
  })
})
