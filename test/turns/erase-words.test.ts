// The words of deleted threads: erased to the end, of a few threads at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eraseWords } from '#turns/erase-words.ts'

test('the words of all threads are erased to their end, of up to four threads at once', async () => {
  const left = new Map(Array.from({ length: 9 }, (_, at) => [`t${at}`, at % 3]))
  let [now, most] = [0, 0]
  await eraseWords(
    {
      async erase(threadId) {
        most = Math.max(most, ++now)
        await Promise.resolve()
        now--
        const parts = left.get(threadId) ?? 0
        left.set(threadId, parts - 1)
        return parts > 0
      },
    },
    [...left.keys()],
  )
  assert.deepEqual(new Set(left.values()), new Set([-1]))
  assert.equal(most, 4)
})
