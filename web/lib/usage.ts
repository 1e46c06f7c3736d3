// Sums usage for the Activity page: totals, days of the chart, and by door, model and user. Pure.
import type { Door } from '#doors/web/wire/turn.ts'
import type { DayUsage, UsageTotals } from '#doors/web/wire/usage.ts'
import { sameDoor } from './doors.ts'

const dayMs = 24 * 60 * 60 * 1000
/** Models with a colour of their own; with more than one model left, those are "other". */
const maxNamed = 3

/** The cost is what is known of it, null when nothing is. `unpriced` calls have an unknown price and are not in it. */
export type Sum = {
  readonly name: string
  readonly turns: number
  readonly cost: number | null
  readonly unpriced: number
}
export type DoorSum = Omit<Sum, 'name'> & { readonly door: Door | null }

export type Day = {
  /** In UTC, as the service counts days. */
  readonly date: string
  readonly total: number
  readonly unpriced: number
  /** One per model, in the order of `models`. */
  readonly parts: readonly { readonly value: number; readonly unpriced: number }[]
}

/** The known part of a cost, and the number of calls with an unknown price, which are not in it. */
export type Cost = { readonly usd: number; readonly unpriced: number }

export type Activity = {
  /** The measure of the chart: tokens if nothing had a price. */
  readonly measure: 'cost' | 'tokens'
  readonly today: Cost
  readonly total: Cost
  /** Cost of the same number of days before; undefined when nothing was used then. */
  readonly before: Cost | undefined
  readonly read: number
  readonly written: number
  readonly turns: number
  readonly failed: number
  readonly stopped: number
  /** Models of the chart, its legend and its table: at most four; the last may be "other". */
  readonly models: readonly { readonly name: string; readonly total: number; readonly unpriced: number }[]
  readonly days: readonly Day[]
  readonly byDoor: readonly DoorSum[]
  readonly byModel: readonly Sum[]
  readonly byUser: readonly Sum[]
  /** The reader's own missions; a turn is a run. */
  readonly byMission: readonly (Sum & { readonly id: string })[]
}

type Used = { readonly days: readonly DayUsage[]; readonly totals: UsageTotals; readonly span: number }

/** Sums the rows. The chart ends today, even if the rows were read yesterday. */
export function activityOf({ days: rows, totals, span }: Used, now: number): Activity {
  const dates = Array.from({ length: span }, (_, at) => dateOf(now - (span - 1 - at) * dayMs))
  const first = dates[0] ?? ''
  const recent = rows.filter(({ date }) => date >= first)
  const total = costOf(recent)
  const measure = total > 0 || recent.length === 0 ? 'cost' : 'tokens'
  const worth = (list: readonly DayUsage[]): number => (measure === 'cost' ? costOf(list) : tokensOf(list))
  const byModel = sumsBy(recent, ({ model }) => model)
  // Turns that asked no model have no name there, and nothing to draw.
  const ranked = byModel.flatMap(({ name }) => name || [])
  const named = ranked.length > maxNamed + 1 ? ranked.slice(0, maxNamed) : ranked
  const groups = named.map((name) => ({ name, rows: recent.filter(({ model }) => model === name) }))
  if (named.length < ranked.length) {
    groups.push({ name: 'other', rows: recent.filter(({ model }) => !named.includes(model)) })
  }
  return {
    measure,
    today: sumOf(recent.filter(({ date }) => date === dates.at(-1))),
    total: sumOf(recent),
    before: beforeIn(totals),
    read: recent.reduce((sum, { input_tokens }) => sum + input_tokens, 0),
    written: recent.reduce((sum, { output_tokens }) => sum + output_tokens, 0),
    turns: turnsIn(recent),
    failed: totals.failed,
    stopped: totals.cancelled,
    models: groups.map(({ name, rows }) => ({ name, total: worth(rows), unpriced: unpricedIn(rows) })),
    days: dates.map((date) => {
      const parts = groups.map(({ rows }) => {
        const ofDay = rows.filter((row) => row.date === date)
        return { value: worth(ofDay), unpriced: unpricedIn(ofDay) }
      })
      const total = parts.reduce((sum, { value }) => sum + value, 0)
      return { date, parts, total, unpriced: parts.reduce((sum, { unpriced }) => sum + unpriced, 0) }
    }),
    byDoor: doorsOf(totals),
    byModel,
    byUser: sumsBy(recent, ({ user = '' }) => user),
    byMission: totals.missions.map(({ id, title, runs, cost_usd, unpriced_runs }) => ({
      id,
      name: title,
      turns: runs,
      cost: cost_usd,
      unpriced: unpriced_runs,
    })),
  }
}

/** A round step for the chart's axis: four of them reach `max`. */
export function niceStep(max: number): number {
  const raw = max / 4
  if (raw <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(raw))
  return ([1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((each) => each * power >= raw) ?? 10) * power
}

function sumsBy(rows: readonly DayUsage[], nameOf: (row: DayUsage) => string): Sum[] {
  return [...Map.groupBy(rows, nameOf)]
    .map(([name, list]) => ({ name, tokens: tokensOf(list), ...totalsOf(list) }))
    .sort((a, b) => (b.cost ?? 0) - (a.cost ?? 0) || b.tokens - a.tokens)
}

/** Sums doors with one label. The most expensive door comes first, usage without a door last. */
function doorsOf({ doors }: UsageTotals): DoorSum[] {
  return [...Map.groupBy(doors, ({ door }) => door && sameDoor(door))]
    .map(([door, list]) => ({ door, ...totalsOf(list) }))
    .sort(
      (a, b) => Number(a.door === null) - Number(b.door === null) || (b.cost ?? 0) - (a.cost ?? 0) || b.turns - a.turns,
    )
}

function totalsOf(rows: readonly (Priced & Pick<DayUsage, 'turns'>)[]): Omit<Sum, 'name'> {
  const cost = rows.every(({ cost_usd }) => cost_usd === null) ? null : costOf(rows)
  return { turns: turnsIn(rows), cost, unpriced: unpricedIn(rows) }
}

function beforeIn({ before_usd, before_unpriced_calls: unpriced }: UsageTotals): Cost | undefined {
  return before_usd === null && unpriced === 0 ? undefined : { usd: before_usd ?? 0, unpriced }
}

type Priced = Pick<DayUsage, 'cost_usd' | 'unpriced_calls'>

function sumOf(rows: readonly Priced[]): Cost {
  return { usd: costOf(rows), unpriced: unpricedIn(rows) }
}

function turnsIn(rows: readonly Pick<DayUsage, 'turns'>[]): number {
  return rows.reduce((sum, { turns }) => sum + turns, 0)
}

function unpricedIn(rows: readonly Priced[]): number {
  return rows.reduce((sum, { unpriced_calls }) => sum + unpriced_calls, 0)
}

function costOf(rows: readonly Pick<Priced, 'cost_usd'>[]): number {
  return rows.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0)
}

function tokensOf(rows: readonly DayUsage[]): number {
  return rows.reduce((sum, row) => sum + row.input_tokens + row.output_tokens, 0)
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
