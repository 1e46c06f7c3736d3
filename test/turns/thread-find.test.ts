// Words in the messages of one thread: which messages have them, and where a large thread goes on.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { userId } from '#core/ids.ts'
import type { Said, SaidRange } from '#core/thread-store.ts'
import { createThreadFind } from '#turns/thread-find.ts'

const ada = userId('ada')

test('messages with the words are counted, and the rest of the thread is told', async () => {
  const asked: SaidRange[] = []
  const part: Said = {
    messages: [
      { seq: 3, text: 'A fig, a Fig' },
      { seq: 5, text: 'A plum' },
      { seq: 9, text: 'figs' },
    ],
    through: 12,
    more: true,
  }
  const find = createThreadFind({ said: async (_user, _thread, range) => (asked.push(range), part) })
  const hits = [
    { seq: 3, count: 2 },
    { seq: 9, count: 1 },
  ]
  assert.deepEqual(await find(ada, 't', { words: 'fig', after: 2 }), { hits, nextAfter: 12 })
  assert.equal(asked[0]?.after, 2)
})

test('nothing is read for no words, and the end of a thread is the end', async () => {
  const find = createThreadFind({ said: async () => ({ messages: [], through: 4, more: false }) })
  assert.deepEqual(await find(ada, 't', { words: 'fig', after: 0 }), { hits: [] })
  const unread = createThreadFind({ said: () => Promise.reject(new Error('it was read')) })
  assert.deepEqual(await unread(ada, 't', { words: '  ', after: 0 }), { hits: [] })
})
