// The bounds of a read: which items fit, where it ends, and what comes behind. Each job is answered by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AppError } from '#core/errors.ts'
import { userId } from '#core/ids.ts'
import type { HistoryPart } from '#core/thread-store.ts'
import type { Row } from '#store/sql.ts'
import { findItems, readQueued, readRange } from '#store/thread-range.ts'
import { drive } from './drive.ts'
import { say, turnOf } from './harness.ts'
import { openMemoryStore } from './memory-store.ts'

const mebibyte = 1024 * 1024
const body = JSON.stringify({ type: 'message', role: 'user', content: [] })
const ada = userId('ada')

const entryRow = (seq: number): Row => ({ seq, id: `i${seq}`, turn_id: 't', at: 0, body, asked: null })
/** Reads a thread whose items have these sizes. Returns the seqs that were read, and whether there are more. */
function seqsOf(
  sizes: readonly number[],
  { limit = 10, maxBytes = 100, after = 0 } = {},
): [seqs: number[], more: boolean] {
  const { result } = drive(readRange('h', { after, limit, maxBytes }), ({ sql, values }) => {
    const [, from, to, most] = values.map(Number)
    const rows = sizes.map((bytes, at) => ({ seq: at + 1, bytes: String(bytes) }))
    const inside = rows.filter(({ seq }) => seq >= (from ?? 0) && seq <= (to ?? 0))
    return sql.includes('LIMIT') ? inside.slice(0, most) : inside.map(({ seq }) => entryRow(seq))
  })
  return [result.entries.map(({ seq }) => seq), result.more]
}

const ranges: readonly [name: string, found: [number[], boolean], seqs: number[], more: boolean][] = [
  ['an empty thread', seqsOf([]), [], false],
  ['all of it', seqsOf([1, 1, 1], { limit: 3 }), [1, 2, 3], false],
  ['one less than there are', seqsOf([1, 1, 1], { limit: 2 }), [1, 2], true],
  ['exactly the bytes', seqsOf([40, 60, 1]), [1, 2], true],
  ['one byte more than fit', seqsOf([40, 61]), [1], true],
  ['a first item that is too large', seqsOf([500, 1]), [1], true],
  ['a last item that is too large', seqsOf([500]), [1], false],
  ['what is behind an item', seqsOf([1, 1, 1], { after: 1 }), [2, 3], false],
  ['nothing behind the last one', seqsOf([1, 1], { after: 2 }), [], false],
]
for (const [name, found, seqs, more] of ranges) {
  test(`reads ${name}`, () => assert.deepEqual(found, [seqs, more]))
}

test('without a bound of its own a read has 8 MiB', () => {
  for (const [second, read] of [
    [4 * mebibyte, 2],
    [4 * mebibyte + 1, 1],
  ] as const) {
    const { result } = drive(readRange('h', { after: 0, limit: 5 }), ({ sql, values }) =>
      sql.includes('LIMIT')
        ? [
            { seq: 1, bytes: 4 * mebibyte },
            { seq: 2, bytes: second },
          ]
        : [1, 2].filter((seq) => seq <= Number(values[2])).map(entryRow),
    )
    assert.equal(result.entries.length, read)
  }
})

test('queued messages end before the one that would be too much, and the first one comes anyway', () => {
  const input = JSON.stringify([{ id: 'd', item: JSON.parse(body) as object }])
  const queued = (sizes: readonly number[]): string[] => {
    const { result } = drive(readQueued(ada, 'h', { limit: 9, maxBytes: 100 }), ({ sql }) =>
      sql.startsWith('SELECT input') ? [{ input }] : sizes.map((bytes, at) => ({ id: `t${at}`, created_at: 5, bytes })),
    )
    for (const { at } of result) assert.equal(at, 5)
    return result.map(({ turnId }) => turnId)
  }
  assert.deepEqual(queued([]), [])
  assert.deepEqual(queued([40, 60]), ['t0', 't1'])
  assert.deepEqual(queued([40, 61, 1]), ['t0'])
  assert.deepEqual(queued([500, 1]), ['t0'])
})

test('items are looked up behind the first 32 and then among them, and together have at most 32 MiB', () => {
  const find = (bytes: number, where: 'seq > 32' | 'seq <= 32' | 'none') =>
    drive(
      findItems(ada, [
        { threadId: 'h', itemId: 'a' },
        { threadId: 'h', itemId: 'b' },
      ]),
      ({ sql }) => {
        if (!sql.includes('items.id = ?')) return [entryRow(7)]
        return sql.includes(where) ? [{ seq: 7, bytes }] : []
      },
    )
  const half = 16 * mebibyte
  assert.equal(find(half, 'seq > 32').result.length, 2)
  assert.equal(find(half, 'seq <= 32').result.length, 2)
  assert.deepEqual(find(half, 'none').result, [])
  assert.throws(
    () => find(half + 1, 'seq > 32'),
    ({ code, param }: AppError) => code === 'too_large' && param === 'input',
  )
})

test('long items are read one after another, each in a turn of the event loop to itself', async () => {
  const store = openMemoryStore()
  const { turn } = await store.turns.start(turnOf({ input: [say('a'.repeat(600_000))] }))
  let turns = 0
  let timer = setImmediate(function count() {
    turns++
    timer = setImmediate(count)
  })
  const read = () => store.threads.entries(ada, turn.threadId, { after: 0, limit: 9 })
  const all = await Promise.all(Array.from({ length: 10 }, read))
  clearImmediate(timer)
  for (const { entries, more } of all) assert.deepEqual([entries.length, more], [1, false])
  assert.ok(turns >= 9, `${turns} turns`)
})

test('a long history is read in parts', async () => {
  const store = openMemoryStore()
  const { turn } = await store.turns.start(turnOf({ input: [1, 2, 3].map((n) => say(`${n}`.repeat(3_000_000))) }))
  const sizes: number[] = []
  for (let after = 0, more = true; more; ) {
    const part: HistoryPart = await store.threads.history(turn, after)
    assert.equal(part.after, after)
    sizes.push(part.items.length)
    after += part.items.length
    more = part.more === true
  }
  assert.deepEqual(sizes, [1, 1, 1])
})
