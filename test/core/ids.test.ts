// Ids and their forms on the wire.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hexOf, isUuid, newCallId, newId, parseResponseId, responseId, uuidOf } from '#core/ids.ts'

test('a response id carries its turn and its thread and reads back', () => {
  const [turnId, threadId] = [newId(), newId()]
  const id = responseId(turnId, threadId)
  assert.match(id, /^resp_[0-9a-f]{64}$/)
  assert.deepEqual(parseResponseId(id), { turnId, threadId })
  assert.equal(uuidOf(hexOf(turnId)), turnId)
})

const hex = 'a'.repeat(64)
const malformed = [
  '',
  'resp_',
  `resp_${hex}a`,
  `resp_${hex.slice(1)}`,
  `RESP_${hex}`,
  `resp_${hex.toUpperCase()}`,
  ` resp_${hex}`,
  `resp_${hex}\n`,
  `msg_${hex}`,
  `resp_${'g'.repeat(64)}`,
]
for (const text of malformed) {
  test(`${JSON.stringify(text)} is no response id`, () => assert.equal(parseResponseId(text), undefined))
}

test('ids are UUIDs, call ids are unique and short enough for any provider', () => {
  assert.ok(isUuid(newId()))
  assert.ok(!isUuid(hexOf(newId())) && !isUuid(`${newId()}\n`) && !isUuid(''))
  const calls = Array.from({ length: 1_000 }, newCallId)
  assert.equal(new Set(calls).size, calls.length)
  assert.ok(calls.every((id) => /^call_[0-9a-f]{32}$/.test(id) && id.length <= 40))
})
