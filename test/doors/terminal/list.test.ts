// A box that a command opens: rows to pick from and texts to read, by their lines and keys.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visibleWidth } from '@earendil-works/pi-tui'
import { createList, type Row } from '#doors/terminal/list.ts'
import { createTheme } from '#doors/terminal/theme.ts'
import { inside, keys, plain } from './drawn.ts'

const theme = createTheme({ colour: false, utf8: true })

function rowsOf(count: number, more: Partial<Row> = {}) {
  const picked: number[] = []
  const rows = Array.from({ length: count }, (_, at) => ({
    text: `row ${at}`,
    pick: () => void picked.push(at),
    ...more,
  }))
  return { rows, picked }
}

test('a list is drawn in its border: title, rows with the first one selected, and a hint', () => {
  const list = createList({ title: 'Threads', rows: rowsOf(2).rows, empty: 'None' }, theme)
  assert.equal(list.title, 'Threads')
  assert.deepEqual(plain(list.render({ width: 40, height: 10 })), [
    '╭─ Threads ────────────────────────────╮',
    '│ «row 0                               » │',
    '│ row 1                                │',
    '│ ↑↓ choose  Enter opens  Esc closes   │',
    '╰──────────────────────────────────────╯',
  ])
})

test('Up and Down move the selection by a row and stop at the first and the last one', () => {
  const { rows, picked } = rowsOf(3)
  const list = createList({ title: 'T', rows, empty: '' }, theme)
  const selected = (): number => inside(list.render({ width: 30, height: 10 })).findIndex((line) => line.includes('«'))
  const moves: readonly [key: string, row: number][] = [
    [keys.up, 0],
    [keys.down, 1],
    [keys.down, 2],
    [keys.down, 2],
    [keys.up, 1],
    [keys.up, 0],
    [keys.up, 0],
    [keys.down, 1],
  ]
  assert.equal(selected(), 0)
  for (const [key, row] of moves) {
    assert.equal(list.press(key), undefined)
    assert.equal(selected(), row)
  }
  assert.equal(list.press(keys.enter), 'close')
  assert.deepEqual(picked, [1])
})

test('a list scrolls only as far as its selection needs', () => {
  const list = createList({ title: 'T', rows: rowsOf(6).rows, empty: '' }, theme)
  // Six lines: two of the border, one of the hint.
  const shown = (): string => {
    const lines = list.render({ width: 44, height: 6 })
    assert.equal(lines.length, 6)
    return inside(lines)
      .slice(0, -1)
      .map((line) => line.replace(/«row (\d) *»/, '[$1]').replace('row ', ''))
      .join(' ')
  }
  const moves: readonly [key: string, rows: string][] = [
    [keys.down, '0 [1] 2'],
    [keys.down, '0 1 [2]'],
    [keys.down, '1 2 [3]'],
    [keys.down, '2 3 [4]'],
    [keys.up, '2 [3] 4'],
    [keys.up, '[2] 3 4'],
    [keys.up, '[1] 2 3'],
    [keys.pageDown, '2 3 [4]'],
    [keys.pageDown, '3 4 [5]'],
    [keys.pageUp, '[2] 3 4'],
    [keys.pageUp, '[0] 1 2'],
  ]
  assert.equal(shown(), '[0] 1 2')
  for (const [key, rows] of moves) {
    list.press(key)
    assert.equal(shown(), rows)
  }
})

test('a box with room for nothing still shows the selected row', () => {
  const list = createList({ title: 'T', rows: rowsOf(3).rows, empty: '' }, theme)
  for (const height of [0, 1, 3, 4]) {
    list.press(keys.down)
    assert.equal(list.render({ width: 44, height }).length, 4)
    assert.match(inside(list.render({ width: 44, height }))[0] ?? '', /«row/)
  }
})

test('long rows are cut to the width, with a sign', () => {
  for (const width of [20, 80, 120]) {
    const list = createList(
      { title: 't'.repeat(200), rows: rowsOf(2, { text: 'x'.repeat(200) }).rows, empty: '' },
      theme,
    )
    const lines = list.render({ width, height: 9 })
    for (const line of lines) assert.equal(visibleWidth(line), width)
    assert.equal(inside(lines)[1], `${'x'.repeat(width - 5)}…`)
  }
})

test('an empty list says so, and Enter picks nothing', () => {
  const list = createList({ title: 'T', rows: [], empty: 'No threads yet' }, theme)
  assert.deepEqual(inside(list.render({ width: 40, height: 10 })), ['No threads yet', 'Esc closes'])
  assert.equal(list.press(keys.enter), 'pass')
  assert.equal(list.press(keys.delete), 'pass')
  assert.equal(list.press(keys.escape), 'close')
})

test('the hint says what Enter does, and names Delete only where a row can be removed', () => {
  const hint = (more: Partial<Row>, does?: string): string | undefined => {
    const plainRows = rowsOf(1).rows
    const rows = [...plainRows, ...rowsOf(1, more).rows]
    return inside(
      createList({ title: 'T', rows, empty: '', ...(does && { does }) }, theme).render({ width: 70, height: 9 }),
    ).at(-1)
  }
  assert.equal(hint({}), '↑↓ choose  Enter opens  Esc closes')
  assert.equal(hint({}, 'chooses it'), '↑↓ choose  Enter chooses it  Esc closes')
  assert.equal(hint({ remove() {} }), '↑↓ choose  Enter opens  Del removes  Esc closes')
})

test('Delete and Backspace remove the selected row, where it can be removed, until the list is empty', () => {
  const removed: string[] = []
  const row = (text: string): Row => ({ text, pick() {}, remove: () => void removed.push(text) })
  const rows = [{ text: 'a', pick() {} }, row('b'), row('c')]
  const list = createList({ title: 'T', rows, empty: '' }, theme)
  assert.equal(list.press(keys.delete), 'pass')
  assert.equal(list.press('x'), 'pass')
  list.press(keys.down)
  list.press(keys.down)
  assert.deepEqual([list.press(keys.delete), removed], [undefined, ['c']])
  assert.deepEqual(inside(list.render({ width: 60, height: 9 })).slice(0, -1), ['a', `«b${' '.repeat(55)}»`])
  assert.deepEqual([list.press(keys.backspace), removed], [undefined, ['c', 'b']])
  const alone = createList({ title: 'T', rows: [row('d')], empty: 'None' }, theme)
  assert.equal(alone.press(keys.delete), undefined)
  assert.deepEqual(inside(alone.render({ width: 60, height: 9 })), ['None', 'Esc closes'])
  assert.equal(alone.press(keys.delete), 'pass')
})

test('a text scrolls by lines and by windows, from its first line to its last', () => {
  const list = createList({ title: 'T', text: () => Array.from({ length: 8 }, (_, at) => `line ${at}`) }, theme)
  const shown = (): string =>
    inside(list.render({ width: 40, height: 6 }))
      .slice(0, -1)
      .join(' ')
      .replaceAll('line ', '')
  const moves: readonly [key: string, lines: string][] = [
    [keys.up, '0 1 2'],
    [keys.down, '1 2 3'],
    [keys.pageDown, '4 5 6'],
    [keys.pageDown, '5 6 7'],
    [keys.down, '5 6 7'],
    [keys.up, '4 5 6'],
    [keys.pageUp, '1 2 3'],
    [keys.pageUp, '0 1 2'],
    [keys.down, '1 2 3'],
  ]
  assert.equal(shown(), '0 1 2')
  for (const [key, lines] of moves) {
    assert.equal(list.press(key), undefined)
    assert.equal(shown(), lines)
  }
  assert.equal(inside(list.render({ width: 40, height: 6 })).at(-1), '↑↓ scroll  Esc closes')
  assert.equal(inside(list.render({ width: 40, height: 11 })).at(-1), 'Esc closes', 'all of it fits')
  assert.equal(inside(list.render({ width: 40, height: 10 })).at(-1), '↑↓ scroll  Esc closes', 'one line does not fit')
  assert.equal(list.press(keys.enter), 'pass')
})

test('a text is asked for the width inside the border; its tabs are spaces, and its indent stays', () => {
  const asked: number[] = []
  const text = (width: number): string[] => {
    asked.push(width)
    return ['a\tb', '  one two three four']
  }
  const list = createList({ title: 'T', text }, theme)
  assert.deepEqual(inside(list.render({ width: 20, height: 9 })), ['a    b', '  one two three', '  four', 'Esc closes'])
  assert.deepEqual(asked, [16])
})
