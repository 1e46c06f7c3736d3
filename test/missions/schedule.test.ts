// The language of schedules: what each text means, in words and in instants.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Cron } from 'croner'
import * as fc from 'fast-check'
import { AppError } from '#core/errors.ts'
import { nextRuns, readSchedule, runsBetween } from '#missions/schedule.ts'
import { drained } from '#safety/drained.ts'
import { understood } from '#missions/schedule-words.ts'
import { calendarSchedules } from './calendar-schedules.ts'
import { clockChanges } from './clock-changes.ts'
import { cronSchedules } from './cron-schedules.ts'
import { intervalSchedules } from './interval-schedules.ts'
import { onceSchedules } from './once-schedules.ts'
import { refusedSchedules } from './refused-schedules.ts'

/** A Monday, 09:00 in Zurich. */
const now = Date.parse('2026-11-16T08:00:00Z')
const zone = 'Europe/Zurich'

describe('a schedule', () => {
  for (const [text, words] of [...intervalSchedules, ...onceSchedules, ...calendarSchedules, ...cronSchedules]) {
    it(`${text} is understood`, () => {
      const schedule = readSchedule(text, zone, now)
      assert.equal(understood(schedule, nextRuns(schedule, now)), words)
    })
  }
  for (const [text, why] of refusedSchedules) {
    it(`${text.slice(0, 40)} is refused`, () => {
      assert.throws(
        () => readSchedule(text, zone, now),
        (error) => error instanceof AppError && error.code === 'invalid_input' && error.message.includes(why),
      )
    })
  }
  for (const { text, zone: where, after, runs } of clockChanges) {
    it(`${text} in ${where} after ${after}`, () => {
      const from = Date.parse(after)
      const found = nextRuns(readSchedule(text, where, from), from, runs.length)
      assert.deepEqual(
        found.map((at) => new Date(at).toISOString().replace(':00.000Z', 'Z')),
        runs,
      )
    })
  }
  it('names the forms that can be read when it cannot be read', () => {
    assert.throws(() => readSchedule('whenever', zone, now), /every 2h .* weekdays at 08:30/)
  })
  it('is refused in a zone that does not exist, and by an offset', () => {
    for (const wrong of ['Mars/Base', '+02:00', '', 'x'.repeat(100)])
      assert.throws(() => readSchedule('daily at 9am', wrong, now), /is no time zone/)
  })
  it('never comes on a day that no calendar has', () => {
    for (const text of [
      '0 0 30 2 *',
      '0 0 31 4,6,9,11 *',
      'at 2020-01-01 09:00',
      '2020-01-01T00:00:00Z',
      'today at 8:00',
    ])
      assert.deepEqual(nextRuns(readSchedule(text, zone, now), now), [], text)
  })
})

const number = (max: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constant('*'),
    fc.integer({ min: 0, max }).map(String),
    fc.integer({ min: 2, max: Math.min(max, 30) }).map((step) => `*/${step}`),
    fc
      .tuple(fc.integer({ min: 0, max }), fc.integer({ min: 0, max }))
      .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
  )
const days = fc.oneof(fc.constant('*'), fc.integer({ min: 1, max: 28 }).map(String))
const weekdays = fc.constantFrom('*', '1-5', 'mon', '0,6', 'sun')
const pattern = fc
  .tuple(number(59), number(23), days, fc.constantFrom('*', '1', 'feb', '3,10'), weekdays)
  .map((fields) => fields.join(' '))
const where = fc.constantFrom('UTC', 'Europe/Zurich', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu')
const instant = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2028, 11, 31) })

describe('any schedule', () => {
  it('of a cron pattern comes when croner says', () => {
    const property = fc.property(pattern, where, instant, (text, place, at) => {
      const expected = new Cron(text, { timezone: place, paused: true, mode: '5-part' }).nextRuns(3, new Date(at))
      assert.deepEqual(nextRuns(readSchedule(text, place, at), at), expected.map(Number))
    })
    fc.assert(property, { numRuns: 60 })
  })
  it('gives instants that rise, and the same ones wherever one begins to count', () => {
    const texts = fc.oneof(
      pattern,
      fc.constantFrom('every 7 minutes', 'every 2 days', 'every 36h', 'weekdays at 02:30'),
    )
    const property = fc.property(texts, where, instant, (text, place, at) => {
      const schedule = readSchedule(text, place, at)
      const runs = nextRuns(schedule, at, 4)
      assert.equal(runs.length, 4)
      for (const [index, run] of runs.entries()) {
        assert.ok(run > (runs[index - 1] ?? at))
        assert.deepEqual(nextRuns(schedule, run - 1, 1), [run])
        if (index + 1 < runs.length) assert.deepEqual(nextRuns(schedule, run, 1), [runs[index + 1]])
      }
    })
    fc.assert(property, { numRuns: 40 })
  })
  it('is read or refused, whatever the text', () => {
    const word = fc.constantFrom(
      'every',
      'at',
      'in',
      'on',
      'the',
      'monday',
      'and',
      '9am',
      '1st',
      'month',
      '2h',
      '*',
      '-',
      ',',
    )
    const text = fc.oneof(
      fc.string({ maxLength: 300 }),
      fc.array(word, { maxLength: 12 }).map((words) => words.join(' ')),
    )
    const property = fc.property(text, (given) => {
      try {
        nextRuns(readSchedule(given, zone, now), now)
      } catch (error) {
        assert.ok(error instanceof AppError, `${JSON.stringify(given)}: ${String(error)}`)
      }
    })
    fc.assert(property, { numRuns: 500 })
  })
})

describe('many instants', () => {
  it('of many times of day are found with one format of the zone', (t) => {
    const schedule = readSchedule('daily at 0:05, 2:30, 3:00, 9:30, 18:15 and 23:59', zone, now)
    // Croner keeps a format of its own.
    nextRuns(schedule, now)
    const formats = t.mock.method(Intl, 'DateTimeFormat')
    assert.equal(nextRuns(schedule, now, 200).length, 200)
    assert.equal(formats.mock.callCount(), 1)
  })
})

describe('instants of the past', () => {
  it('are listed from the first up to a time', () => {
    const schedule = readSchedule('every 1h', 'UTC', now)
    const { runs, uncounted } = drained(runsBetween(schedule, now + 3_600_000, now + 5 * 3_600_000))
    assert.deepEqual([runs.length, runs.at(-1), uncounted], [5, now + 5 * 3_600_000, 0])
    assert.deepEqual(drained(runsBetween(schedule, now + 3_600_000, now)), { runs: [], uncounted: 0 })
  })
  it('of a long time are the first and the last ones, and a number of those between', () => {
    const schedule = readSchedule('every 1 minute', 'UTC', now)
    const year = 365 * 86_400_000
    const { runs, uncounted } = drained(runsBetween(schedule, now + 60_000, now + year))
    assert.equal(runs.length + uncounted, year / 60_000)
    assert.equal(runs.at(-1), now + year)
    assert.ok(runs.length < 2_000)
  })
})
