// The entries of a turn: its own alone, page by page, and no more together than a response may have.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry, Item } from '#core/item.ts'
import { textMessage } from '#core/item.ts'
import type { EntryRange, ThreadStore } from '#core/thread-store.ts'
import { entriesOf, entryPages, withoutTexts } from '#turns/turn-entries.ts'
import { ada, rejectsWith } from '../store/harness.ts'

const user = textMessage('user', 'go')

/** A thread whose pages have two entries; every third entry is of another turn. */
function threadOf(items: readonly Item[]) {
  const ranges: EntryRange[] = []
  const all = items.map((item, at): Entry => {
    return { seq: at + 1, id: `i${at + 1}`, turnId: at % 3 === 2 ? 'other' : 't', at: 0, item }
  })
  const entries: ThreadStore['entries'] = (_user, _threadId, range) => {
    ranges.push(range)
    const rest = all.filter(({ seq }) => seq > range.after && seq <= (range.upTo ?? Infinity))
    return Promise.resolve({ entries: rest.slice(0, 2), more: rest.length > 2 })
  }
  return { threads: { entries } as ThreadStore, ranges }
}

const turn = { id: 't', threadId: 'h', firstSeq: 2, lastSeq: 6 }

test('a turn is read from its first to its last entry, without those of other turns', async () => {
  const { threads, ranges } = threadOf(Array.from({ length: 9 }, () => user))
  const pages = await Array.fromAsync(entryPages({ threads }, ada, turn, { recorded: true }))
  assert.deepEqual(
    pages.map((page) => page.map(({ seq }) => seq)),
    [[2], [4, 5], []],
  )
  const range = { upTo: 6, limit: 500, maxBytes: 4 * 1024 * 1024, recorded: true }
  assert.deepEqual(
    ranges,
    [1, 3, 5].map((after) => ({ after, ...range })),
  )
})

test('of a turn that has not begun there is nothing; one that runs is read to the end', async () => {
  const { threads, ranges } = threadOf([user])
  assert.deepEqual(await entriesOf({ threads }, ada, { id: 't', threadId: 'h' }), [])
  assert.deepEqual(ranges, [])
  assert.equal((await entriesOf({ threads }, ada, { id: 't', threadId: 'h', firstSeq: 1 })).length, 1)
})

const big = 'x'.repeat(32 * 1024 * 1024)
const heavy: readonly Item[] = [
  textMessage('user', big),
  { type: 'message', role: 'user', content: [{ type: 'image', url: big }] },
  { type: 'reasoning', text: big },
  { type: 'summary', text: big, upTo: 1 },
  { type: 'call', callId: 'c', name: 'read', args: big },
  { type: 'gate', callId: 'c', kind: 'output', name: 'read', args: big, prompt: '' },
  { type: 'result', callId: 'c', output: big },
  { type: 'answer', callId: 'c', decision: 'output', output: big, by: 'ada' },
]
for (const item of heavy) {
  const kind = item.type === 'message' ? item.content[0]?.type : item.type
  test(`64 MiB of items can be read together, and not a character more: ${kind}`, async () => {
    const whole = { id: 't', threadId: 'h', firstSeq: 1 }
    const small: Item = { type: 'attempt', callId: 'c' }
    const { threads } = threadOf([item, item, small, small])
    assert.equal((await entriesOf({ threads }, ada, whole)).length, 3)
    const beyond = threadOf([item, item, small, { type: 'reasoning', text: 'x' }])
    await rejectsWith(entriesOf({ threads: beyond.threads }, ada, whole), 'too_large')
  })
}

test('an entry without its texts keeps all that is no text', () => {
  const bare = (item: Item): Item => withoutTexts({ seq: 1, id: 'i', turnId: 't', at: 0, item }).item
  const result: Item = { type: 'result', callId: 'c', output: 'x', error: true, hosts: ['a.example'] }
  const items: readonly [item: Item, expected: object][] = [
    [user, { content: [] }],
    [result, { output: '' }],
    [{ type: 'call', callId: 'c', name: 'read', args: '{}' }, { args: '' }],
    [{ type: 'reasoning', text: 'hm' }, { text: '' }],
    [{ type: 'attempt', callId: 'c' }, {}],
    [{ type: 'answer', callId: 'c', decision: 'deny', output: 'no', by: 'ada' }, {}],
  ]
  for (const [item, expected] of items) assert.deepEqual(bare(item), { ...item, ...expected })
})
