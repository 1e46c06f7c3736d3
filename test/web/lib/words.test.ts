// Times as people read them on the page.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  aheadText,
  dayGroup,
  dayText,
  exactTime,
  leftText,
  priceText,
  shortWhen,
  untilInZone,
  untilText,
  whenText,
} from '../../../web/lib/words.ts'

const now = new Date(2026, 10, 15, 14, 30).getTime()
const before = (ms: number): string => new Date(now - ms).toISOString()
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]

const times: readonly [ms: number, text: string][] = [
  [-minute, 'just now'],
  [minute - 1, 'just now'],
  [minute, '1 min ago'],
  [12 * minute, '12 min ago'],
  [hour - 1, '59 min ago'],
  [hour, '13:30'],
  [3 * hour, '11:30'],
  [14.5 * hour, '00:00'],
  [14.5 * hour + 1, 'Yesterday, 23:59'],
  [20 * hour, 'Yesterday, 18:30'],
  [38.5 * hour, 'Yesterday, 00:00'],
  [38.5 * hour + 1, '13 Nov'],
  [6 * day, '9 Nov'],
  [400 * day, '11 Oct 2025'],
]
for (const [ms, text] of times)
  test(`a time, ${ms} ms ago: ${text}`, () => assert.equal(whenText(before(ms), now), text))

test('in a narrow row the word ago is left out', () => assert.equal(shortWhen(before(2 * minute), now), '2 min'))

test('threads are grouped by the reader’s days', () => {
  const groups = [
    [-day, 'Today'],
    [hour, 'Today'],
    [20 * hour, 'Yesterday'],
    [2 * day, 'Last week'],
    [6 * day, 'Last week'],
    [7 * day, 'Last month'],
    [30 * day, 'Last month'],
    [31 * day, 'Earlier'],
  ] as const
  for (const [ms, group] of groups) assert.equal(dayGroup(before(ms), now), group)
})

const ahead = (ms: number): string => new Date(now + ms).toISOString()

test('what is left', () => {
  for (const [ms, text] of [
    [-1, 'expired'],
    [0, 'expired'],
    [1, 'expires in 1 min'],
    [58 * minute, 'expires in 58 min'],
    [hour, 'expires in 1 h'],
    [23.6 * hour, 'expires in 24 h'],
  ] as const) {
    assert.equal(leftText(ahead(ms), now), text)
  }
})

test('a time to come, by its day', () => {
  assert.deepEqual(
    [hour, 10 * hour, 60 * day].map((ms) => untilText(ahead(ms), now)),
    ['15:30 today', '16 Nov, 00:30', '14 Jan 2027, 14:30'],
  )
  assert.deepEqual(
    [-day, hour, 10 * hour, 2 * day, 12 * day].map((ms) => aheadText(ahead(ms), now)),
    ['14 Nov, 14:30', '15:30 today', 'tomorrow', 'in 2 days', 'in 12 days'],
  )
  assert.equal(dayText(now, now), '15 Nov')
  // In the words of the reader's own language.
  assert.match(exactTime(now), /2026.*30.*00/)
})

test('prices per million tokens', () => {
  const price = (input_usd: number | null, output_usd: number | null) => priceText({ input_usd, output_usd })
  assert.equal(price(3, 15), '$3 in, $15 out per M')
  assert.equal(price(1.25, 0.075), '$1.25 in, $0.075 out per M')
  assert.equal(price(0, 0.5), '$0 in, $0.50 out per M')
  assert.equal(price(0.5, 0), '$0.50 in, $0 out per M')
  assert.equal(price(0, 0), 'free')
  assert.equal(price(null, 1), 'price unknown')
  assert.equal(price(1, null), 'price unknown')
})

test('a future time in a zone is told by its wall clock', () => {
  const now = Date.parse('2026-11-16T22:30:00Z')
  const texts: readonly [at: string, zone: string, text: string][] = [
    ['2026-11-16T23:30:00Z', 'UTC', '23:30 today'],
    ['2026-11-16T23:30:00Z', 'Asia/Tokyo', '08:30 today'],
    ['2026-11-16T23:30:00Z', 'Europe/Zurich', '17 Nov, 00:30'],
    ['2027-01-01T04:00:00Z', 'America/New_York', '31 Dec, 23:00'],
    ['2027-01-01T05:00:00Z', 'America/New_York', '1 Jan 2027, 00:00'],
  ]
  for (const [at, zone, text] of texts) assert.equal(untilInZone(at, zone, now), text)
  assert.equal(untilInZone('2026-11-16T23:30:00Z', 'No/Such', now), untilText('2026-11-16T23:30:00Z', now))
})

test('the times of a long list are told with formats that are made once', (t) => {
  const tell = (hours: number): string[] => {
    const at = before(hours * hour)
    return [exactTime(at), whenText(at, now), dayText(at, now)]
  }
  for (const hours of [2, 30, 100]) tell(hours)
  const made = [
    t.mock.method(Intl, 'DateTimeFormat'),
    // These make one inside.
    t.mock.method(Date.prototype, 'toLocaleString'),
    t.mock.method(Date.prototype, 'toLocaleDateString'),
    t.mock.method(Date.prototype, 'toLocaleTimeString'),
  ]
  for (let hours = 0; hours < 100; hours++) tell(hours)
  assert.deepEqual(
    made.map(({ mock }) => mock.callCount()),
    [0, 0, 0, 0],
  )
})

test('a reader who travels is told times by the clock of the place, which may have had the same offset before', (t) => {
  const zone = process.env['TZ']
  t.after(() => {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  })
  process.env['TZ'] = 'America/New_York'
  assert.match(exactTime('2026-01-15T17:00:00Z'), /12:00:00/)
  process.env['TZ'] = 'America/Bogota'
  assert.match(exactTime('2026-07-15T17:00:00Z'), /12:00:00/)
})
