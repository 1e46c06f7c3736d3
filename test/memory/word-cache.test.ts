import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWordCache } from '#memory/word-cache.ts'

test('a word that occurs again stays, one that does not is forgotten', () => {
  const made: string[] = []
  // Two words are kept, at one place.
  const read = createWordCache(2, (word) => {
    made.push(word)
    return { word }
  })
  const first = read('a')
  // Each row: the words that are read, and those of them that are made anew.
  const rows: [string, string][] = [
    ['a', ''],
    ['b', 'b'],
    ['a b', ''],
    ['a', ''],
    ['c', 'c'],
    ['a', ''],
    ['b', 'b'],
    ['a', ''],
    ['d e', 'd e'],
    ['a', 'a'],
  ]
  for (const [words, anew] of rows) {
    made.length = 0
    for (const word of words.split(' ')) assert.deepEqual(read(word), { word })
    assert.equal(made.join(' '), anew, `after ${words}`)
  }
  assert.notEqual(read('a'), first)
})

test('words with the same hash are told apart', () => {
  const read = createWordCache(100, (word) => word)
  // 33 * 'a' + 'b' is 33 * 'b' + 'A'.
  for (const word of ['ab', 'bA', 'ab', 'bA']) assert.equal(read(word), word)
})
