// Columns of tables: at the left, at the right, in the middle, as the source asks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visibleWidth } from '@earendil-works/pi-tui'
import { createDrawing } from '#doors/terminal/drawing.ts'
import { createTheme } from '#doors/terminal/theme.ts'
import { plain } from './drawn.ts'

const drawn = (text: string, width = 80): readonly string[] =>
  createDrawing(
    createTheme({ colour: true, utf8: true }),
    () => '*',
    () => 0,
  ).lines({ type: 'reply', id: 'r', text, whole: true }, undefined, width)

const prices = `| Name | Amount | Note |
|:--|--:|:-:|
| **pears** | 12,400 | in \`stock\` now |
| 日本 | 5 | no |`

test('a column stands as its delimiter asks, whatever the styles and widths of its cells', () => {
  const lines = drawn(prices)
  assert.deepEqual(plain(lines), [
    ' ┌───────┬────────┬──────────────┐',
    ' │ Name  │ Amount │     Note     │',
    ' ├───────┼────────┼──────────────┤',
    ' │ pears │ 12,400 │ in stock now │',
    ' ├───────┼────────┼──────────────┤',
    ' │ 日本  │      5 │      no      │',
    ' └───────┴────────┴──────────────┘',
  ])
  // A style ends with its cell.
  assert(lines.some((line) => line.includes('\u001b[1mpears\u001b[22m │')))
})

test('each table has its own columns, and a table in a code block counts for none', () => {
  const text = ['```', prices, '```', 'a | b', '--|--', 'one | two', '', 'c | d', '-:|--', 'three | x', 'y | z'].join(
    '\n',
  )
  const rows = plain(drawn(text)).filter((line) => line.startsWith(' │'))
  assert.deepEqual(rows, [' │ a   │ b   │', ' │ one │ two │', ' │     c │ d │', ' │ three │ x │', ' │     y │ z │'])
})

test('lines of a wrapped cell stand at the right too, and no line is longer', () => {
  const text = `| a | b |\n|--:|--|\n| ${'word '.repeat(12)} | ${'more '.repeat(12)} |`
  const lines = drawn(text, 40)
  assert(lines.every((line) => visibleWidth(line) <= 40))
  assert(plain(lines).some((line) => /^ │ {2,}word( word)* │ more/.test(line)))
})

test('a blank cell, and one beside a longer one, keep the frame straight', () => {
  const text = `| a | b |\n|--:|:-:|\n| ${'word '.repeat(12)} | one |\n| | two |\n| x | |`
  const lines = plain(drawn(text, 40)).filter((line) => line.startsWith(' │'))
  assert(lines.length > 3)
  assert.equal(new Set(lines.map((line) => line.length)).size, 1)
})

test('a table in a list leaves all tables as they are drawn', () => {
  const text = `- item\n\n  | a | b |\n  |--:|--|\n  | long | x |\n  | y | z |\n\n${prices}`
  assert(plain(drawn(text)).includes(' │ 日本  │ 5      │ no           │'))
})
