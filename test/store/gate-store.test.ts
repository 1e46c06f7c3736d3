// What is left of a turn that is ended from outside, and how much a list of gates reads.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Item } from '#core/item.ts'
import { answeredGates, openGates } from '#store/gate-store.ts'
import { type Job, query, type Row, type Sql } from '#store/sql.ts'
import { createTurnStore } from '#store/turn-store.ts'
import { drive } from './drive.ts'
import { ada, call, decide, gate, lease, queuedTurn, rejectsWith, step, turnOf } from './harness.ts'
import { openMemorySqlite } from './memory-store.ts'

test('a running turn that is ended from outside holds no money any more', async (t) => {
  const sql = openMemorySqlite()
  t.after(() => sql.close())
  const turns = createTurnStore({ sql, now: () => 1 })
  const { turn } = await turns.start(turnOf())
  await turns.reserve(turn, lease, { usd: 1, cap: 2 })
  const held = async (): Promise<unknown> =>
    (await sql.read(() => query('SELECT reserved_usd FROM turns WHERE id = ?', turn.id)))[0]?.['reserved_usd']
  assert.equal(await held(), 1)
  await turns.end(ada, turn.id, { code: 'time_limit', message: 'it took too long' })
  assert.equal(await held(), null)
})

test('of a message that is cancelled in the queue nothing is kept', async (t) => {
  const sql = openMemorySqlite()
  t.after(() => sql.close())
  const turns = createTurnStore({ sql, now: () => 1 })
  const { turn } = await turns.start(queuedTurn())
  const kept = async (): Promise<boolean> =>
    (await sql.read(() => query('SELECT input FROM turns WHERE id = ?', turn.id)))[0]?.['input'] !== null
  assert.equal(await kept(), true)
  await turns.cancel(ada, turn.id)
  assert.equal(await kept(), false)
})

/** A store of turns, and the most rows that a statement of a read has had. */
function countingReads(t: TestContext) {
  const sql = openMemorySqlite()
  t.after(() => sql.close())
  let most = 0
  function* counted<T>(job: Job<T>): Job<T> {
    let at = job.next()
    while (!at.done) {
      const rows = yield at.value
      most = Math.max(most, rows.length)
      at = job.next(rows)
    }
    return at.value
  }
  const turns = createTurnStore({ sql: { ...sql, read: (job) => sql.read(() => counted(job())) }, now: () => 1 })
  return { turns, most: () => most }
}

test('the answered gates of a turn are read without those of later turns of its thread', async (t) => {
  const { turns, most } = countingReads(t)
  const asked = (ids: readonly string[]) => ids.flatMap((id) => [call(id), gate(id, 'approval'), decide(id)])
  const { turn } = await turns.start(turnOf())
  await turns.record(turn, lease, step(asked(['a']), { status: 'completed' }))
  const later = await turns.start(turnOf({ threadId: turn.threadId }))
  const ids = Array.from({ length: 50 }, (_, at) => `c${at}`)
  await turns.record(later.turn, lease, step(asked(ids), { status: 'completed' }))
  const answered = await turns.answeredGates(ada, { turnId: turn.id, since: 0, limit: 9 })
  assert.deepEqual([answered.map(({ gate: { callId } }) => callId), most()], [['a'], 2])
})

test('to tell a closed gate from an unknown one, no more than one row is read of many gates', async (t) => {
  const { turns, most } = countingReads(t)
  const { turn } = await turns.start(turnOf())
  const ids = Array.from({ length: 50 }, (_, at) => `c${at}`)
  const items = ids.flatMap((id) => [call(id), gate(id, 'approval'), decide(id)])
  await turns.record(turn, lease, step(items, { status: 'completed' }))
  await rejectsWith(turns.answer(ada, turn.threadId, decide('c7')), 'gate_closed')
  await rejectsWith(turns.answer(ada, turn.threadId, decide('c')), 'not_found')
  assert.equal(most(), 1)
})

/** Runs a job on a turn at gates whose items have so many characters, each answered if `answered`. */
function driven<T>(job: Job<T>, sizes: readonly number[], answered = false): T {
  const items: Item[] = sizes.flatMap((_, at) => [gate(`c${at}`, 'approval').item, decide(`c${at}`).item])
  const rows = items.map((item, at): Row => {
    const body = JSON.stringify(item)
    const size = sizes[at / 2] ?? 0
    return { thread_id: 'h', seq: at + 1, id: `i${at}`, turn_id: 't', at: 5, asked: null, body: body.padEnd(size) }
  })
  const kept = answered ? rows : rows.filter((_, at) => at % 2 === 0)
  const turn = { id: 't', thread_id: 'h', user_id: ada, door: 'web', status: 'waiting', created_at: 1, first_seq: 1 }
  return drive(job, ({ sql, values }) => {
    if (sql.includes('FROM turns')) return [turn]
    if (sql.includes('AND seq = ?')) return kept.filter(({ seq }) => seq === values[1])
    return kept.map((row) => ({ ...row, body: String(row['body']).slice(0, 300) }))
  }).result
}

test('a list of gates ends once it has read more than 8 MiB', async () => {
  const half = 4 * 1024 * 1024
  const open = async (...sizes: number[]): Promise<number> => {
    const read: Sql['read'] = (job) => Promise.resolve(driven(job(), sizes))
    return (await openGates({ read }, ada, { limit: 9 })).length
  }
  assert.deepEqual([await open(half, half, 1), await open(half, half + 1, 1), await open(3 * half, 1)], [3, 2, 1])
  const answered = (...sizes: number[]): number =>
    driven(answeredGates(ada, { since: 0, limit: 9 }), sizes.toReversed(), true).length
  assert.deepEqual([answered(half, half, 1), answered(half, half + 1, 1), answered(3 * half, 1)], [3, 2, 1])
})

test('a gate is listed once, and only while its turn goes on, if the turn changes while the list is read', async (t) => {
  const sql = openMemorySqlite()
  t.after(() => sql.close())
  const turns = createTurnStore({ sql, now: () => 1 })
  const { turn } = await turns.start(turnOf())
  const drafts = [call('a1'), call('a2'), gate('a1', 'approval'), gate('a2', 'approval')]
  await turns.record(turn, lease, step(drafts, { status: 'waiting' }))
  /** How many gates are listed if something happens after the first statement, as another process may on PostgreSQL. */
  const listedWhile = async (happens: () => Promise<unknown>): Promise<number> => {
    let asked = 0
    const read: Sql['read'] = async (job) => {
      const found = await sql.read(job)
      if (++asked === 1) await happens()
      return found
    }
    return (await openGates({ read }, ada, { limit: 9 })).length
  }
  assert.equal(await listedWhile(() => turns.answer(ada, turn.threadId, decide('a1'))), 1)
  assert.equal(await listedWhile(() => turns.claim(lease, 1)), 1)
  assert.equal(await listedWhile(() => turns.end(ada, turn.id)), 0)
})
