// Schedules: text to rule, rule to instants. Pure: the same text, zone and start give the same instants everywhere. The
// only file that knows croner.
import { Cron } from 'croner'
import { AppError } from '#core/errors.ts'
import { checkZone } from '#core/zone.ts'
import { dayMs, hourMs } from '#core/time.ts'
import { readText, scheduleForms, type ScheduleText, type WallTime } from './schedule-text.ts'

/** When a schedule comes. */
export type Rule =
  | { readonly type: 'cron'; readonly patterns: readonly string[] }
  /** Counted from the start of the schedule. */
  | { readonly type: 'every'; readonly ms: number }
  /** Every given number of days, at the time of day of the start. */
  | { readonly type: 'days'; readonly days: number }
  | { readonly type: 'once'; readonly at: number }

/** A schedule in force. `from` is when it began: spans are counted from it. */
export type Schedule = { readonly rule: Rule; readonly zone: string; readonly from: number }

/** Instants up to this number are exact, then those of the last `exactMs`; the number between is estimated. */
const maxExact = 1_000
const exactMs = 12 * hourMs
/** A pattern with one minute and one hour. */
const oneTimeOfDay = /^\d+ \d+ /
const wallFields = {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
} as const
/** Instants of one slice: each takes up to half a millisecond. */
const sliceInstants = 50

/** Reads a schedule that begins at an instant. Throws invalid_input with the forms that can be read. */
export function readSchedule(text: string, zone: string, begins: number): Schedule {
  checkZone(zone)
  const from = Math.floor(begins / 1000) * 1000
  const said = readText(text)
  if (typeof said === 'string') throw unreadable(text, said)
  try {
    return { rule: ruleOf(said, zone, from), zone, from }
  } catch (error) {
    throw unreadable(text, error instanceof Error ? error.message.replace(/^Cron\w+: /, '') : 'it cannot be read')
  }
}

/** A stored schedule, or why it cannot be read: it is of a newer version, or its time zone is gone. */
export function storedSchedule(stored: { schedule: string; zone: string; from: number }): Schedule | string {
  try {
    return readSchedule(stored.schedule, stored.zone, stored.from)
  } catch (error) {
    if (error instanceof AppError) return `Its schedule cannot be read: ${error.message}`
    throw error
  }
}

/** The next instants after a time, soonest first; fewer if the schedule ends. */
export function nextRuns(schedule: Schedule, after: number, count = 3): number[] {
  return [...instants(schedule, after).take(count)]
}

/** All instants after a time, soonest first. */
function* instants(schedule: Schedule, after: number): Generator<number, void> {
  const { rule, zone, from } = schedule
  switch (rule.type) {
    case 'once':
      if (rule.at > after) yield rule.at
      return
    case 'every':
      for (let step = Math.max(1, Math.floor((after - from) / rule.ms) + 1); ; step++) yield from + step * rule.ms
    case 'days':
      yield* daysAfter(rule.days, schedule, after)
      return
    case 'cron':
      yield* cronInstants(rule.patterns, zone, after)
      return
    default:
      rule satisfies never
  }
}

/** Each pattern is asked for its next instant only once the one before was given: there may be many of each. */
function* cronInstants(patterns: readonly string[], zone: string, after: number): Generator<number, void> {
  const wallOf = wallClock(zone)
  const sources = patterns.map((pattern) => {
    const next = follow(pattern, zone, wallOf)
    return { next, at: next(after) }
  })
  for (;;) {
    const soonest = Math.min(...sources.map(({ at }) => at))
    if (soonest === Infinity) return
    yield soonest
    for (const source of sources) if (source.at === soonest) source.at = source.next(soonest)
  }
}

/** The next instant of a pattern after a time, or Infinity. */
function follow(pattern: string, zone: string, wallOf: WallClock): (after: number) => number {
  const inZone = open(pattern, zone)
  // Patterns strip milliseconds: an instant within a second is after the second's own.
  if (!oneTimeOfDay.test(pattern)) return (after) => nextOf(inZone, after)
  const onWall = open(pattern, 'UTC')
  return (after) => {
    const next = nextOf(inZone, after)
    if (next === Infinity) return next
    const wall = utcOf(wallOf(after))
    const planned = nextOf(onWall, wall)
    if (planned - wall === next - after) return next
    // Croner leaves out a time that a clock change skips if the gap ends on the next day: it comes at the end, then.
    const nextDay = { ...addDays(wallTime(planned, 'UTC'), 1), hour: 0, minute: 0 }
    const midnight = instantOf(nextDay, zone)
    return utcOf(wallOf(midnight - 1)) < planned ? midnight : next
  }
}

function nextOf(cron: Cron, after: number): number {
  return Number(cron.nextRun(new Date(after)) ?? Infinity)
}

/** Instants from `first`, which is one, up to a time, oldest first; `uncounted` more lie between, of a long time. */
export type PastRuns = { readonly runs: readonly number[]; readonly uncounted: number }

/** In slices: a schedule is walked through instant by instant. */
export function* runsBetween(schedule: Schedule, first: number, upTo: number): Generator<void, PastRuns> {
  const runs = first <= upTo ? [first] : []
  yield* walk(schedule, { from: first, upTo, max: maxExact - 1 }, runs)
  const last = runs.at(-1)
  if (last === undefined || runs.length < maxExact) return { runs, uncounted: 0 }
  const late: number[] = []
  const gapEnd = Math.max(last, upTo - exactMs)
  yield* walk(schedule, { from: gapEnd, upTo, max: Infinity }, late)
  const rhythm = Math.max((last - first) / (maxExact - 1), 1)
  return { runs: [...runs, ...late], uncounted: Math.round((gapEnd - last) / rhythm) }
}

/** The fault of a schedule that never comes. */
export function neverComes(text: string): AppError {
  const message = `${JSON.stringify(text)} never comes: it lies in the past, or there is no such day`
  return new AppError('invalid_input', `${message}. Examples: ${scheduleForms}`, { param: 'schedule' })
}

function unreadable(text: string, why: string): AppError {
  const message = `${JSON.stringify(text.slice(0, 200))}: ${why}. Examples: ${scheduleForms}`
  return new AppError('invalid_input', message, { param: 'schedule' })
}

function ruleOf(said: ScheduleText, zone: string, from: number): Rule {
  switch (said.type) {
    case 'cron':
      for (const pattern of said.patterns) open(pattern, zone)
      return said
    case 'span':
      return said.repeats ? { type: 'every', ms: said.ms } : { type: 'once', at: from + said.ms }
    case 'days':
      if (said.repeats) return { type: 'days', days: said.days }
      return { type: 'once', at: instantOf(addDays(wallTime(from, zone), said.days), zone) }
    case 'date':
      return { type: 'once', at: instantOf(said.at, zone) }
    case 'instant':
      return { type: 'once', at: Math.floor(said.at / 1000) * 1000 }
    case 'next':
      return { type: 'once', at: nextTime(said, zone, from) }
    default:
      return said satisfies never
  }
}

function open(pattern: string, zone: string): Cron {
  return new Cron(pattern, { timezone: zone, paused: true, mode: '5-part' })
}

/** The next time of day after the start, on the day that was named. */
function nextTime({ time, on }: Extract<ScheduleText, { type: 'next' }>, zone: string, from: number): number {
  const today = { ...wallTime(from, zone), ...time, second: 0 }
  for (let days = on === 'tomorrow' ? 1 : 0; days <= 7; days++) {
    const wall = addDays(today, days)
    const at = instantOf(wall, zone)
    const named = typeof on !== 'number' || weekday(wall) === on
    if (on === 'today' || on === 'tomorrow' || (named && at > from)) return at
  }
  throw new Error('there is no such day')
}

function* daysAfter(step: number, { zone, from }: Schedule, after: number): Generator<number, void> {
  const start = wallTime(from, zone)
  // One step earlier than the elapsed days say: days have 23 to 25 hours.
  for (let steps = Math.max(1, Math.floor((after - from) / (step * dayMs)) - 1); ; steps++) {
    const at = instantOf(addDays(start, steps * step), zone)
    if (at > after) yield at
  }
}

/** Adds the instants after a time, up to another time and a number. */
function* walk(
  schedule: Schedule,
  { from, upTo, max }: { from: number; upTo: number; max: number },
  runs: number[],
): Generator<void> {
  for (const at of instants(schedule, from).take(max)) {
    if (at > upTo) return
    if (runs.push(at) % sliceInstants === 0) yield
  }
}

/** The time on the wall in a zone. */
export function wallTime(at: number, zone: string): WallTime {
  return wallClock(zone)(at)
}

type WallClock = (at: number) => WallTime

/** The same for many instants: making a format takes longer than using it. It is made for the first of them. */
function wallClock(zone: string): WallClock {
  let format: Intl.DateTimeFormat | undefined
  return (at) => {
    format ??= new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', ...wallFields })
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
    const of = (type: keyof WallTime): number => parts.get(type) ?? 0
    return {
      year: of('year'),
      month: of('month'),
      day: of('day'),
      hour: of('hour'),
      minute: of('minute'),
      second: of('second'),
    }
  }
}

function addDays(wall: WallTime, days: number): WallTime {
  const date = new Date(Date.UTC(wall.year, wall.month - 1, wall.day + days))
  return { ...wall, year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

/** The time on the wall as if it were one of UTC. */
function utcOf({ year, month, day, hour, minute, second }: WallTime): number {
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

function weekday({ year, month, day }: WallTime): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay()
}

/** The instant of a time on the wall; one that a clock change skips comes later by the change. */
function instantOf({ year, month, day, hour, minute, second }: WallTime, zone: string): number {
  const two = (value: number): string => String(value).padStart(2, '0')
  const text = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}`
  const at = new Cron(text, { timezone: zone, paused: true }).nextRun(new Date(0))
  if (!at) throw new Error('the date lies before 1970')
  return Number(at)
}
