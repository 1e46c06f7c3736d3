// The digest of a turn: over all its entries and no other, and without a read where they are known.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDigest, digestOf } from '#core/digest.ts'
import { type Entry, textMessage } from '#core/item.ts'
import { noUsage, type Turn } from '#core/turn.ts'
import { beginDigest, digestInPace, endDigest, readDigest } from '#store/turn-digest.ts'
import { createTurnStore } from '#store/turn-store.ts'
import { drive } from './drive.ts'
import { ada, lease, reply, step, turnOf } from './harness.ts'
import { openMemorySqlite } from './memory-store.ts'

const turn: Turn = {
  id: 't',
  threadId: 'h',
  userId: ada,
  door: 'web',
  status: 'running',
  options: {},
  createdAt: 0,
  usage: noUsage,
  firstSeq: 3,
}
const entry = (seq: number, turnId = 't'): Entry => ({
  seq,
  id: `i${seq}`,
  turnId,
  at: 9,
  item: textMessage('assistant', `text ${seq}`),
})
const entries = (from: number, to: number): Entry[] =>
  Array.from({ length: to - from + 1 }, (_, at) => entry(from + at))

const mebibyte = 1024 * 1024

/** The digest in a thread with these entries, and the number of statements for it. */
function digested(
  stored: readonly Entry[],
  last: readonly Entry[],
  known?: Parameters<typeof beginDigest>[1],
  bytes = 1,
) {
  const { result, asked } = drive(beginDigest(turn, known), ({ sql, values }) => {
    const [, from = 0, to = 0, limit] = values.map(Number)
    const found = stored
      .filter(({ seq }) => seq >= from && seq <= to)
      .slice(0, sql.includes('LIMIT') ? limit : undefined)
    return found.map(({ seq, id, turnId, at, item }) => ({
      seq,
      id,
      turn_id: turnId,
      at,
      asked: null,
      bytes,
      body: JSON.stringify(item),
    }))
  })
  return { hash: result && endDigest(turn, result, last), statements: asked.length }
}

test('nothing is read where the entries before and the last ones are all of the turn', () => {
  const known = { earlier: entries(3, 4), lastSeq: 4 }
  const whole = { hash: digestOf(entries(3, 5)), statements: 0 }
  assert.deepEqual(digested([], entries(5, 5), known), whole)
  assert.deepEqual(digested([], [], known), { hash: digestOf(entries(3, 4)), statements: 0 }, 'without last ones')
  const before = createDigest()
  before.add(known.earlier)
  for (const again of ['by what was digested before', 'also when the transaction is run again'])
    assert.deepEqual(digested([], entries(5, 5), { ...known, before }), whole, again)
})

test('a gap in what is known is read: others answer gates meanwhile', () => {
  const whole = digestOf(entries(3, 6))
  for (const [earlier, lastSeq] of [
    [entries(3, 4), 5],
    [entries(4, 5), 5],
    [[], 5],
  ] as const) {
    const { hash, statements } = digested(entries(1, 5), entries(6, 6), { earlier, lastSeq })
    assert.equal(hash, whole, `${earlier.length} up to ${lastSeq}`)
    assert.ok(statements > 0)
  }
})

test('entries of other turns are left out', () => {
  const stored = entries(1, 400).map((each) => (each.seq % 3 === 0 ? entry(each.seq, 'other') : each))
  const own = stored.filter(({ seq, turnId }) => seq >= 3 && turnId === 't')
  assert.equal(digested(stored, []).hash, digestOf(own))
})

test('of a turn with many or long entries the transaction reads only the sizes', () => {
  const unread = { hash: undefined, statements: 1 }
  assert.deepEqual(digested(entries(1, 1_100), []), unread)
  assert.deepEqual(digested(entries(1, 4), [], {}, mebibyte), unread)
  assert.deepEqual(digested(entries(1, 3), [], {}, mebibyte), unread, 'a long one by itself')
})

test('what was read before the transaction is not read again', () => {
  const digest = createDigest()
  digest.add(entries(3, 900))
  const read = { digest, upTo: 900 }
  for (const again of ['once', 'when the transaction is run again']) {
    const { hash } = digested(entries(901, 902), entries(903, 903), { read })
    assert.equal(hash, digestOf(entries(3, 903)), again)
  }
})

test('entries are read before the transaction where the last read ended, those of other turns left out', async () => {
  const sql = openMemorySqlite()
  const turns = createTurnStore({ sql, now: () => 1 })
  const { turn: first, entries: said } = await turns.start(turnOf())
  const { entries: begun } = await turns.record(first, lease, step([reply('a'), reply('b')]))
  const early = await readDigest(sql, first)
  const { entries: ended } = await turns.record(first, lease, step([reply('c')], { status: 'completed' }))
  await turns.start(turnOf({ threadId: first.threadId }))
  const { digest } = await readDigest(sql, first, early)
  assert.equal(digest.hex(), digestOf([...said, ...begun, ...ended]))
})

test('a turn without entries has none', () => {
  const { firstSeq: _, ...queued } = turn
  const { result, asked } = drive(beginDigest(queued), () => [])
  assert.deepEqual([result && endDigest(queued, result, []), asked], [null, []])
})

test('a digest with pauses is the same', async () => {
  const long = [...entries(1, 2), { ...entry(3), item: textMessage('user', 'x'.repeat(300_000)) }]
  assert.equal((await digestInPace(long)).hex(), digestOf(long))
})
