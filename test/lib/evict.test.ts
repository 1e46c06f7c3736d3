import assert from 'node:assert/strict'
import { test } from 'node:test'
import { evictOldest } from '#lib/evict.ts'

test('the oldest entries go first, and those that were set anew stay', () => {
  const map = new Map([1, 2, 3, 4].map((key) => [key, key]))
  map.delete(1)
  map.set(1, 1)
  evictOldest(map, 2)
  assert.deepEqual([...map.keys()], [4, 1])
})

test('a set within its bound keeps everything', () => {
  const set = new Set(['a', 'b'])
  evictOldest(set, 2)
  assert.deepEqual([...set], ['a', 'b'])
})
