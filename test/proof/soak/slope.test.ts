// The verdict on a figure: a leak of known size is found, noise and other shapes are not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { random } from '../../random.ts'
import { judgeSlope, type Point } from './slope.ts'

const minuteMs = 60_000
const bound = { share: 0.1, least: 5 }

/** Values a minute apart; `of` gets the minute and noise from -1 to 1. */
function minutes(count: number, of: (minute: number, noise: number) => number): Point[] {
  return Array.from({ length: count }, (_, at) => ({ at: at * minuteMs, value: of(at, random(at + 7) * 2 - 1) }))
}

const shapes: readonly (readonly [what: string, points: Point[], result: string])[] = [
  ['nothing happens', minutes(24, () => 100), 'flat'],
  ['noise of a fifth of the value', minutes(24, (_, noise) => 100 + 20 * noise), 'flat'],
  ['a leak of 1 a minute', minutes(24, (minute) => 100 + minute), 'rising'],
  ['the same leak in noise', minutes(24, (minute, noise) => 100 + minute + 5 * noise), 'rising'],
  ['a leak below the bound', minutes(24, (minute) => 100 + minute * 0.4), 'flat'],
  ['a leak just above the bound', minutes(24, (minute) => 100 + minute * 0.45), 'rising'],
  ['a fall', minutes(24, (minute) => 100 - minute), 'flat'],
  ['a saw', minutes(24, (minute) => 100 + (minute % 4) * 20), 'flat'],
  ['a third of the values far above', minutes(24, (minute) => (minute % 3 === 0 ? 500 : 100)), 'flat'],
  ['one step that stays', minutes(24, (minute) => (minute < 3 ? 80 : 100)), 'flat'],
  ['a small count that grows by one', minutes(24, (minute) => (minute < 12 ? 3 : 4)), 'flat'],
  ['a small count that grows by one each minute', minutes(24, (minute) => 3 + minute), 'rising'],
  ['few values, whatever they say', minutes(7, (minute) => 100 * minute), 'unknown'],
  ['values that could not be read', minutes(24, () => Number.NaN), 'unknown'],
  ['no values', [], 'unknown'],
]

for (const [what, points, result] of shapes) {
  test(`${what}: ${result}`, () => assert.equal(judgeSlope(points, bound).result, result))
}

test('the line tells where a leak began, where it ended, and its size in an hour', () => {
  const { start, end, perHour, allowed } = judgeSlope(
    minutes(31, (minute) => 200 + 2 * minute),
    bound,
  )
  assert.deepEqual([start, end, perHour, allowed].map(Math.round), [200, 260, 120, 20])
})

test('noise alone is not taken for a leak: in 200 runs, not once', () => {
  const runs = Array.from({ length: 200 }, (_, run) =>
    Array.from({ length: 24 }, (_each, at) => ({ at: at * minuteMs, value: 10 + 60 * random(run * 1_000 + at) })),
  )
  assert.deepEqual(
    runs.filter((points) => judgeSlope(points, bound).result === 'rising'),
    [],
  )
})
