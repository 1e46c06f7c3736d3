// Formats times, prices and messages for the page. Costs, durations, sizes and counts are in src/core/words.ts.
import { costFigure, countWords } from '#core/words.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** `just now`, `12 min ago` up to an hour, then `14:20`, `Yesterday, 18:02`, `9 Nov`, in the reader's time zone. */
export function whenText(at: string | number, now: number): string {
  const date = new Date(at)
  const age = now - date.getTime()
  if (age < minuteMs) return 'just now'
  if (age < hourMs) return `${Math.floor(age / minuteMs)} min ago`
  const days = daysBetween(date, new Date(now))
  if (days <= 0) return clock(date)
  if (days === 1) return `Yesterday, ${clock(date)}`
  return dayText(date, now)
}

/** `whenText` without "ago", for narrow rows. */
export function shortWhen(at: string | number, now: number): string {
  return whenText(at, now).replace(/ ago$/, '')
}

/** The exact time, for tooltips. */
export function exactTime(at: string | number): string {
  return formatted(new Date(at), undefined, { dateStyle: 'medium', timeStyle: 'medium' })
}

/** `9 Nov`, with the year if it is not this one. */
export function dayText(at: Date | string | number, now: number): string {
  const date = new Date(at)
  const year = date.getFullYear() === new Date(now).getFullYear() ? {} : { year: 'numeric' as const }
  return formatted(date, 'en-GB', { day: 'numeric', month: 'short', ...year })
}

/** The heading of a thread's group in the list. */
export function dayGroup(at: string, now: number): string {
  const days = daysBetween(new Date(at), new Date(now))
  if (days <= 0) return 'Today'
  if (days === 1) return 'Yesterday'
  if (days < 7) return 'Last week'
  if (days < 31) return 'Last month'
  return 'Earlier'
}

/** `expires in 58 min`. */
export function leftText(until: string, now: number): string {
  const ms = new Date(until).getTime() - now
  if (ms <= 0) return 'expired'
  if (ms < hourMs) return `expires in ${Math.max(1, Math.round(ms / minuteMs))} min`
  return `expires in ${Math.round(ms / hourMs)} h`
}

/** `14:20 today`, else `9 Nov, 14:20`. */
export function untilText(at: string, now: number): string {
  const date = new Date(at)
  return daysBetween(new Date(now), date) === 0 ? `${clock(date)} today` : `${dayText(date, now)}, ${clock(date)}`
}

/** `untilText` in a time zone; in the reader's where this browser does not know the zone. */
export function untilInZone(at: string, zone: string, now: number): string {
  const format = (options: Intl.DateTimeFormatOptions, time: string | number): string =>
    new Date(time).toLocaleString('en-GB', { timeZone: zone, ...options })
  const day = (time: string | number): string => format({ dateStyle: 'short' }, time)
  try {
    const clock = format({ hour: '2-digit', minute: '2-digit' }, at)
    if (day(at) === day(now)) return `${clock} today`
    const year = day(at).slice(-4) === day(now).slice(-4) ? {} : { year: 'numeric' as const }
    return `${format({ day: 'numeric', month: 'short', ...year }, at)}, ${clock}`
  } catch {
    return untilText(at, now)
  }
}

/** A future time: `14:20 today`, `tomorrow`, `in 12 days`. */
export function aheadText(at: string, now: number): string {
  const days = daysBetween(new Date(now), new Date(at))
  if (days <= 0) return untilText(at, now)
  return days === 1 ? 'tomorrow' : `in ${countWords(days, 'day')}`
}

/** The cost of a turn in the column of costs: empty while nothing was used. */
export function turnCost({ total_tokens, cost_usd }: { total_tokens: number; cost_usd: number | null }): string {
  return total_tokens === 0 && !cost_usd ? '' : costFigure(cost_usd)
}

/** `$3 in, $15 out per M`, `free`, `price unknown`. */
export function priceText({
  input_usd,
  output_usd,
}: Readonly<Record<'input_usd' | 'output_usd', number | null>>): string {
  if (input_usd === null || output_usd === null) return 'price unknown'
  if (input_usd === 0 && output_usd === 0) return 'free'
  return `${shortCost(input_usd)} in, ${shortCost(output_usd)} out per M`
}

/** `$3`, `$1.25`, `$0.075`. */
function shortCost(usd: number): string {
  if (Number.isInteger(usd)) return `$${usd}`
  return `$${Number(usd.toFixed(2)) === usd ? usd.toFixed(2) : usd}`
}

function clock(date: Date): string {
  return formatted(date, 'en-GB', { hour: '2-digit', minute: '2-digit' })
}

/** Formats that were used. Making one takes fifty times as long as using it, and a list of 1,000 rows uses it for each. */
const formats = new Map<string, Intl.DateTimeFormat>()

function formatted(date: Date, locale: string | undefined, options: Intl.DateTimeFormatOptions): string {
  const key = [locale, ...Object.entries(options)].join()
  // A format keeps the time zone that it was made in, and the reader may travel: the offset of the time is added apart.
  const known = formats.get(key) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
  formats.set(key, known)
  return known.format(date.getTime() - date.getTimezoneOffset() * 60_000)
}

/** Calendar days in the reader's time zone, not spans of 24 hours. */
function daysBetween(from: Date, to: Date): number {
  const midnight = (date: Date): number => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()
  return Math.round((midnight(to) - midnight(from)) / (24 * hourMs))
}
