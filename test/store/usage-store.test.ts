// The rows that usage is counted in: their slots are stored, so they never change.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '#core/ids.ts'
import type { Step } from '#core/turn-store.ts'
import { noUsage, type Turn } from '#core/turn.ts'
import { createMissionStore } from '#store/mission-store.ts'
import { countUsage, createUsageStore } from '#store/usage-store.ts'
import { drive } from './drive.ts'
import { ada, dayMs, reply, step } from './harness.ts'
import { openMemorySqlite } from './memory-store.ts'

const turn: Turn = {
  id: '01a1dd12-355e-7ac1-804f-d4086f3c9d1c',
  threadId: 'h',
  userId: ada,
  door: 'web',
  status: 'running',
  options: {},
  createdAt: 0,
  usage: noUsage,
}
const call = (model: string) => ({ model, usage: { ...noUsage, inputTokens: 5, costUsd: 0.5 }, ms: 1 })
const asked = (model: string) => ({ ...reply('x'), asked: call(model) })

/** The calls that a step counts: user, day, model, slot and turns of each. */
function counted(next: Step): unknown[] {
  const { asked: statements } = drive(countUsage(turn, next, 3 * dayMs + 1), () => [])
  return statements.map(({ values }) => values.slice(0, 5))
}

test('a turn counts in one of the sixteen slots of its door, by the last digit of its id, and once', () => {
  assert.deepEqual(counted({ ...step([asked('m'), reply('y'), asked('n')]), first: true }), [
    [ada, 3, 'm', 3 * 16 + 12, 1],
    [ada, 3, 'n', 3 * 16 + 12, 0],
  ])
  assert.deepEqual(counted(step([asked('m')])), [[ada, 3, 'm', 60, 0]], 'a later step counts no turn')
  assert.deepEqual(counted(step([reply('y')])), [])
})

test('a model call that left no item is counted, behind those that did', () => {
  assert.deepEqual(counted({ ...step([]), asked: call('lost'), first: true }), [[ada, 3, 'lost', 60, 1]])
  const models = counted({ ...step([asked('m')]), asked: call('lost') }).map((row) => (row as string[])[2])
  assert.deepEqual(models, ['m', 'lost'])
})

test('a turn whose first call failed without output counts under that model; its cost may be unknown', () => {
  const failing = (costUsd: number | null) => ({
    ...step([]),
    first: true as const,
    usage: { ...noUsage, costUsd, model: 'm' },
  })
  assert.deepEqual(counted(failing(0)), [[ada, 3, 'm', 60, 1]])
  const unpriced = (costUsd: number | null) =>
    drive(countUsage(turn, failing(costUsd), 0), () => []).asked[0]?.values.slice(-2)
  assert.deepEqual(unpriced(0.5), [0, 0], 'what was spent before is counted already')
  assert.deepEqual(unpriced(null), [null, 1])
})

test('what is used beside a turn counts in the first slot of its door, and no turn', async (t) => {
  const sql = openMemorySqlite()
  t.after(() => sql.close())
  const usage = createUsageStore({ sql, now: () => 3 * dayMs })
  for (const door of ['terminal', 'telegram'] as const) await usage.add(ada, door, call('m'))
  const rows = sql.db.prepare('SELECT day, slot, turns FROM usage ORDER BY slot').all()
  assert.deepEqual(
    rows.map(({ day, slot, turns }) => [day, slot, turns]),
    [
      [3, 16, 0],
      [3, 128, 0],
    ],
  )
})

test('usage is read day by day beside the event loop, that of a clock which was ahead with the newest day', async (t) => {
  const sql = openMemorySqlite()
  t.after(() => sql.close())
  let day = 0
  const usage = createUsageStore({ sql, now: () => day * dayMs })
  for (day of [3, 4, 8, 500]) await usage.add(ada, 'terminal', call('m'))
  day = 10
  t.mock.method(sql, 'read', () => Promise.reject(new Error('on the event loop')))
  const days = (await usage.list(undefined, 7)).map(({ date }) => Date.parse(date) / dayMs)
  assert.deepEqual(days, [500, 8, 4])
  assert.equal((await usage.totals(ada, 7)).doors.length, 1)
  const missions = createMissionStore({ sql, now: () => day * dayMs, nextId: newId })
  assert.deepEqual(await missions.costs(ada, 366), [])
})

test('all days together have 20,000 rows at most, the newest first', async (t) => {
  const sql = openMemorySqlite()
  t.after(() => sql.close())
  sql.db.exec(
    `WITH RECURSIVE n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 23_999)
     INSERT INTO usage (user_id, day, model, slot, turns, input_tokens, cached_tokens, output_tokens, reasoning_tokens)
     SELECT 'u' || n, n % 2, 'm', 0, 0, 0, 0, 0, 0 FROM n`,
  )
  const usage = createUsageStore({ sql, now: () => dayMs })
  const dates = (await usage.list(undefined, 2)).map(({ date }) => Date.parse(date) / dayMs)
  assert.deepEqual([dates.length, dates.indexOf(0)], [20_000, 12_000])
})
