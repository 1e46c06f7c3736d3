// Points of replay chains by hand: how far back a history is looked up, and what an answer is hashed of.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Entry, textMessage } from '#core/item.ts'
import { pointAfter } from '#core/replay-chain.ts'
import type { Step } from '#core/turn-store.ts'
import { noUsage, type Turn } from '#core/turn.ts'
import { findPoint, pointBehind } from '#store/chain-points.ts'
import type { Row } from '#store/sql.ts'
import { drive } from './drive.ts'
import { ada, reply, step } from './harness.ts'

const known = 'k'.repeat(43)
const key = 'k'.repeat(22)
const unknown = (count: number): string[] => Array.from({ length: count }, (_, at) => `unknown ${at}`)

/** Finds a history in a database with one thread, whose first turn has the point `known`; `end` is the row behind it. */
function find(hashes: readonly string[], end: Row[] = [{ seq: '9' }]) {
  const { result } = drive(findPoint(ada, hashes), ({ sql, values }) => {
    if (sql.startsWith('WITH history')) return [{ at: values.includes(key) ? values.indexOf(key) : null }]
    if (sql.includes('last_seq AS seq FROM turns'))
      return values[1] === key ? [{ thread_id: 'h', turn_id: 't', seq: '2' }] : []
    return sql.includes('last_seq + 1') ? end : []
  })
  return result
}

test('a history is looked up by its last 64 hashes, and by the beginnings of them', () => {
  const found = { threadId: 'h', turnId: 't', seq: 2, latest: true, hash: known }
  assert.deepEqual(find([known]), found)
  assert.deepEqual(find([...unknown(63), known]), { ...found, forkAt: 9 })
  assert.equal(find([...unknown(64), known]), undefined)
  assert.equal(find(unknown(3)), undefined)
  assert.equal(find([]), undefined)
})

test('a thread that is erased meanwhile is forked right behind the point, where the fork finds it gone', () => {
  assert.equal(find(['unknown', known], [])?.forkAt, 3)
})

const turn: Turn = {
  id: 't',
  threadId: 'h',
  userId: ada,
  door: 'responses',
  status: 'running',
  options: { inputs: 2 },
  createdAt: 0,
  usage: noUsage,
  firstSeq: 3,
}
const entry = (seq: number, text: string, turnId = 't'): Entry => ({
  seq,
  id: `i${seq}`,
  turnId,
  at: 0,
  item: textMessage('assistant', text),
})
const behind = (...texts: string[]): string =>
  pointAfter(
    'x',
    texts.map((text) => reply(text).item),
  ).slice(0, 22)

/** The point behind a step, in a thread with these entries; and the seq from which it read, if it did. */
function point(asking: Turn, next: Step, stored: readonly Entry[] = []) {
  const { result, asked } = drive(pointBehind(asking, 'x', next), ({ values }) => {
    const [, from, to, of] = values
    const found = stored.filter(({ seq, turnId }) => seq >= Number(from) && seq <= Number(to) && turnId === of)
    return found.map(({ seq, id, turnId, at, item }) => {
      return { seq, id, turn_id: turnId, at, asked: null, body: JSON.stringify(item) }
    })
  })
  return [result, asked[0]?.values[1]]
}

test('the answer of a turn is all that it made behind its input, read only where it is not known', () => {
  const completed = step([reply('two')], { status: 'completed' })
  const earlier = [entry(3, 'input'), entry(4, 'input'), entry(5, 'one')]
  assert.deepEqual(point(turn, { ...completed, earlier }), [behind('one', 'two'), undefined])
  const stored = [...earlier, entry(6, 'of another', 'u')]
  assert.deepEqual(point(turn, completed, stored), [behind('one', 'two'), 5])
  assert.deepEqual(point(turn, { ...completed, earlier: earlier.slice(1) }, stored), [behind('one', 'two'), 5])
  assert.deepEqual(point({ ...turn, options: {} }, completed, stored), [behind('input', 'one', 'two'), 4])
})

test('a turn that was stopped before its first word has no point, and one after it has', () => {
  const cancelled = { status: 'cancelled' } as const
  assert.deepEqual(point(turn, step([], cancelled)), [null, 5])
  assert.deepEqual(point(turn, step([reply('half')], cancelled)), [behind('half'), 5])
  assert.deepEqual(point(turn, step([], { status: 'completed' })), [behind(), 5], 'an empty answer is one')
})
