// Columns of tables: at the left, at the right, in the middle, as the source asks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visibleWidth } from '@earendil-works/pi-tui'
import { createDrawing } from '#doors/terminal/drawing.ts'
import { createTheme } from '#doors/terminal/theme.ts'
import { plain } from './drawn.ts'

const drawn = (text: string, width = 80, colour = true): readonly string[] =>
  createDrawing(
    createTheme({ colour, utf8: true }),
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

test('tables in lists and quotes stand as their delimiters ask, and so does one after them', () => {
  const table = ['| a | b |', '|--:|:-:|', '| **long** | x |', '| y | wide |']
  const indented = (sign: string, rest: string): string =>
    table.map((line, at) => `${at === 0 ? sign : rest}${line}`).join('\n')
  const text = [
    '- item',
    '',
    indented('  ', '  '),
    '',
    indented('- ', '  '),
    '',
    indented('> ', '> '),
    '',
    prices,
  ].join('\n')
  for (const colour of [true, false]) {
    const rows = plain(drawn(text, 80, colour)).filter((line) => /│.*│/.test(line))
    const body = ['│    a │  b   │', '│ long │  x   │', '│    y │ wide │']
    assert.deepEqual(rows.slice(0, 9), [
      ...body.map((line) => `   ${line}`),
      ...body.map((line) => `   ${line}`),
      ...body.map((line) => ` │ ${line}`),
    ])
    assert.equal(rows.at(-1), ' │ 日本  │      5 │      no      │')
  }
})

test('the style of a quote begins and ends with its row', () => {
  const row = drawn('> | a | b |\n> |--:|--|\n> | long | x |\n> | y | z |').find((line) => line.includes('y')) ?? ''
  assert.equal(visibleWidth(row), visibleWidth(' │ │ long │ x │'))
  assert(row.startsWith(' \u001b[2m│ \u001b[22m\u001b[3m│'), JSON.stringify(row))
  assert(row.endsWith('│\u001b[23m'), JSON.stringify(row))
})

test('a box that is drawn in a code block is no table, and the tables beside it are aligned', () => {
  const box = ['```', '┌───┬───┐', '│ a │ b │', '└───┴───┘', '```']
  const lines = plain(drawn([...box, '', prices, '', '- item', '', ...box.map((line) => `  ${line}`)].join('\n')))
  assert(lines.includes(' │ 日本  │      5 │      no      │'))
  assert.equal(lines.filter((line) => line.endsWith('│ a │ b │')).length, 2)
})

test('a row of single dashes is a delimiter, not a list', () => {
  const rows = plain(drawn('a | b\n- | -:\none | two\nx | y')).filter((line) => line.startsWith(' │'))
  assert.deepEqual(rows, [' │ a   │   b │', ' │ one │ two │', ' │ x   │   y │'])
})
