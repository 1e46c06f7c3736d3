// Schedules in words: what was understood, and the next runs in their zone.
import { countWords, listWords } from '#core/words.ts'
import { dayNames, monthNames } from './schedule-text.ts'
import { type Rule, type Schedule, wallTime } from './schedule.ts'

/** A schedule in words, with the next runs: "Weekdays at 08:30, Europe/Zurich. Next: Tue 17 Nov 2026 08:30; …". */
export function understood(schedule: Schedule, runs: readonly number[], paused = false): string {
  const next = runs.map((at) => instantWords(at, schedule.zone)).join('; ')
  const none = paused ? 'No run while it is paused' : 'No further run'
  return `${ruleWords(schedule)}, ${schedule.zone}. ${next === '' ? none : `Next: ${next}`}.`
}

/** An instant in a zone: "Tue 17 Nov 2026 08:30". */
export function instantWords(at: number, zone: string): string {
  const { year, month, day, hour, minute } = wallTime(at, zone)
  const name = dayNames[new Date(Date.UTC(year, month - 1, day)).getUTCDay()]
  return `${short(name)} ${day} ${short(monthNames[month - 1])} ${year} ${clock(hour, minute)}`
}

/** A rule in words, without its zone. */
function ruleWords({ rule, zone, from }: Schedule): string {
  switch (rule.type) {
    case 'once':
      return `Once, on ${instantWords(rule.at, zone)}`
    case 'every':
      return `Every ${spanWords(rule.ms)}`
    case 'days': {
      const { hour, minute } = wallTime(from, zone)
      return `Every ${rule.days === 1 ? 'day' : `${rule.days} days`} at ${clock(hour, minute)}`
    }
    case 'cron':
      return patternWords(rule)
    default:
      return rule satisfies never
  }
}

type Fields = {
  readonly minutes: readonly number[]
  readonly hours: readonly number[]
  readonly days: readonly number[]
  readonly lastDay: boolean
  readonly months: readonly number[]
  readonly weekdays: readonly number[]
}

/** More times of day than this are told as a rhythm. */
const maxTimes = 6

function patternWords({ patterns }: Extract<Rule, { type: 'cron' }>): string {
  const read = patterns.map(fieldsOf)
  const [fields] = read
  if (!fields || read.includes(undefined)) return `By the pattern ${patterns.join(' or ')}`
  const times = read.flatMap((each) =>
    each && each.minutes.length * each.hours.length <= maxTimes
      ? each.hours.flatMap((hour) => each.minutes.map((minute) => clock(hour, minute)))
      : [],
  )
  if (times.length > 0)
    return `${capital(daysWords(fields) || 'every day')} at ${listWords(times.sort(), 'and')}${monthsWords(fields)}`
  const days = daysWords(fields)
  return `${capital(rhythmWords(fields))}${days === '' ? '' : `, ${days}`}${monthsWords(fields)}`
}

/** "every 15 minutes from 09:00 to 17:59". */
function rhythmWords({ minutes, hours }: Fields): string {
  const step = stepOf(minutes, 60)
  const often =
    minutes.length === 60
      ? 'every minute'
      : step !== undefined
        ? `every ${step} minutes`
        : minutes.length === 1 && minutes[0] === 0
          ? 'every hour'
          : `at minute ${listWords(minutes.map(String), 'and')}${hours.length === 24 ? ' of every hour' : ''}`
  if (hours.length === 24) return often
  const [first = 0, last = 0] = [hours[0], hours.at(-1)]
  const unbroken = last - first === hours.length - 1
  if (unbroken) return `${often} from ${clock(first, 0)} to ${clock(last, 59)}`
  const every = stepOf(hours, 24)
  if (often === 'every hour' && every !== undefined) return `every ${every} hours`
  return `${often} in the hours ${listWords(hours.map(String), 'and')}`
}

/** "weekdays", "Mondays and Fridays", "on the 1st of each month"; empty for every day. */
function daysWords({ days, lastDay, weekdays, months }: Fields): string {
  const dates = days.map(ordinal).concat(lastDay ? ['last day'] : [])
  const everyDate = days.length === 31
  const on = everyDate ? '' : `on the ${listWords(dates, 'and')}${months.length === 12 ? ' of each month' : ''}`
  if (weekdays.length === 7) return on
  return on === '' ? weekdayWords(weekdays) : `${on} and ${weekdayWords(weekdays)}`
}

function weekdayWords(weekdays: readonly number[]): string {
  const all = weekdays.join()
  if (all === '1,2,3,4,5') return 'weekdays'
  if (all === '0,6') return 'weekends'
  return listWords(
    [...weekdays].sort((a, b) => ((a + 6) % 7) - ((b + 6) % 7)).map((day) => `${capital(dayNames[day] ?? '')}s`),
    'and',
  )
}

function monthsWords({ months }: Fields): string {
  return months.length === 12
    ? ''
    : ` in ${listWords(
        months.map((month) => capital(monthNames[month - 1] ?? '')),
        'and',
      )}`
}

/** The values of each field; undefined for a pattern with marks that have no words here. */
function fieldsOf(pattern: string): Fields | undefined {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = pattern.split(' ')
  const dates = day.split(',').filter((each) => each !== 'l')
  const fields = {
    minutes: valuesOf(minute, 0, 59),
    hours: valuesOf(hour, 0, 23),
    days: dates.length === 0 ? [] : valuesOf(dates.join(','), 1, 31),
    months: valuesOf(named(month, monthNames, 1), 1, 12),
    weekdays: valuesOf(named(weekday, dayNames, 0), 0, 7),
  }
  const { minutes, hours, days, months, weekdays } = fields
  if (!minutes || !hours || !days || !months || !weekdays) return undefined
  const week = [...new Set(weekdays.map((each) => each % 7))].sort((a, b) => a - b)
  return { minutes, hours, days, months, weekdays: week, lastDay: day.split(',').includes('l') }
}

function named(field: string, names: readonly string[], base: number): string {
  return field.replace(/[a-z]{3}/g, (name) => {
    const found = names.findIndex((each) => each.startsWith(name))
    return found < 0 ? name : String(found + base)
  })
}

function valuesOf(field: string, min: number, max: number): number[] | undefined {
  const values = new Set<number>()
  for (const part of field.split(',')) {
    const found = /^(?:\*|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/.exec(part)
    if (!found) return undefined
    const first = Number(found[1] ?? min)
    const last = found[1] === undefined ? max : Number(found[2] ?? first)
    for (let value = first; value <= last; value += Number(found[3] ?? 1)) values.add(value)
  }
  return [...values].sort((a, b) => a - b)
}

/** The step of values that divide a whole evenly from 0; undefined if they do not. */
function stepOf(values: readonly number[], whole: number): number | undefined {
  const step = whole / values.length
  return values.length > 1 && values.every((value, index) => value === index * step) ? step : undefined
}

const spanUnits = [
  ['week', 604_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

/** "2 hours", "1 hour 30 minutes"; a single unit stands without its number. */
function spanWords(ms: number): string {
  const parts: string[] = []
  let [rest, single] = [ms, '']
  for (const [name, size] of spanUnits) {
    const amount = Math.floor(rest / size)
    rest -= amount * size
    if (amount === 0) continue
    single = amount === 1 ? name : ''
    parts.push(countWords(amount, name))
  }
  return parts.length === 1 && single !== '' ? single : parts.join(' ')
}

/** The ordinal of a day of a month. */
function ordinal(value: number): string {
  const mark = value > 10 && value < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][value % 10] ?? 'th')
  return `${value}${mark}`
}

function clock(hour: number, minute: number): string {
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

function short(name = ''): string {
  return capital(name.slice(0, 3))
}
