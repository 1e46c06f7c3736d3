// Long messages of a server, and the short ones that the client package gets in their place.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shortened, wholeOfShort } from '#mcp/long-messages.ts'
import { drained } from '#safety/drained.ts'

type Short = { readonly params?: object; readonly result?: object }

function shortOf(message: object): Short | undefined {
  return drained(shortened(Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message })))) as Short | undefined
}

test('a message is long from 256 KiB or a thousand values on', () => {
  const named = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, 1]))
  const isLong = (result: object) => shortOf({ id: 1, result }) !== undefined
  assert.deepEqual(
    [named(995), named(996), Array(995).fill(0), Array(996).fill(0)].map((each) => isLong({ each })),
    [false, true, false, true],
  )
  assert.deepEqual(
    [250_000, 270_000].map((chars) => isLong({ text: 'x'.repeat(chars) })),
    [false, true],
  )
})

test('a short message has the short members of a long one, and gives it back whole', () => {
  const result = { resultType: 'complete', nextCursor: 'two', isError: false, tools: Array(2_000).fill(0), ttlMs: 5 }
  const short = shortOf({ id: 'a', result })
  const { tools: _, ...kept } = result
  assert.deepEqual(JSON.parse(JSON.stringify({ ...short, result: { ...short?.result, _meta: undefined } })), {
    jsonrpc: '2.0',
    id: 'a',
    result: { content: [], requestState: '', ...kept, tools: [] },
  })
  assert.deepEqual(wholeOfShort(short?.result), result)
})

test('a question with a long form has an empty form that the client package takes', () => {
  const options = Array.from({ length: 200 }, (_, at) => ({ const: `${at}`, title: `Option ${at}` }))
  const properties = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, { type: 'string', oneOf: options }]))
  const params = { mode: 'form', message: 'Which?', requestedSchema: { type: 'object', properties } }
  const short = shortOf({ id: 1, method: 'elicitation/create', params })
  assert.deepEqual(
    { ...short?.params, _meta: undefined },
    { ...params, requestedSchema: { type: 'object', properties: {} }, _meta: undefined },
  )
  assert.deepEqual(wholeOfShort(short?.params), params)
})

test('a server cannot pass one thing off as another by the key of long ones', () => {
  const given = { content: [], _meta: { 'atrium/long': { value: 'other' } } }
  assert.equal(wholeOfShort(given), given)
})
