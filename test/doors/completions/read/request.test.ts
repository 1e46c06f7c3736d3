// A chat-completions request as a turn: what is read of it, and which field it is refused for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { readCompletion, type RequestRules } from '#doors/completions/read/request.ts'

const rules: RequestRules = { externalTools: true, choices: ['big'], registered: new Set(['time']), foreign: 'refuse' }
const user = { role: 'user', content: 'hi' }
const read = (fields: object, more: Partial<RequestRules> = {}) =>
  readCompletion({ model: 'atrium', messages: [user], ...fields }, { ...rules, ...more })
const schema = { type: 'object' }
const jsonSchema = (json_schema: object) => ({ response_format: { type: 'json_schema', json_schema } })

test('the smallest request has no options', async () => {
  assert.deepEqual(await read({}), {
    model: 'atrium',
    stream: false,
    includeUsage: false,
    messages: {
      items: [{ type: 'message', role: 'user', content: [{ type: 'text', text: 'hi' }] }],
      at: [0],
      instructions: [],
      newest: 0,
    },
    options: {},
  })
})

const stops = (count: number) => Array.from({ length: count }, (_, at) => `s${at}`)
const options: readonly (readonly [what: string, fields: object, expected: object])[] = [
  ['a temperature', { temperature: 0 }, { temperature: 0 }],
  ['a model that is offered', { model: 'big' }, { model: 'big' }],
  ['text', { response_format: { type: 'text' } }, {}],
  ['JSON', { response_format: { type: 'json_object' } }, { json: true }],
  ['a schema', jsonSchema({ name: 'a-b_1', schema }), { format: { name: 'a-b_1', schema } }],
  ['a strict one', jsonSchema({ schema, strict: false }), { format: { name: 'response', schema, strict: false } }],
  ['a name that no server takes', jsonSchema({ name: 'a b', schema }), { format: { name: 'response', schema } }],
  [
    'sampling',
    { top_p: 0, seed: 0, stop: 'END', max_tokens: 5, reasoning_effort: 'low' },
    { sampling: { topP: 0, seed: 0, stop: ['END'], maxTokens: 5, effort: 'low' } },
  ],
  [
    'the newer name of a limit wins',
    { max_tokens: 5, max_completion_tokens: 6, stop: ['a', 'b'] },
    { sampling: { maxTokens: 6, stop: ['a', 'b'] } },
  ],
  ['a user', { user: 'ann' }, { echo: { user: 'ann' } }],
  ['metadata', { metadata: { a: 'b' } }, { echo: { metadata: { a: 'b' } } }],
  ['empty metadata', { metadata: {} }, {}],
  ['nothing but nulls', { temperature: null, stop: null, metadata: null, user: null, response_format: null }, {}],
  ['no effort', { reasoning_effort: 'none' }, { sampling: { effort: 'none' } }],
  ...['minimal', 'low', 'medium', 'high', 'xhigh'].map(
    (effort) => [`effort ${effort}`, { reasoning_effort: effort }, { sampling: { effort } }] as const,
  ),
  ['the largest share', { top_p: 1 }, { sampling: { topP: 1 } }],
  ['the largest limit', { max_tokens: 10_000_000 }, { sampling: { maxTokens: 10_000_000 } }],
  ['the smallest limit', { max_tokens: 1 }, { sampling: { maxTokens: 1 } }],
  ['the smallest seed', { seed: Number.MIN_SAFE_INTEGER }, { sampling: { seed: Number.MIN_SAFE_INTEGER } }],
  ['sixteen stops', { stop: stops(16) }, { sampling: { stop: stops(16) } }],
  ['a long stop', { stop: 'x'.repeat(1_000) }, { sampling: { stop: ['x'.repeat(1_000)] } }],
  ['a name of 64 letters', jsonSchema({ name: 'a'.repeat(64), schema }), { format: { name: 'a'.repeat(64), schema } }],
  ['one of 65', jsonSchema({ name: 'a'.repeat(65), schema }), { format: { name: 'response', schema } }],
  ['one answer', { n: 1 }, {}],
  ['fields of others', { logit_bias: {}, service_tier: 'auto' }, {}],
  ['older fields that are null', { functions: null, function_call: null }, {}],
  ['no tools by choice', { tools: [{ type: 'function', function: { name: 'f' } }], tool_choice: 'none' }, {}],
]
for (const [what, fields, expected] of options) {
  test(`options: ${what}`, async () => assert.deepEqual((await read(fields)).options, expected))
}

test('a stream may tell its usage', async () => {
  const { stream, includeUsage } = await read({ stream: true, stream_options: { include_usage: true } })
  assert.deepEqual([stream, includeUsage], [true, true])
})

const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`k${at}`, 1]))
const deep = (levels: number): object => (levels === 1 ? {} : { a: deep(levels - 1) })
const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
const parts = (count: number) => Array.from({ length: count }, () => ({ type: 'text', text: 'a' }))
const refused: readonly [what: string, fields: object, param: string][] = [
  ['no messages', { messages: [] }, 'messages'],
  ['messages of another kind', { messages: 'hi' }, 'messages'],
  ['a role that is none', { messages: [{ role: 'robot', content: '' }] }, 'messages[0].role'],
  ['a message without content', { messages: [{ role: 'user' }] }, 'messages[0].content'],
  ['a result without its call', { messages: [{ role: 'tool', content: '' }] }, 'messages[0].tool_call_id'],
  ['an older call', { messages: [{ role: 'assistant', function_call: {} }] }, 'messages[0].function_call'],
  ['a part that is none', { messages: [{ role: 'user', content: ['x'] }] }, 'messages[0].content[0]'],
  ['a part of no kind', { messages: [{ role: 'user', content: [{ type: 'x' }] }] }, 'messages[0].content[0].type'],
  [
    'a picture in instructions',
    { messages: [{ role: 'system', content: [{ type: 'image_url' }] }] },
    'messages[0].content[0].type',
  ],
  ...['user', 'system', 'assistant', 'tool'].map(
    (role) =>
      [
        `${role}: too many parts`,
        { messages: [{ role, tool_call_id: 'c', content: parts(1_001) }] },
        'messages[0].content',
      ] as [string, object, string],
  ),
  ['two answers', { n: 2 }, 'n'],
  ['older functions', { functions: [] }, 'functions'],
  ['a share over one', { top_p: 1.1 }, 'top_p'],
  ['a limit of nothing', { max_tokens: 0 }, 'max_tokens'],
  ['a schema that is missing', jsonSchema({}), 'response_format.json_schema.schema'],
  ['a schema with too many values', jsonSchema({ schema: many }), 'response_format.json_schema.schema'],
  ['a large schema', jsonSchema({ schema: { a: 'x'.repeat(64 * 1024) } }), 'response_format.json_schema.schema'],
  ['metadata that is no text', { metadata: { a: 1 } }, 'metadata.a'],
  ['large metadata', { metadata: { a: 'x'.repeat(16 * 1024) } }, 'metadata'],
  ['a share below none', { top_p: -0.1 }, 'top_p'],
  ['a limit over all', { max_completion_tokens: 10_000_001 }, 'max_completion_tokens'],
  ['seventeen stops', { stop: stops(17) }, 'stop'],
  ['an empty stop', { stop: '' }, 'stop'],
  ['a stop too long', { stop: 'x'.repeat(1_001) }, 'stop'],
  ['a call by an older name', { function_call: 'auto' }, 'function_call'],
  ['a flag in words', { stream_options: { include_usage: 'yes' } }, 'stream_options.include_usage'],
  ['options that are no object', { stream_options: true }, 'stream_options'],
  ['a format that is no object', { response_format: 'json' }, 'response_format'],
  ['a schema that is no object', jsonSchema({ schema: [] }), 'response_format.json_schema.schema'],
  ['a deep schema', jsonSchema({ schema: deep(65) }), 'response_format.json_schema.schema'],
  [
    'a call of another kind',
    { messages: [{ role: 'assistant', tool_calls: [{ ...call, type: 'custom' }] }] },
    'messages[0].tool_calls[0].type',
  ],
  [
    'a call without an id',
    { messages: [{ role: 'assistant', tool_calls: [{ ...call, id: '' }] }] },
    'messages[0].tool_calls[0].id',
  ],
  [
    'a refusal of a user',
    { messages: [{ role: 'user', content: [{ type: 'refusal', refusal: 'x' }] }] },
    'messages[0].content[0].type',
  ],
  [
    'a file in a result',
    { messages: [{ role: 'tool', tool_call_id: 'c', content: [{ type: 'file' }] }] },
    'messages[0].content[0].type',
  ],
  ['an endless user', { user: 'x'.repeat(513) }, 'user'],
]
for (const [what, fields, param] of refused) {
  test(`${what} is refused for ${param}`, async () => {
    const fault = await read(fields).catch((error: unknown) => error)
    assert.ok(fault instanceof AppError && fault.code === 'invalid_input', String(fault))
    assert.equal(fault.param, param)
  })
}

test('a part of no kind is named, as far as forty characters', async () => {
  const of = (type: unknown) => read({ messages: [{ role: 'user', content: [{ type }] }] })
  await assert.rejects(of('x'.repeat(50)), /must be text, image_url or file, not "x{40}"$/)
  await assert.rejects(of(7), /not number$/)
})

test('bounds are taken to their edge', async () => {
  const { k0: _, ...fitting } = many
  await read(jsonSchema({ schema: fitting }))
  await read({ metadata: { a: 'x'.repeat(16 * 1024 - 8) } })
  await read({ user: 'x'.repeat(512) })
  await read({ messages: [{ role: 'user', content: parts(1_000) }] })
})

test('instructions, results and old answers may be in parts; a refusal is among the words of the assistant', async () => {
  const parts = [
    { type: 'text', text: 'a' },
    { type: 'refusal', refusal: 'b' },
  ]
  const { items } = (await read({ messages: [user, { role: 'assistant', content: parts }] })).messages
  assert.deepEqual(items[1]?.type === 'message' && items[1].content, [
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b' },
  ])
})

test('functions of the caller are refused where the operator says so', async () => {
  const tools = [{ type: 'function', function: { name: 'f' } }]
  await assert.rejects(read({ tools }, { externalTools: false }), { code: 'invalid_input' })
  assert.equal((await read({ tools })).options.tools?.length, 1)
})

test('messages are items in their order; what is newest follows the last words or call of the assistant', async () => {
  const conversation = [
    { role: 'system', content: 'Be brief.' },
    user,
    { role: 'assistant', content: null, tool_calls: [call, { ...call, id: 'd', function: { name: 'g' } }] },
    { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: 'done' }] },
    { role: 'developer', content: 'In French.' },
    { role: 'user', content: '' },
  ]
  const { items, at, instructions, newest } = (await read({ messages: conversation })).messages
  assert.deepEqual(instructions, ['Be brief.', 'In French.'])
  assert.deepEqual(items, [
    { type: 'message', role: 'user', content: [{ type: 'text', text: 'hi' }] },
    { type: 'message', role: 'assistant', content: [] },
    { type: 'call', callId: 'c', name: 'f', args: '{}' },
    { type: 'call', callId: 'd', name: 'g', args: '{}' },
    { type: 'output', callId: 'c', output: 'done' },
    { type: 'message', role: 'user', content: [] },
  ])
  assert.deepEqual([at, newest], [[1, 2, 2, 2, 3, 5], 4])
  const answered = [user, { role: 'assistant', content: 'a', refusal: 'No.' }, user]
  const plain = (await read({ messages: answered })).messages
  assert.equal(plain.newest, 2)
  assert.deepEqual(plain.items[1], {
    type: 'message',
    role: 'assistant',
    content: [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'No.' },
    ],
  })
})
