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
  unpriced_calls: cost_usd === null ? 2 : 0,
})

const totals = { before_usd: null, before_unpriced_calls: 0, failed: 0, cancelled: 0, doors: [], missions: [] }
const used = (days: ReturnType<typeof row>[], over: Partial<UsageTotals> = {}) =>
  activityOf({ days, totals: { ...totals, ...over }, span: 7 }, now)

test('the door that cost most comes first, the terminal with and without its screen is one', () => {
  const { byDoor } = used([], {
    doors: [
      { door: null, turns: 9, cost_usd: 9, unpriced_calls: 0 },
      { door: 'web', turns: 1, cost_usd: null, unpriced_calls: 1 },
      { door: 'run', turns: 2, cost_usd: 1, unpriced_calls: 0 },
      { door: 'webhook', turns: 3, cost_usd: 2.5, unpriced_calls: 0 },
      { door: 'terminal', turns: 4, cost_usd: 2, unpriced_calls: 0 },
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
    {
      today: { usd: 1, unpriced: 0 },
      total: { usd: 3, unpriced: 0 },
      before: { usd: 4, unpriced: 0 },
      turns: 2,
      read: 200,
      written: 20,
    },
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

test('turns that asked no model are counted, and have no bar', () => {
  const none = { ...row('2026-11-15', '', 0, 0), output_tokens: 0 }
  const { turns, models, byModel } = used([row('2026-11-15', 'a', 1), none])
  assert.equal(turns, 2)
  assert.deepEqual(
    models.map(({ name }) => name),
    ['a'],
  )
  assert.deepEqual(
    byModel.map(({ name, turns }) => [name, turns]),
    [
      ['a', 1],
      ['', 1],
    ],
  )
})

test('where nothing has a price the chart measures tokens', () => {
  const free = used([row('2026-11-15', 'local', 0, 500)])
  assert.deepEqual([free.measure, free.days.at(-1)?.total, free.total.unpriced], ['tokens', 510, 0])
})

test('a sum knows how many of its calls have no known price', () => {
  const { measure, today, total, byModel, models, days } = used([
    row('2026-11-15', 'a', 1),
    row('2026-11-15', 'b', null),
    row('2026-11-14', 'b', null),
  ])
  assert.deepEqual([measure, today, total], ['cost', { usd: 1, unpriced: 2 }, { usd: 1, unpriced: 4 }])
  const sums = byModel.map(({ name, cost, unpriced }) => [name, cost, unpriced])
  assert.deepEqual(sums, [
    ['a', 1, 0],
    ['b', null, 4],
  ])
  assert.deepEqual(
    models.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    [
      { name: 'a', total: 1, unpriced: 0 },
      { name: 'b', total: 0, unpriced: 4 },
    ],
  )
  assert.deepEqual(
    days.slice(-2).map((day) => day.unpriced),
    [2, 2],
  )
})

test('days before of which nothing is known are not days without use', () => {
  assert.equal(used([]).before, undefined)
  assert.deepEqual(used([], { before_unpriced_calls: 3 }).before, { usd: 0, unpriced: 3 })
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

test('a span without use measures costs, and begins with its first day', () => {
  const none = used([row('2026-11-08', 'a', 1)])
  assert.deepEqual([none.measure, none.total.usd, none.turns, none.models], ['cost', 0, 0, []])
  assert.deepEqual([none.days.length, none.days[0]?.date, none.days.at(-1)?.date], [7, '2026-11-09', '2026-11-15'])
  const { failed, stopped, before } = used([], { before_usd: 2, failed: 3, cancelled: 4 })
  assert.deepEqual([failed, stopped, before], [3, 4, { usd: 2, unpriced: 0 }])
})

test('models of one price are ranked by their tokens, users by what they cost', () => {
  const { byModel, models, days } = used([
    row('2026-11-15', 'small', null, 10),
    row('2026-11-14', 'large', null, 100),
    row('2026-11-15', 'large', null, 100),
  ])
  assert.deepEqual(byModel, [
    { name: 'large', turns: 2, tokens: 220, cost: null, unpriced: 4 },
    { name: 'small', turns: 1, tokens: 20, cost: null, unpriced: 2 },
  ])
  assert.deepEqual(models, [
    { name: 'large', total: 220, unpriced: 4 },
    { name: 'small', total: 20, unpriced: 2 },
  ])
  const parts = [
    { value: 110, unpriced: 2 },
    { value: 20, unpriced: 2 },
  ]
  assert.deepEqual(days.at(-1), { date: '2026-11-15', parts, total: 130, unpriced: 4 })
  const { byUser, total } = used([
    { ...row('2026-11-15', 'a', 1), user: 'ada' } as ReturnType<typeof row>,
    { ...row('2026-11-15', 'a', null), user: 'bob' } as ReturnType<typeof row>,
    { ...row('2026-11-15', 'a', 3), user: 'bob' } as ReturnType<typeof row>,
    row('2026-11-15', 'a', 2),
  ])
  assert.deepEqual(
    byUser.map(({ name, turns, cost }) => [name, turns, cost]),
    [
      ['bob', 2, 3],
      ['', 1, 2],
      ['ada', 1, 1],
    ],
  )
  assert.equal(total.unpriced, 2)
})

test('doors of one cost are ranked by their turns', () => {
  const { byDoor } = used([], {
    doors: [
      { door: 'web', turns: 1, cost_usd: null, unpriced_calls: 1 },
      { door: 'run', turns: 1, cost_usd: null, unpriced_calls: 1 },
      { door: 'terminal', turns: 4, cost_usd: 0.5, unpriced_calls: 0 },
      { door: null, turns: 9, cost_usd: null, unpriced_calls: 1 },
      { door: 'webhook', turns: 2, cost_usd: null, unpriced_calls: 1 },
      { door: 'responses', turns: 1, cost_usd: 1, unpriced_calls: 0 },
    ],
  })
  assert.deepEqual(
    byDoor.map(({ door, cost }) => [door, cost]),
    [
      ['responses', 1],
      ['terminal', 0.5],
      ['webhook', null],
      ['web', null],
      [null, null],
    ],
  )
})

test('each round step is used where it is the first to reach', () => {
  for (const step of [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]) {
    assert.ok(Math.abs(niceStep(step * 4) - step) < 1e-9, String(step))
    assert.ok(Math.abs(niceStep(step * 40) - step * 10) < 1e-9, String(step))
  }
  assert.equal(niceStep(-1), 1)
})

test('missions are told by name, with their runs as turns', () => {
  const mission = { id: 'm', title: 'News', runs: 3, cost_usd: 0.5, unpriced_runs: 1 }
  const { byMission } = used([], { missions: [mission] })
  assert.deepEqual(byMission, [{ id: 'm', name: 'News', turns: 3, cost: 0.5, unpriced: 1 }])
})
