// What was used, added up: figures, a day each for the chart, and by door, model and user.
import type { Door } from '#doors/web/wire/turn.ts'
import type { DayUsage, UsageTotals } from '#doors/web/wire/usage.ts'
import { sameDoor } from './doors.ts'

const dayMs = 24 * 60 * 60 * 1000
/** So many models have a colour of their own; the rest is "other". */
const maxNamed = 3

/** A cost is null where nobody knows any of it. */
export type Sum = { readonly name: string; readonly turns: number; readonly cost: number | null }
export type DoorSum = Omit<Sum, 'name'> & { readonly door: Door | null }

export type Day = {
  /** Of UTC, as the service counts. */
  readonly date: string
  readonly total: number
  /** In the order of the models. */
  readonly parts: readonly number[]
}

export type Activity = {
  /** What the chart measures: tokens where nothing had a price. */
  readonly measure: 'cost' | 'tokens'
  readonly today: number
  readonly total: number
  /** The same number of days before, null when nothing was used then. */
  readonly before: number | null
  readonly read: number
  readonly written: number
  readonly turns: number
  readonly failed: number
  readonly stopped: number
  /** Some of it has no known price. */
  readonly unknown: boolean
  /** Of the chart, its legend and its table: at most four, the last may be "other". */
  readonly models: readonly { readonly name: string; readonly total: number }[]
  readonly days: readonly Day[]
  readonly byDoor: readonly DoorSum[]
  readonly byModel: readonly Sum[]
  readonly byUser: readonly Sum[]
}

type Used = { readonly days: readonly DayUsage[]; readonly totals: UsageTotals; readonly span: number }

/** Adds up what was read; a day that has begun since stands in the chart already. */
export function activityOf({ days: rows, totals, span }: Used, now: number): Activity {
  const dates = Array.from({ length: span }, (_, at) => dateOf(now - (span - 1 - at) * dayMs))
  const first = dates[0] ?? ''
  const recent = rows.filter(({ date }) => date >= first)
  const total = costOf(recent)
  const measure = total > 0 || recent.length === 0 ? 'cost' : 'tokens'
  const worth = (list: readonly DayUsage[]): number => (measure === 'cost' ? costOf(list) : tokensOf(list))
  const byModel = sumsBy(recent, ({ model }) => model)
  const ranked = byModel.map(({ name }) => name)
  const named = ranked.length > maxNamed + 1 ? ranked.slice(0, maxNamed) : ranked
  const groups = named.map((name) => ({ name, rows: recent.filter(({ model }) => model === name) }))
  if (named.length < ranked.length) {
    groups.push({ name: 'other', rows: recent.filter(({ model }) => !named.includes(model)) })
  }
  return {
    measure,
    today: costOf(recent.filter(({ date }) => date === dates.at(-1))),
    total,
    before: totals.before_usd,
    read: recent.reduce((sum, { input_tokens }) => sum + input_tokens, 0),
    written: recent.reduce((sum, { output_tokens }) => sum + output_tokens, 0),
    turns: recent.reduce((sum, { turns }) => sum + turns, 0),
    failed: totals.failed,
    stopped: totals.cancelled,
    unknown: recent.some(({ cost_usd }) => cost_usd === null),
    models: groups.map(({ name, rows }) => ({ name, total: worth(rows) })),
    days: dates.map((date) => {
      const parts = groups.map(({ rows }) => worth(rows.filter((row) => row.date === date)))
      return { date, parts, total: parts.reduce((sum, part) => sum + part, 0) }
    }),
    byDoor: doorsOf(totals),
    byModel,
    byUser: sumsBy(recent, ({ user = '' }) => user),
  }
}

/** A step that reads well, so that four of them reach the top. */
export function niceStep(most: number): number {
  const raw = most / 4
  if (raw <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(raw))
  return ([1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((each) => each * power >= raw) ?? 10) * power
}

function sumsBy(rows: readonly DayUsage[], nameOf: (row: DayUsage) => string): Sum[] {
  return [...Map.groupBy(rows, nameOf)]
    .map(([name, list]) => ({
      name,
      turns: list.reduce((sum, { turns }) => sum + turns, 0),
      tokens: tokensOf(list),
      cost: list.every(({ cost_usd }) => cost_usd === null) ? null : costOf(list),
    }))
    .sort((a, b) => (b.cost ?? 0) - (a.cost ?? 0) || b.tokens - a.tokens)
}

/** Doors with one label are added up. The door that cost most comes first, what has none last. */
function doorsOf({ doors }: UsageTotals): DoorSum[] {
  return [...Map.groupBy(doors, ({ door }) => door && sameDoor(door))]
    .map(([door, list]) => ({
      door,
      turns: list.reduce((sum, { turns }) => sum + turns, 0),
      cost: list.every(({ cost_usd }) => cost_usd === null) ? null : costOf(list),
    }))
    .sort(
      (a, b) => Number(a.door === null) - Number(b.door === null) || (b.cost ?? 0) - (a.cost ?? 0) || b.turns - a.turns,
    )
}

function costOf(rows: readonly Pick<DayUsage, 'cost_usd'>[]): number {
  return rows.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0)
}

function tokensOf(rows: readonly DayUsage[]): number {
  return rows.reduce((sum, row) => sum + row.input_tokens + row.output_tokens, 0)
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
