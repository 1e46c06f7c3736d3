// Requests of chat completions that are refused by the field at fault, and those that only look odd.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assistant, complete, said, tool, user, weather } from './client.ts'
import { openContract, turns } from './contract-rig.ts'

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
    const served = await openContract(t)
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
    const served = await openContract(t)
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
    const served = await openContract(t)
    const start = Array.from({ length: 4_000 }, (_, at) => (at % 2 === 0 ? user(`q${at}`) : assistant(`a${at}`)))
    const first = await complete(served, [...start, user('hi')])
    assert.equal(first.status, 200)
    const next = await complete(served, [...start, user('hi'), assistant(first.text), user('more')])
    assert.equal(next.thread, first.thread)
  })

  it('over 14 MiB is 413; a picture below it reaches the model', async (t) => {
    const served = await openContract(t)
    const picture = (length: number) => [
      user([{ type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(length)}` } }]),
    ]
    assert.equal((await complete(served, picture(15 * 1024 * 1024))).status, 413)
    assert.equal((await complete(served, picture(13 * 1024 * 1024))).status, 200)
    const [message] = served.asked.at(-1)?.items ?? []
    assert.ok(message?.type === 'message' && message.content[0]?.type === 'image')
  })
})
