// Which turns of a long thread stay in the page.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drawnFrom, isLong, maxKept, widened } from '../../../web/lib/kept-turns.ts'

const cases = [
  { what: 'nothing is to be kept', range: [490, 500], kept: 0, count: 500, want: [490, 500] },
  { what: 'at the end, earlier turns', range: [490, 500], kept: 200, count: 500, want: [300, 500] },
  { what: 'at the beginning, later ones', range: [0, 12], kept: 200, count: 500, want: [0, 200] },
  { what: 'in the middle, earlier ones first', range: [250, 260], kept: 30, count: 500, want: [230, 260] },
  { what: 'near the beginning, both', range: [5, 10], kept: 20, count: 500, want: [0, 20] },
  { what: 'of a short thread all', range: [3, 5], kept: 200, count: 8, want: [0, 8] },
  { what: 'a range that is larger stays', range: [10, 60], kept: 20, count: 100, want: [10, 60] },
] as const

for (const { what, range, kept, count, want } of cases) {
  test(`the turns that stay in the page: ${what}`, () => {
    const { from, to } = widened({ from: range[0], to: range[1] }, kept, count)
    assert.deepEqual([from, to], want)
  })
}

test('before the first look only the last turns are drawn, then those of the range', () => {
  assert.deepEqual(
    [5, 12, 100].map((count) => drawnFrom({ from: 0, to: 0 }, count)),
    [0, 0, 88],
  )
  assert.deepEqual(
    [5, 100].map((count) => drawnFrom({ from: 7, to: 20 }, count)),
    [4, 7],
  )
  assert.equal(drawnFrom({ from: 3, to: 9 }, 0), 0)
})

test('a thread is long when a part of it is not read, or when it has more turns than stay in the page', () => {
  assert.deepEqual([isLong(3, false), isLong(maxKept, false), isLong(maxKept + 1, false)], [false, false, true])
  assert.equal(isLong(3, true), true)
})
