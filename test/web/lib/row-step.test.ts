// Which row of a list a key goes to.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rowStep } from '../../../web/lib/row-step.ts'

const keys = ['ArrowDown', 'ArrowUp', 'Home', 'End', 'Enter', 'a']
const steps = (at: number, first: number): (number | undefined)[] =>
  keys.map((key) => rowStep(key, at, { first, count: 4 }))

test('arrows go from row to row and stop at the ends, Home and End go to the first and the last', () => {
  assert.deepEqual(steps(0, 0), [1, undefined, 0, 3, undefined, undefined])
  assert.deepEqual(steps(2, 0), [3, 1, 0, 3, undefined, undefined])
  assert.deepEqual(steps(3, 0), [undefined, 2, 0, 3, undefined, undefined])
})

test('from the search box the arrow down goes to the rows, from the first row the arrow up goes back', () => {
  assert.deepEqual(steps(0, 1), [1, undefined, undefined, undefined, undefined, undefined])
  assert.deepEqual(steps(1, 1), [2, 0, 1, 3, undefined, undefined])
  assert.equal(rowStep('ArrowDown', 0, { first: 1, count: 1 }), undefined)
})
