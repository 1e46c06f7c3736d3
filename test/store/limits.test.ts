// The memory of rate limits is bounded.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryLimits } from '#store/limits.ts'

test('of more keys than are kept, the longest unused is forgotten first', async () => {
  const limits = createMemoryLimits()
  const take = (key: string) => limits.take(key, 1, 60_000, 1_000)
  await take('first')
  await take('second')
  assert.equal((await take('first')).allowed, false, 'and used again')
  for (let at = 0; at < 19_999; at++) await take(`key ${at}`)
  assert.equal((await take('first')).allowed, false, 'what was used lately is remembered')
  assert.equal((await take('second')).allowed, true, 'the oldest is not')
})
