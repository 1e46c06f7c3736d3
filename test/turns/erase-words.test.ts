// The words of deleted threads: erased together, part by part, to the end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eraseWords } from '#turns/erase-words.ts'

test('the words of all threads are erased together until none are left', async () => {
  const asked: (readonly string[])[] = []
  const index = { erase: (threadIds: readonly string[]) => Promise.resolve(asked.push(threadIds) < 3) }
  await eraseWords(index, ['t0', 't1'])
  assert.deepEqual(asked, [
    ['t0', 't1'],
    ['t0', 't1'],
    ['t0', 't1'],
  ])
})

test('of no thread nothing is asked', async () => {
  await eraseWords({ erase: () => Promise.reject(new Error('nothing is to be erased')) }, [])
})
