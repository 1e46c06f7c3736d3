// Times as people read them on the page.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayGroup, leftText, shortWhen, whenText } from '../../web/lib/words.ts'

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

test('what is left', () => {
  assert.equal(leftText(new Date(now + 58 * minute).toISOString(), now), 'expires in 58 min')
  assert.equal(leftText(new Date(now + 23.6 * hour).toISOString(), now), 'expires in 24 h')
})
