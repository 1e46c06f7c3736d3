// Reads a schedule as people write it. Knows nothing of clocks: a time of day stays a time of day, a date a date.
import { maxScheduleChars } from '#core/page-limits.ts'

/** A day and a time of day on the wall, without a zone. */
export type WallTime = {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
}

export type TimeOfDay = Pick<WallTime, 'hour' | 'minute'>

/** A schedule as its text says it. */
export type ScheduleText =
  /** Five-field cron patterns; each instant of any of them counts. */
  | { readonly type: 'cron'; readonly patterns: readonly string[] }
  /** A time span, or a number of days at the same time of day. With `repeats`, again and again. */
  | { readonly type: 'span'; readonly ms: number; readonly repeats: boolean }
  | { readonly type: 'days'; readonly days: number; readonly repeats: boolean }
  | { readonly type: 'date'; readonly at: WallTime }
  | { readonly type: 'instant'; readonly at: number }
  /** The next time of day: on any day, on the day after today, or on a day of the week (0 is Sunday). */
  | { readonly type: 'next'; readonly time: TimeOfDay; readonly on: 'any' | 'today' | 'tomorrow' | number }

/** Examples for the message about a text that cannot. */
export const scheduleForms =
  'every 2h · every 15 minutes · in 30m · at 2027-01-05 09:00 · daily at 9am · weekdays at 08:30 · mondays and fridays at 18:00 · monthly on the 1st at 7:00 · 0 9 * * 1-5 · @hourly, @daily, @weekly, @monthly · 2027-01-05T09:00:00Z'

const maxTimes = 24
const minRepeatMs = 60_000
/** Longer spans are slips of the finger. */
const maxSpanMs = 100 * 365 * 86_400_000

export const dayNames = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const
export const monthNames = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
] as const

const macros: ReadonlyMap<string, string> = new Map([
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
  ['hourly', '0 * * * *'],
])

/** Reads a schedule; a string tells why it cannot be read. */
export function readText(given: string): ScheduleText | string {
  if (given.length > maxScheduleChars) return `a schedule has at most ${maxScheduleChars} characters`
  const text = given.trim().replace(/\s+/g, ' ').toLowerCase()
  const pattern = macros.get(text)
  if (pattern !== undefined) return { type: 'cron', patterns: [pattern] }
  return readCron(text) ?? readInstant(given.trim()) ?? readSpan(text) ?? readDays(text) ?? 'it cannot be read'
}

const cronField = /^(\*|[a-z]{3}|\d{1,2}|\d{0,2}[lw])(-([a-z]{3}|\d{1,2}))?(#(\d|l))?(\/\d{1,2})?$/

function readCron(text: string): ScheduleText | string | undefined {
  const fields = text.split(' ')
  if (
    fields.length < 5 ||
    !/^[\d*]/.test(text) ||
    !fields.every((field) => field.split(',').every((part) => cronField.test(part)))
  )
    return undefined
  if (fields.length > 5)
    return 'a cron pattern has five fields (minute hour day month weekday), without seconds or years'
  return { type: 'cron', patterns: [text] }
}

const instant = /^(?:at )?(\d{4}-\d\d-\d\dt\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:z|[+-]\d\d:?\d\d))$/i
const date = /^(?:at |on )?(\d{4})-(\d\d)-(\d\d)(?:t| at | )(.+)$/i

function readInstant(text: string): ScheduleText | string | undefined {
  const whole = instant.exec(text)?.[1]
  if (whole !== undefined) {
    const at = Date.parse(whole)
    return Number.isNaN(at) ? `${whole} is no date` : { type: 'instant', at }
  }
  const found = date.exec(text)
  if (!found) return undefined
  const [year, month, day] = [Number(found[1]), Number(found[2]), Number(found[3])]
  const seconds = /^(\d\d:\d\d):(\d\d)(?:\.0+)?$/.exec(found[4] ?? '')
  const time = readTime(seconds?.[1] ?? found[4]?.toLowerCase() ?? '')
  const second = Number(seconds?.[2] ?? 0)
  if (!time || second > 59) return undefined
  if (typeof time === 'string') return time
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate()
  if (month < 1 || month > 12 || day < 1 || day > last) return `there is no ${found[1]}-${found[2]}-${found[3]}`
  return { type: 'date', at: { year, month, day, ...time, second } }
}

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }
const spanPart =
  /^(\d{1,9}|an?|one|two|three|half(?: an?)?)? ?(seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|hr|h|days?|d|weeks?|w)(?: and |, | |(?=\d)|$)/
const words: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  half: 0.5,
  'half a': 0.5,
  'half an': 0.5,
}

function readSpan(text: string): ScheduleText | string | undefined {
  const found = /^(every|each|in) (.+)$/.exec(text)
  if (!found) return undefined
  const repeats = found[1] !== 'in'
  let [rest, ms, wholeDays] = [found[2] ?? '', 0, true]
  while (rest !== '') {
    const part = spanPart.exec(rest)
    // Only a repeated unit stands without its number: "every hour".
    if (!part || (part[1] === undefined && !(repeats && rest === found[2]))) return undefined
    const unit = part[2]?.[0] ?? ''
    const amount = part[1] === undefined ? 1 : (words[part[1]] ?? Number(part[1]))
    ms += amount * (units[unit] ?? 0)
    wholeDays &&= 'dw'.includes(unit) && Number.isInteger(amount)
    rest = rest.slice(part[0].length)
  }
  if (ms > maxSpanMs) return 'that is too far away'
  if (ms === 0) return 'that is no time at all'
  if (repeats && ms < minRepeatMs) return 'the shortest rhythm is one minute'
  return wholeDays ? { type: 'days', days: ms / 86_400_000, repeats } : { type: 'span', ms, repeats }
}

/** "weekdays at 08:30" and "at 08:30 on weekdays". */
function readDays(text: string): ScheduleText | string | undefined {
  const turned =
    /^at ((?:[\d:]+ ?(?:am|pm)?|noon|midnight)(?:(?:, | and )(?:[\d:]+ ?(?:am|pm)?|noon|midnight))*)(?: (.+))?$/.exec(
      text,
    )
  const split = turned ? undefined : /^(.+?) at (.+)$/.exec(text)
  const days = turned ? (turned[2] ?? '') : split?.[1]
  const times = readTimes(turned?.[1] ?? split?.[2] ?? '')
  if (days === undefined || !times) return undefined
  const on = days === '' ? 'any' : nextDay(days)
  const repeated = on === undefined ? dayFields(days) : undefined
  if (on === undefined && repeated === undefined) return undefined
  if (typeof times === 'string') return times
  if (times.length > maxTimes) return `a schedule has at most ${maxTimes} times of day`
  if (on !== undefined) {
    const [time] = times
    return time && times.length === 1 ? { type: 'next', time, on } : 'a single day takes a single time'
  }
  if (typeof repeated !== 'object') return repeated
  return { type: 'cron', patterns: patternsOf(times, repeated) }
}

/** The last three fields of a cron pattern. */
type DayFields = { readonly day: string; readonly month: string; readonly weekday: string }

const everyDay: DayFields = { day: '*', month: '*', weekday: '*' }

/** A pattern for each time: where the clocks change, a time of day comes once, and each moment of a rhythm that is there. */
function patternsOf(times: readonly TimeOfDay[], { day, month, weekday }: DayFields): string[] {
  const patterns = times.map(({ hour, minute }) => `${minute} ${hour} ${day} ${month} ${weekday}`)
  return [...new Set(patterns)]
}

/** A day that comes once: "tomorrow", "on friday". */
function nextDay(text: string): 'today' | 'tomorrow' | number | undefined {
  if (text === 'today' || text === 'tomorrow') return text
  const name = /^(?:on |next |this )?([a-z]+)$/.exec(text)?.[1] ?? ''
  const day = dayNames.findIndex((each) => each === name)
  return day < 0 ? undefined : day
}

/** The days of a rhythm; a string tells which of them there is none of. */
function dayFields(text: string): DayFields | string | undefined {
  const days = text.replace(/^(every|each|on) /, '')
  if (/^(daily|days?)$/.test(days)) return everyDay
  if (/^weekdays?$/.test(days)) return { ...everyDay, weekday: '1-5' }
  if (/^weekends?$/.test(days)) return { ...everyDay, weekday: '0,6' }
  const monthly =
    /^(?:monthly|month) on (?:the )?(.+)$/.exec(days)?.[1] ??
    /^(?:the )?(.+) of (?:every|each|the) month$/.exec(days)?.[1]
  if (monthly !== undefined) return monthDays(monthly)
  const yearly = /^(?:yearly|year) on (?:the )?(.+)$/.exec(days)?.[1]
  if (yearly !== undefined) return yearDay(yearly)
  const list = days.replace(/^(weekly|week) on /, '').split(/(?:, ?and |, ?| and | & )/)
  const numbers = list.map((name) => dayNumber(name))
  if (numbers.includes(-1)) return undefined
  return { ...everyDay, weekday: [...new Set(numbers)].sort((a, b) => a - b).join(',') }
}

function dayNumber(text: string): number {
  const name = text.replace(/^(every|on) /, '')
  return dayNames.findIndex((each) => name === each || name === `${each}s` || name === each.slice(0, 3))
}

function monthDays(text: string): DayFields | string | undefined {
  const list = text.split(/(?:, ?and |, ?| and )/).map((each) => each.replace(/^the /, ''))
  const days = list.map((each) => (/^last( day)?$/.test(each) ? 'l' : /^(\d{1,2})(?:st|nd|rd|th|\.)?$/.exec(each)?.[1]))
  if (days.includes(undefined)) return undefined
  const wrong = days.find((day) => day !== 'l' && (Number(day) < 1 || Number(day) > 31))
  return wrong === undefined ? { ...everyDay, day: [...new Set(days)].join(',') } : `no month has a day ${wrong}`
}

function yearDay(text: string): DayFields | string | undefined {
  const found =
    /^(\d{1,2})(?:st|nd|rd|th|\.)? (?:of )?([a-z]+)$/.exec(text) ??
    /^([a-z]+) (?:the )?(\d{1,2})(?:st|nd|rd|th)?$/.exec(text)
  const [day, name] = /^\d/.test(text) ? [found?.[1], found?.[2]] : [found?.[2], found?.[1]]
  const month = monthNames.findIndex((each) => each === name || each.slice(0, 3) === name)
  if (day === undefined || month < 0) return undefined
  // Of a leap year: 29 February comes, if seldom.
  const last = new Date(Date.UTC(2024, month + 1, 0)).getUTCDate()
  if (Number(day) < 1 || Number(day) > last) return `${monthNames[month]} has the days 1 to ${last}`
  return { day: String(Number(day)), month: String(month + 1), weekday: '*' }
}

/** Times of day; a string tells which of them there is none of. */
function readTimes(text: string): TimeOfDay[] | string | undefined {
  const times: TimeOfDay[] = []
  let wrong: string | undefined
  for (const each of text.split(/(?:, ?and |, ?| and )/)) {
    const time = readTime(each)
    if (time === undefined) return undefined
    if (typeof time === 'string') wrong ??= time
    else times.push(time)
  }
  return wrong ?? times
}

/** "9am", "9:30 pm", "08:30", "18", "noon", "midnight". */
function readTime(text: string): TimeOfDay | string | undefined {
  if (text === 'noon') return { hour: 12, minute: 0 }
  if (text === 'midnight') return { hour: 0, minute: 0 }
  const found = /^(\d{1,2})(?::(\d\d))? ?(am|pm)?$/.exec(text)
  if (!found) return undefined
  const [hour, minute, half] = [Number(found[1]), Number(found[2] ?? 0), found[3]]
  if (half && (hour < 1 || hour > 12)) return `there is no ${text}: hours before am and pm are 1 to 12`
  if (minute > 59 || (!half && hour > 23)) return `there is no ${text}: hours are 0 to 23, minutes 0 to 59`
  return { hour: half ? (hour % 12) + (half === 'pm' ? 12 : 0) : hour, minute }
}
