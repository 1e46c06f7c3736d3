// What was used, added up.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UsageTotals } from '#doors/web/wire/usage.ts'
import { activityOf, niceStep } from '../../../web/lib/usage.ts'

const now = Date.parse('2026-11-15T12:00:00Z')
const row = (date: string, model: string, cost_usd: number | null, tokens = 100) => ({
  date,
  model,
  turns: 1,
  input_tokens: tokens,
  cached_tokens: 0,
  output_tokens: 10,
  cost_usd,
})

const totals = { before_usd: null, failed: 0, cancelled: 0, doors: [] }
const used = (days: ReturnType<typeof row>[], over: Partial<UsageTotals> = {}) =>
  activityOf({ days, totals: { ...totals, ...over }, span: 7 }, now)

test('the door that cost most comes first, the terminal with and without its screen is one', () => {
  const { byDoor } = used([], {
    doors: [
      { door: null, turns: 9, cost_usd: 9 },
      { door: 'web', turns: 1, cost_usd: null },
      { door: 'run', turns: 2, cost_usd: 1 },
      { door: 'webhook', turns: 3, cost_usd: 2.5 },
      { door: 'terminal', turns: 4, cost_usd: 2 },
    ],
  })
  assert.deepEqual(
    byDoor.map(({ door, turns, cost }) => [door, turns, cost]),
    [
      ['terminal', 6, 3],
      ['webhook', 3, 2.5],
      ['web', 1, null],
      [null, 9, 9],
    ],
  )
})

test('days without use stand in the chart too, and what came before is compared', () => {
  const rows = [row('2026-11-15', 'a', 1), row('2026-11-09', 'b', 2), row('2026-11-08', 'a', 4)]
  const { days, today, total, before, turns, read, written } = used(rows, { before_usd: 4 })
  assert.deepEqual(
    days.map(({ date, total }) => [date, total]),
    [
      ['2026-11-09', 2],
      ['2026-11-10', 0],
      ['2026-11-11', 0],
      ['2026-11-12', 0],
      ['2026-11-13', 0],
      ['2026-11-14', 0],
      ['2026-11-15', 1],
    ],
  )
  assert.deepEqual(
    { today, total, before, turns, read, written },
    { today: 1, total: 3, before: 4, turns: 2, read: 200, written: 20 },
  )
})

test('four models have a colour each; of five, two share the last', () => {
  const of = (count: number) =>
    used(Array.from({ length: count }, (_, at) => row('2026-11-15', `m${at}`, count - at))).models.map(
      ({ name, total }) => `${name} ${total}`,
    )
  assert.deepEqual(of(4), ['m0 4', 'm1 3', 'm2 2', 'm3 1'])
  assert.deepEqual(of(5), ['m0 5', 'm1 4', 'm2 3', 'other 3'])
})

test('where nothing has a price the chart measures tokens', () => {
  const free = used([row('2026-11-15', 'local', 0, 500)])
  assert.deepEqual([free.measure, free.days.at(-1)?.total, free.unknown], ['tokens', 510, false])
  const unknown = used([row('2026-11-15', 'a', 1), row('2026-11-15', 'b', null)])
  assert.deepEqual([unknown.measure, unknown.total, unknown.unknown], ['cost', 1, true])
  assert.deepEqual(
    unknown.byModel.map(({ name, cost }) => [name, cost]),
    [
      ['a', 1],
      ['b', null],
    ],
  )
})

test('four steps of the axis reach the highest bar, in round figures', () => {
  for (const [most, step] of [
    [0, 1],
    [1.67, 0.5],
    [2, 0.5],
    [2.19, 0.6],
    [0.021, 0.006],
    [12, 3],
    [390, 100],
  ] as const) {
    assert.ok(Math.abs(niceStep(most) - step) < 1e-9, `${most}: ${niceStep(most)}`)
    assert.ok(4 * niceStep(most) >= most)
  }
})
