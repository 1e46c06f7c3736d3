// The contract of chat completions: refusals, limits, faults, retries, single calls.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { AppError } from '#core/errors.ts'
import { userId } from '#core/ids.ts'
import type { Reply } from '#models/script.ts'
import { clearOfMidnight } from '../../clear-of-midnight.ts'
import { eventually } from '../test-app.ts'
import { serve, type Served, type ServeParts } from '../responses/serve.ts'
import { assistant, complete, said, tool, user, weather } from './client.ts'

const ann = userId('ann')

const replies: Reply[] = [
  { when: 'filter', text: 'So far', error: { code: 'model_filtered', message: 'withheld', afterChunks: 2 } },
  { when: 'fail', error: { code: 'model_failed', message: 'broke' } },
  { when: 'half', text: 'Half an answer', error: { code: 'model_failed', message: 'broke', afterChunks: 1 } },
  { when: 'slow', text: 'one two', chunkDelayMs: 60_000 },
  { when: 'clock', calls: [{ name: 'time', args: {} }] },
  { afterTool: 'time', reasoning: 'hm', text: 'Noon.' },
  { when: '', text: 'Hello there.' },
]

async function open(t: TestContext, parts: ServeParts = {}): Promise<Served> {
  const served = await serve({ replies, ...parts })
  t.after(() => served.close())
  return served
}

const turns = (served: Served): Promise<number> => served.turns.countAll(ann)

const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
const long = (length: number) => 'x'.repeat(length)

/** A request with one fault, and the field that the refusal names. */
const refused: readonly (readonly [what: string, body: object, param: string | null])[] = [
  ['no model', { model: undefined }, 'model'],
  ['a model with white space', { model: ' x' }, 'model'],
  ['no messages', { messages: undefined }, 'messages'],
  ['messages that are no list', { messages: 'hi' }, 'messages'],
  ['an empty list', { messages: [] }, 'messages'],
  ['nothing but white', { messages: [user('')] }, 'messages'],
  ['a message that is no object', { messages: [user('a'), 'b'] }, 'messages[1]'],
  ['a wrong role', { messages: [{ role: 'robot', content: 'x' }] }, 'messages[0].role'],
  ['the role of a function', { messages: [{ role: 'function', name: 'f', content: 'x' }] }, 'messages[0].role'],
  ['a message without content', { messages: [{ role: 'user' }] }, 'messages[0].content'],
  ['content that is a number', { messages: [user(5)] }, 'messages[0].content'],
  ['an unknown part', { messages: [user([{ type: 'input_audio', input_audio: {} }])] }, 'messages[0].content[0].type'],
  ['a part without text', { messages: [user([{ type: 'text' }])] }, 'messages[0].content[0].text'],
  [
    'an image by a wrong scheme',
    { messages: [user([{ type: 'image_url', image_url: { url: 'file:///x' } }])] },
    'messages[0].content[0].image_url',
  ],
  [
    'a file by id',
    { messages: [user([{ type: 'file', file: { file_id: 'f' } }])] },
    'messages[0].content[0].file.file_data',
  ],
  [
    'an image of the assistant',
    { messages: [assistant([{ type: 'image_url', image_url: { url: 'https://x' } }])] },
    'messages[0].content[0].type',
  ],
  ['a tool message without a call', { messages: [user('a'), tool('c', 'out')] }, 'messages[1].tool_call_id'],
  ['a tool message without an id', { messages: [user('a'), tool(undefined, 'out')] }, 'messages[1].tool_call_id'],
  [
    'an output before its call',
    { messages: [user('a'), tool('c', 'x'), assistant(null, { tool_calls: [call] })] },
    'messages[1].tool_call_id',
  ],
  [
    'a call without a name',
    { messages: [assistant(null, { tool_calls: [{ ...call, function: {} }] })] },
    'messages[0].tool_calls[0].function.name',
  ],
  ['calls that are no list', { messages: [assistant(null, { tool_calls: 'x' })] }, 'messages[0].tool_calls'],
  [
    'a call of the older kind',
    { messages: [assistant(null, { function_call: { name: 'f', arguments: '{}' } })] },
    'messages[0].function_call',
  ],
  ['too many messages', { messages: Array.from({ length: 20_001 }, () => user('x')) }, 'messages'],
  ['too many new messages', { messages: Array.from({ length: 10_000 }, () => user('x')) }, 'messages'],
  ['two answers', { n: 2 }, 'n'],
  ['a temperature of 3', { temperature: 3 }, 'temperature'],
  ['a temperature in words', { temperature: 'hot' }, 'temperature'],
  ['a top_p of 2', { top_p: 2 }, 'top_p'],
  ['no token', { max_tokens: 0 }, 'max_tokens'],
  ['half a token', { max_completion_tokens: 1.5 }, 'max_completion_tokens'],
  ['a seed in words', { seed: 'x' }, 'seed'],
  ['a stop that is no text', { stop: [1] }, 'stop'],
  ['an unknown effort', { reasoning_effort: 'huge' }, 'reasoning_effort'],
  ['an unknown format', { response_format: { type: 'xml' } }, 'response_format.type'],
  [
    'a format without its schema',
    { response_format: { type: 'json_schema', json_schema: {} } },
    'response_format.json_schema.schema',
  ],
  ['stream in words', { stream: 'yes' }, 'stream'],
  ['functions', { functions: [{ name: 'f' }] }, 'functions'],
  ['a function call', { function_call: 'auto' }, 'function_call'],
  ['tools that are no list', { tools: {} }, 'tools'],
  ['a tool of another kind', { tools: [{ type: 'web_search' }] }, 'tools[0].type'],
  ['a tool without its function', { tools: [{ type: 'function' }] }, 'tools[0].function'],
  ['a tool of a name of ours', { tools: [{ type: 'function', function: { name: 'time' } }] }, 'tools[0].function.name'],
  [
    'a tool name of the agent',
    { tools: [{ type: 'function', function: { name: 'memory_x' } }] },
    'tools[0].function.name',
  ],
  ['a tool twice', { tools: [weather, weather] }, 'tools[1].function.name'],
  ['a tool without a name', { tools: [weather, { type: 'function', function: {} }] }, 'tools[1].function.name'],
  ['a tool that is no object', { tools: ['x'] }, 'tools[0]'],
  [
    'a tool whose parameters are no object',
    { tools: [{ type: 'function', function: { name: 'f', parameters: 1 } }] },
    'tools[0].function.parameters',
  ],
  [
    '257 KiB of tools',
    { tools: [{ type: 'function', function: { name: 'f', description: long(257 * 1024) } }] },
    'tools',
  ],
  ['metadata that is no object', { metadata: 'x' }, 'metadata'],
  ['metadata of numbers', { metadata: { a: 1 } }, 'metadata.a'],
]

describe('a malformed request', () => {
  it('is a 400 that names the field, and stores nothing', async (t) => {
    const served = await open(t)
    for (const [what, over, param] of refused) {
      const body = { model: 'm', messages: [user('hi')], ...over }
      const answer = said(await served.call('POST', '/v1/chat/completions', body))
      assert.equal(answer.status, 400, `${what}: ${JSON.stringify(answer.body).slice(0, 300)}`)
      assert.equal(answer.error['param'], param, what)
      assert.equal(answer.error['type'], 'invalid_request_error')
    }
    for (const text of ['', '[]', '"x"', 'null', '{"model":', '5']) {
      const { status } = await served.call('POST', '/v1/chat/completions', text, { 'content-type': 'application/json' })
      assert.equal(status, 400, text)
    }
    assert.equal(await turns(served), 0)
    assert.equal(served.asked.length, 0)
  })

  it('is answered where it only looks odd', async (t) => {
    const served = await open(t)
    for (const [what, over] of [
      ['unknown fields', { logprobs: true, parallel_tool_calls: 'x', store: 1, audio: {}, prediction: [] }],
      [
        'nulls',
        { stream: null, tools: null, temperature: null, stop: null, n: null, metadata: null, tool_choice: null },
      ],
      ['255 KiB of tools', { tools: [{ type: 'function', function: { name: 'f', description: long(255 * 1024) } }] }],
      ['an assistant message last', { messages: [user('a'), assistant('b')] }],
      ['a system message alone', { messages: [{ role: 'system', content: 'Say hello.' }] }],
      ['a call without its output', { messages: [user('a'), assistant(null, { tool_calls: [call] }), user('b')] }],
      [
        'parts of text',
        {
          messages: [
            user([
              { type: 'text', text: 'a' },
              { type: 'text', text: 'b' },
            ]),
          ],
        },
      ],
      ['a NUL', { messages: [user('a\0b')] }],
      ['half a surrogate pair', { messages: [user('a\ud800b')] }],
    ] as const) {
      const { status, body } = await complete(served, [user('hi')], over)
      assert.equal(status, 200, `${what}: ${JSON.stringify(body)}`)
    }
  })

  it('may be as long as a conversation of ten thousand messages whose thread is known', async (t) => {
    const served = await open(t)
    const start = Array.from({ length: 4_000 }, (_, at) => (at % 2 === 0 ? user(`q${at}`) : assistant(`a${at}`)))
    const first = await complete(served, [...start, user('hi')])
    assert.equal(first.status, 200)
    const next = await complete(served, [...start, user('hi'), assistant(first.text), user('more')])
    assert.equal(next.thread, first.thread)
  })

  it('over 14 MiB is 413; a picture below it reaches the model', async (t) => {
    const served = await open(t)
    const picture = (length: number) => [
      user([{ type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(length)}` } }]),
    ]
    assert.equal((await complete(served, picture(15 * 1024 * 1024))).status, 413)
    assert.equal((await complete(served, picture(13 * 1024 * 1024))).status, 200)
    const [message] = served.asked.at(-1)?.items ?? []
    assert.ok(message?.type === 'message' && message.content[0]?.type === 'image')
  })
})

describe('what a request brings', () => {
  it('reaches the turn: files, sampling, format, metadata', async (t) => {
    const served = await open(t)
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
    const served = await open(t)
    for (const [model, chosen] of [
      ['vendor/large', 'vendor/large'],
      ['gpt-5', undefined],
    ] as const) {
      const { turn, body } = await complete(served, [user('hi')], { model })
      assert.deepEqual([(await served.turns.get(ann, turn))?.options.model, body['model']], [chosen, model])
    }
  })

  it('has no reasoning where progress is switched off', async (t) => {
    const served = await open(t, { progress: false })
    for (const stream of [false, true]) {
      const { text, reasoning } = await complete(served, [user('clock')], { stream })
      assert.deepEqual([text, reasoning], ['Noon.', ''])
    }
  })

  it('refuses functions where the operator switched them off', async (t) => {
    const served = await open(t, { externalTools: false })
    const { status, error } = await complete(served, [user('hi')], { tools: [weather] })
    assert.deepEqual([status, error['param']], [400, 'tools'])
  })
})

describe('a fault', () => {
  it('of the turn is 502 before the first chunk, and a line of the stream after it', async (t) => {
    const served = await open(t)
    for (const stream of [false, true]) {
      const { status, error, thread } = await complete(served, [user('fail')], { stream })
      assert.deepEqual([status, error['code'], thread !== ''], [502, 'model_failed', true])
    }
    const half = await complete(served, [user('half')], { stream: true })
    assert.deepEqual([half.status, half.error['code']], [200, 'model_failed'])
  })

  it('does not move the history: the retry goes on in its thread', async (t) => {
    const served = await open(t)
    const one = await complete(served, [user('hi')])
    const start = [user('hi'), assistant(one.text)]
    const failed = await complete(served, [...start, user('fail')])
    const again = await complete(served, [...start, user('again')])
    assert.deepEqual([failed.thread, again.thread], [one.thread, one.thread])
  })

  it('by the filter of a provider is an answer with the text so far', async (t) => {
    const served = await open(t)
    for (const stream of [false, true]) {
      const cut = await complete(served, [user('filter')], { stream })
      assert.deepEqual([cut.status, cut.text, cut.finish], [200, 'So far', 'content_filter'])
      const next = await complete(served, [user('filter'), assistant(cut.text), user('hi')])
      assert.equal(next.thread, cut.thread)
    }
  })

  it('by the time limit is 504', async (t) => {
    const served = await open(t, { turnTimeoutMs: 50 })
    const { status, error } = await complete(served, [user('slow')])
    assert.deepEqual([status, error['code']], [504, 'turn_timeout'])
  })

  it('of the rate is 429 with Retry-After, each rate by itself', async (t) => {
    const full = { take: () => Promise.reject(new AppError('rate_limited', 'too many', { retryAfterSecs: 7 })) }
    const served = await open(t, { chatLimit: full, taskLimit: { take: () => Promise.resolve() } })
    const answer = await served.call('POST', '/v1/chat/completions', { model: 'm', messages: [user('hi')] })
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [429, '7'])
    assert.equal((await complete(served, [user('hi')], { model: 'atrium-task' })).status, 200)
  })

  it('of too many turns at once is 503 with Retry-After', async (t) => {
    const served = await open(t, { room: 0 })
    const answer = await served.call('POST', '/v1/chat/completions', { model: 'm', messages: [user('hi')] })
    assert.equal(answer.status, 503)
    assert.ok(answer.headers.get('retry-after'))
  })
})

describe('a retry', () => {
  it('with the same key is the same turn, while it runs and after it', async (t) => {
    const served = await open(t)
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
    const served = await open(t)
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
    const served = await open(t)
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
    const served = await open(t)
    const { status } = await complete(served, [{ role: 'system', content: 'Say hi.' }], { model: 'atrium-task' })
    assert.equal(status, 200)
    assert.match(JSON.stringify(served.asked.at(-1)?.items), /Say hi/)
  })

  it('takes no longer than a turn may', async (t) => {
    const served = await open(t, { turnTimeoutMs: 50 })
    const { status, error } = await complete(served, [user('slow')], { model: 'atrium-task' })
    assert.deepEqual([status, error['code']], [504, 'turn_timeout'])
  })

  it('fails with a status, or within its stream', async (t) => {
    const served = await open(t)
    for (const stream of [false, true]) {
      const failed = await complete(served, [user('fail')], { model: 'atrium-task', stream })
      assert.deepEqual([failed.status, failed.error['code']], [502, 'model_failed'])
    }
    const half = await complete(served, [user('half')], { model: 'atrium-task', stream: true })
    assert.deepEqual([half.status, half.error['code']], [200, 'model_failed'])
  })
})

describe('two requests at once', () => {
  it('for one thread: the second waits behind the first', async (t) => {
    const served = await open(t)
    const one = await complete(served, [user('hi')])
    const start = [user('hi'), assistant(one.text)]
    const both = await Promise.all([
      complete(served, [...start, user('a')]),
      complete(served, [...start, user('b')], { stream: true }),
    ])
    assert.deepEqual(
      both.map(({ status, thread, text }) => [status, thread, text]),
      both.map(() => [200, one.thread, 'Hello there.']),
    )
    await eventually(async () => (await served.turns.count(ann)).queued === 0)
  })
})
