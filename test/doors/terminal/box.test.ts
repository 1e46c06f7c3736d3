// The border around lines, and the window over a list.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boxed, windowOf } from '#doors/terminal/box.ts'
import { plain } from './drawn.ts'

const border = (text: string): string => text

test('a box has its title at the left, its corner at the right, and lines cut or padded to its width', () => {
  assert.deepEqual(plain(boxed(['short', 'x'.repeat(30)], 24, { title: 'Title', corner: '58 min', border })), [
    '╭─ Title ──── 58 min ──╮',
    '│ short                │',
    `│ ${'x'.repeat(19)}… │`,
    '╰──────────────────────╯',
  ])
})

test('the corner is left out where it does not fit beside the title', () => {
  const top = (title: string): string | undefined => plain(boxed([], 24, { title, corner: '58 min', border }))[0]
  assert.equal(top('t'.repeat(9)), `╭─ ${'t'.repeat(9)}  58 min ──╮`)
  assert.equal(top('t'.repeat(10)), `╭─ ${'t'.repeat(10)} ${'─'.repeat(9)}╮`)
  assert.equal(top('t'.repeat(18)), `╭─ ${'t'.repeat(18)} ─╮`)
  assert.equal(top('t'.repeat(19)), `╭─ ${'t'.repeat(17)}… ─╮`)
})

const windows: readonly [from: number, height: number, lines: string, first: number][] = [
  [0, 3, 'abc', 0],
  [1, 3, 'bcd', 1],
  [2, 3, 'cde', 2],
  [3, 3, 'cde', 2],
  [99, 3, 'cde', 2],
  [-1, 3, 'abc', 0],
  [2, 5, 'abcde', 0],
  [2, 9, 'abcde', 0],
  [1, 0, '', 1],
]
for (const [from, height, lines, first] of windows) {
  test(`a window of ${height} lines from line ${from} begins at line ${first}`, () => {
    assert.deepEqual(windowOf('abcde'.split(''), from, height), { lines: lines.split(''), from: first })
  })
}
