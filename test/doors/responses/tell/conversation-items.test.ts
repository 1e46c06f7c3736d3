// Pages of a conversation's items: how much fits on one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textMessage, type Entry } from '#core/item.ts'
import { type ItemParts, readConversationItems } from '#doors/responses/tell/conversation-items.ts'
import { ada } from '../../../store/harness.ts'

const mebibyte = 1024 * 1024
const thread = { id: '01a2b3c4-0000-7000-8000-000000000000', lastSeq: 5 }

/** A conversation of one message for each text. */
function partsOf(texts: readonly string[]): ItemParts {
  const entries = texts.map((text, at): Entry => {
    const id = `01a2b3c4-0000-7000-8000-00000000000${at}`
    return { id, seq: at + 1, turnId: thread.id, at: 0, item: textMessage('user', text) }
  })
  return {
    threads: {
      headers: (_, __, { from }) => Promise.resolve(entries.filter(({ seq }) => seq > from)),
      entries: (_, __, { upTo }) =>
        Promise.resolve({ entries: entries.filter(({ seq }) => seq === upTo), more: false }),
      findItems: () => Promise.resolve([]),
    },
    turns: { get: () => Promise.resolve(undefined) },
  }
}

test('a page ends after 8 MiB of text, and has at least one item; its JSON is not written to find out', async (t) => {
  const written = t.mock.method(JSON, 'stringify')
  const read = (...texts: string[]) => readConversationItems(partsOf(texts), thread, ada, { order: 'asc', size: 20 })
  const large = 'x'.repeat(3 * mebibyte)
  const [most, one, all] = [await read(large, large, large), await read(large.repeat(3), 'more'), await read('a', 'b')]
  const calls = written.mock.callCount()
  written.mock.restore()
  assert.deepEqual([most.items.length, most.more], [2, true])
  assert.deepEqual([one.items.length, one.more], [1, true])
  assert.deepEqual([all.items.length, all.more], [2, false])
  assert.equal(calls, 0)
})
