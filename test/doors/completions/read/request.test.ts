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

const options: readonly [what: string, fields: object, expected: object][] = [
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
const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
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
  ['two answers', { n: 2 }, 'n'],
  ['older functions', { functions: [] }, 'functions'],
  ['a share over one', { top_p: 1.1 }, 'top_p'],
  ['a limit of nothing', { max_tokens: 0 }, 'max_tokens'],
  ['a schema that is missing', jsonSchema({}), 'response_format.json_schema.schema'],
  ['a schema with too many values', jsonSchema({ schema: many }), 'response_format.json_schema.schema'],
  ['a large schema', jsonSchema({ schema: { a: 'x'.repeat(64 * 1024) } }), 'response_format.json_schema.schema'],
  ['metadata that is no text', { metadata: { a: 1 } }, 'metadata.a'],
  ['large metadata', { metadata: { a: 'x'.repeat(16 * 1024) } }, 'metadata'],
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
