// Answers of a server that are not of the protocol: the client package takes them, so that a call ends at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isJSONRPCErrorResponse, isJSONRPCResultResponse } from '@modelcontextprotocol/client'
import { takenAnswer } from '#mcp/taken-answer.ts'

const head = { jsonrpc: '2.0', id: 1 } as const
const content = [{ type: 'text', text: 'hello' }]

test('an answer of the protocol stays as it is', () => {
  const error = { code: -32042, message: 'open a page', data: { elicitations: [] } }
  for (const message of [
    { ...head, result: { content, _meta: { a: 1 } } },
    { ...head, error },
  ])
    assert.deepEqual(takenAnswer(message), message)
})

test('requests and notifications stay as they are', () => {
  for (const message of [
    { ...head, method: 'ping' },
    { jsonrpc: '2.0', method: 'notifications/progress', params: 5 },
  ])
    assert.equal(takenAnswer(message), message)
})

test('a result is taken without what the protocol does not know', () => {
  const taken = takenAnswer({ ...head, result: { content, _meta: 5 }, more: 1 })
  assert.ok(isJSONRPCResultResponse(taken))
  assert.deepEqual(taken.result, { content })
})

for (const error of [{ code: 'ENOENT', message: 'no file' }, { code: 1e300, message: 'no file', more: 1 }, {}])
  test(`an error is taken with its words: ${JSON.stringify(error)}`, () => {
    const taken = takenAnswer({ ...head, error, result: null })
    assert.ok(isJSONRPCErrorResponse(taken))
    assert.equal(taken.error.message, 'message' in error ? error.message : '')
  })

for (const result of [null, 5, 'done', [1], undefined])
  test(`a result that is no object is an error: ${JSON.stringify(result)}`, () => {
    const taken = takenAnswer({ ...head, result })
    assert.ok(isJSONRPCErrorResponse(taken))
    assert.match(taken.error.message, /neither an object nor an error/)
  })
