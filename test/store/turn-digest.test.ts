// The digest of a turn: over all its entries and no other, and without a read where they are known.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDigest, digestOf } from '#core/digest.ts'
import { type Entry, textMessage } from '#core/item.ts'
import { noUsage, type Turn } from '#core/turn.ts'
import { digestInPace, digestOfTurn } from '#store/turn-digest.ts'
import { drive } from './drive.ts'
import { ada } from './harness.ts'

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

/** The digest in a thread with these entries, and the number of statements for it. */
function digested(stored: readonly Entry[], last: readonly Entry[], known?: Parameters<typeof digestOfTurn>[2]) {
  const { result, asked } = drive(digestOfTurn(turn, last, known), ({ sql, values }) => {
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
      bytes: 1,
      body: JSON.stringify(item),
    }))
  })
  return { hash: result, statements: asked.length }
}

test('nothing is read where the entries before and the last ones are all of the turn', () => {
  const known = { earlier: entries(3, 4) }
  const whole = { hash: digestOf(entries(3, 5)), statements: 0 }
  assert.deepEqual(digested([], entries(5, 5), known), whole)
  const before = createDigest()
  before.add(known.earlier)
  assert.deepEqual(digested([], entries(5, 5), { ...known, before }), whole, 'by what was digested before')
})

test('a gap in what is known is read: others answer gates meanwhile', () => {
  const stored = entries(1, 6)
  const whole = digestOf(entries(3, 6))
  for (const [earlier, last] of [
    [entries(3, 4), entries(6, 6)],
    [entries(4, 4), entries(5, 6)],
    [entries(3, 4), []],
    [[], []],
  ] as const) {
    const { hash, statements } = digested(stored, last, { earlier })
    assert.equal(hash, whole, `${earlier.length} and ${last.length}`)
    assert.ok(statements > 0)
  }
})

test('entries of other turns are left out, and a long turn is read page by page', () => {
  const stored = entries(1, 1_100).map((each) => (each.seq % 3 === 0 ? entry(each.seq, 'other') : each))
  const own = stored.filter(({ seq, turnId }) => seq >= 3 && turnId === 't')
  assert.equal(digested(stored, []).hash, digestOf(own))
})

test('a turn without entries has none', () => {
  const { firstSeq: _, ...queued } = turn
  assert.deepEqual(
    drive(digestOfTurn(queued, []), () => []),
    { result: null, asked: [] },
  )
})

test('a digest with pauses is the same', async () => {
  const long = [...entries(1, 2), { ...entry(3), item: textMessage('user', 'x'.repeat(300_000)) }]
  assert.equal((await digestInPace(long)).hex(), digestOf(long))
})
