// The chat-completions client against real local servers: streams and tool calls.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callsOf, delta, done, line, never, serve, stop, streaming } from './chat-server.ts'
import { collect, fails, hello, textsOf } from './wire.ts'

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

  test('counts that no answer can have are counted as zero: their sum could not be stored', async (t) => {
    const usage = { prompt_tokens: -5, completion_tokens: 1e300, prompt_tokens_details: { cached_tokens: 2 ** 53 } }
    const { model } = await serve(t, streaming(stop, line({ choices: [], usage }), done))
    const none = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, reasoningTokens: 0, costUsd: 0 }
    assert.deepEqual(await collect(model), [{ type: 'done', usage: none }])
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

  test('a byte order mark hides no text, and the case of a media type says nothing', async (t) => {
    const streamed = await serve(t, streaming(`\ufeff${delta({ content: 'a' })}${delta({ content: 'b' })}${stop}`))
    assert.deepEqual(textsOf(await collect(streamed.model)), ['a', 'b'])
    const whole = await serve(t, (response) => {
      response.writeHead(200, { 'content-type': 'Application/JSON; charset=UTF-8' })
      response.end(`\ufeff${JSON.stringify({ choices: [{ message: { content: 'a' }, finish_reason: 'stop' }] })}`)
    })
    assert.deepEqual(textsOf(await collect(whole.model)), ['a'])
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
