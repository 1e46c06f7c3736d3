// What is done about instants that are due, by a fake clock.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decide as decideInSlices, maxMissedRows } from '#missions/due.ts'
import { readSchedule } from '#missions/schedule.ts'
import { drained } from '#safety/drained.ts'

const hour = 3_600_000
const start = Date.parse('2026-11-16T20:00:00Z')
const hourly = readSchedule('@hourly', 'UTC', start)
const at = (hours: number): number => start + hours * hour

type Case = {
  readonly name: string
  readonly text?: string
  readonly missed: 'once' | 'skip'
  readonly nextAt: number
  readonly now: number
  readonly awakeSince: number
  readonly run?: number
  readonly rows: readonly number[]
  readonly next?: number
}

const cases: readonly Case[] = [
  {
    name: 'runs on time',
    missed: 'once',
    nextAt: at(1),
    now: at(1),
    awakeSince: start,
    run: at(1),
    rows: [],
    next: at(2),
  },
  {
    name: 'runs on time',
    missed: 'skip',
    nextAt: at(1),
    now: at(1),
    awakeSince: start,
    run: at(1),
    rows: [],
    next: at(2),
  },
  {
    name: 'does nothing before its time',
    missed: 'once',
    nextAt: at(1),
    now: at(1) - 1,
    awakeSince: start,
    rows: [],
    next: at(1),
  },
  {
    name: 'runs the latest after a night',
    missed: 'once',
    nextAt: at(1),
    now: at(4) + 5,
    awakeSince: at(4) + 1,
    run: at(4),
    rows: [at(1), at(2), at(3)],
    next: at(5),
  },
  {
    name: 'runs none after a night, not even one of the last seconds',
    missed: 'skip',
    nextAt: at(1),
    now: at(4) + 5,
    awakeSince: at(4) + 1,
    rows: [at(1), at(2), at(3), at(4)],
    next: at(5),
  },
  {
    name: 'runs an instant that came when the service was back',
    missed: 'skip',
    nextAt: at(1),
    now: at(4) + 59_000,
    awakeSince: at(4),
    run: at(4),
    rows: [at(1), at(2), at(3)],
    next: at(5),
  },
  {
    name: 'runs late when all places were taken',
    missed: 'skip',
    nextAt: at(1),
    now: at(1) + hour / 2,
    awakeSince: start,
    run: at(1),
    rows: [],
    next: at(2),
  },
  {
    name: 'runs the latest late one',
    missed: 'skip',
    nextAt: at(1),
    now: at(3) + 1,
    awakeSince: start,
    run: at(3),
    rows: [at(1), at(2)],
    next: at(4),
  },
  {
    name: 'makes up for an instant of 12 hours ago',
    text: 'at 2026-11-16 21:00',
    missed: 'once',
    nextAt: at(1),
    now: at(13),
    awakeSince: at(13),
    run: at(1),
    rows: [],
  },
  {
    name: 'does not make up for an older one',
    text: 'at 2026-11-16 21:00',
    missed: 'once',
    nextAt: at(1),
    now: at(13) + 1,
    awakeSince: at(13),
    rows: [at(1)],
  },
  {
    name: 'runs once and is over',
    text: 'in 1h',
    missed: 'once',
    nextAt: at(1),
    now: at(1) + 3,
    awakeSince: start,
    run: at(1),
    rows: [],
  },
  {
    name: 'is not run by a clock that went back',
    missed: 'once',
    nextAt: at(5),
    now: at(2),
    awakeSince: start,
    rows: [],
    next: at(3),
  },
]

const decide = (...given: Parameters<typeof decideInSlices>) => drained(decideInSlices(...given))

describe('a mission that is due', () => {
  for (const { name, text = '@hourly', missed, nextAt, now, awakeSince, run, rows, next } of cases) {
    it(`${name} (${missed})`, () => {
      const due = decide({ schedule: readSchedule(text, 'UTC', start), nextAt, missed }, now, awakeSince)
      assert.deepEqual([due.run, due.missed, due.next], [run, rows.map((each) => ({ at: each })), next])
    })
  }
  it('has at most 100 rows of missed instants, and one that counts the rest', () => {
    const { run, missed } = decide(
      { schedule: hourly, nextAt: at(1), missed: 'skip' },
      at(250) + 90_000,
      at(250) + 90_000,
    )
    assert.equal(run, undefined)
    assert.deepEqual(missed[0], { at: at(1), count: 150 })
    assert.deepEqual(
      missed.slice(1).map((row) => row.at),
      Array.from({ length: maxMissedRows }, (_, index) => at(151 + index)),
    )
  })
  it('counts the instants of a year without walking through them', () => {
    const schedule = readSchedule('* * * * *', 'UTC', start)
    const minutes = 365 * 24 * 60
    const { run, missed } = decide(
      { schedule, nextAt: start + 60_000, missed: 'once' },
      start + minutes * 60_000,
      start,
    )
    assert.equal(run, start + minutes * 60_000)
    assert.equal(missed.length, maxMissedRows + 1)
    assert.equal(missed[0]?.count, minutes - 1 - maxMissedRows)
  })
})
