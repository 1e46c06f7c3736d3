// Two orders as one: reciprocal rank with k = 60.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fuse } from '#memory/rank-fusion.ts'

const cases: readonly [what: string, lists: string[][], fused: [path: string, score: number][]][] = [
  ['nothing', [[], []], []],
  [
    'one list keeps its order',
    [['a', 'b'], []],
    [
      ['a', 1 / 61],
      ['b', 1 / 62],
    ],
  ],
  [
    'what is in both leads what is first in one',
    [
      ['a', 'b'],
      ['c', 'b'],
    ],
    [
      ['b', 2 / 62],
      ['a', 1 / 61],
      ['c', 1 / 61],
    ],
  ],
  [
    'of equals the one found by words',
    [['w'], ['v']],
    [
      ['w', 1 / 61],
      ['v', 1 / 61],
    ],
  ],
  [
    'first and third is a little more than second twice',
    [
      ['a', 'b', 'c'],
      ['d', 'b', 'a'],
    ],
    [
      ['a', 1 / 61 + 1 / 63],
      ['b', 2 / 62],
      ['d', 1 / 61],
      ['c', 1 / 63],
    ],
  ],
]
for (const [what, lists, fused] of cases) {
  test(what, () => {
    assert.deepEqual(
      fuse(lists).map(({ path, score }) => [path, score]),
      fused,
    )
  })
}
