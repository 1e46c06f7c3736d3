// Times, costs and sizes as people read them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  costText,
  countText,
  dayGroup,
  durationText,
  leftText,
  shortWhen,
  sizeText,
  sumText,
  whenText,
} from '../../web/lib/words.ts'

const now = new Date(2026, 10, 15, 14, 30).getTime()
const before = (ms: number): string => new Date(now - ms).toISOString()
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]

const times: readonly [ms: number, text: string][] = [
  [5_000, 'just now'],
  [12 * minute, '12 min ago'],
  [3 * hour, '11:30'],
  [20 * hour, 'Yesterday, 18:30'],
  [6 * day, '9 Nov'],
  [400 * day, '11 Oct 2025'],
]
for (const [ms, text] of times) test(`a time: ${text}`, () => assert.equal(whenText(before(ms), now), text))

test('in a narrow row the word ago is left out', () => assert.equal(shortWhen(before(2 * minute), now), '2 min'))

test('threads are grouped by the reader’s days', () => {
  assert.deepEqual(
    [hour, 20 * hour, 4 * day, 20 * day, 90 * day].map((ms) => dayGroup(before(ms), now)),
    ['Today', 'Yesterday', 'Last week', 'Last month', 'Earlier'],
  )
})

test('costs: unknown is not free, and free is not nothing', () => {
  assert.deepEqual([null, 0, 0.0002, 0.021, 12.4].map(costText), [
    'unknown',
    'free',
    'under $0.001',
    '$0.021',
    '$12.40',
  ])
  assert.deepEqual([0, 0.84].map(sumText), ['$0.00', '$0.84'])
})

test('durations, sizes, counts and what is left', () => {
  assert.deepEqual([2, 300, 14_000, 128_000].map(durationText), ['2 ms', '0.3 s', '14 s', '2 min 08 s'])
  assert.deepEqual([618, 2_150, 38_000, 3_400_000].map(sizeText), ['618 bytes', '2.1 KB', '37 KB', '3.2 MB'])
  assert.deepEqual([countText(1, 'tool'), countText(8_412, 'token')], ['1 tool', '8,412 tokens'])
  assert.equal(leftText(new Date(now + 58 * minute).toISOString(), now), 'expires in 58 min')
  assert.equal(leftText(new Date(now + 23.6 * hour).toISOString(), now), 'expires in 24 h')
})
