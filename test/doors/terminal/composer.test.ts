// The message editor without a screen: its hint, earlier messages, and the edges of its text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TuiAltScreen } from '@earendil-works/pi-tui'
import { createComposer } from '#doors/terminal/composer.ts'
import { createTheme } from '#doors/terminal/theme.ts'
import { keys, plain } from './drawn.ts'
import { fakeTerminal } from './fake.ts'

const composer = () =>
  createComposer(
    new TuiAltScreen(fakeTerminal(), false, undefined, { mouse: false }),
    createTheme({ colour: false, utf8: true }),
  )
const hint = 'Message Atrium; it waits'

test('an empty composer shows its hint, the first half of it where there is no room, and cuts the rest', () => {
  const shown = (columns: number): string[] => plain(composer().render(columns, { focused: false, hint }))
  assert.deepEqual(shown(29), [` ▏${hint}`])
  assert.deepEqual(shown(28), [' ▏Message Atrium'])
  assert.deepEqual(shown(12), [' ▏Message'])
  assert.deepEqual(shown(3), [' ▏'])
})

test('text is drawn behind the bar, line by line, and wrapped; without the focus there is no cursor', () => {
  const made = composer()
  made.set('one\ntwo')
  assert.deepEqual(plain(made.render(40, { focused: false, hint })), [' ▏one', ' ▏two'])
  assert.match(made.render(40, { focused: true, hint }).join('\n'), /\[7m/)
  made.set('abcdefgh')
  assert.deepEqual(
    plain(made.render(7, { focused: false, hint }))
      .join('')
      .replaceAll(' ▏', ''),
    'abcdefgh',
  )
})

test('a text that comes key by key is shown as a paste once it is long, and stays whole', () => {
  const made = composer()
  const piece = 'some words of a text '.repeat(50)
  for (let at = 0; at < 100; at++) {
    made.press(piece)
    assert.ok(made.shown().length <= 20_000, `${made.shown().length} characters are drawn`)
  }
  made.press('!')
  assert.equal(made.text(), `${piece.repeat(100)}!`)
  assert.match(made.shown(), /^\[paste #\d+ /)
})

test('earlier messages are recalled in order, a repeated one once, and the draft comes back', () => {
  const made = composer()
  for (const text of ['first', 'second', 'second']) {
    made.set(text)
    assert.equal(made.take(), text)
  }
  made.set('draft')
  const moves: readonly [direction: -1 | 1, text: string][] = [
    [1, 'draft'],
    [-1, 'second'],
    [-1, 'first'],
    [-1, 'first'],
    [1, 'second'],
    [1, 'draft'],
    [1, 'draft'],
  ]
  for (const [direction, text] of moves) {
    made.recall(direction)
    assert.equal(made.text(), text)
  }
})

test('the first and the last line are edges, and an empty composer is both', () => {
  const made = composer()
  assert.deepEqual([made.empty, made.atEdge(-1), made.atEdge(1)], [true, true, true])
  made.set('one\ntwo\nthree')
  const edges = (): boolean[] => [made.atEdge(-1), made.atEdge(1)]
  assert.deepEqual(edges(), [false, true])
  made.press(keys.up)
  assert.deepEqual(edges(), [false, false])
  made.press(keys.up)
  assert.deepEqual(edges(), [true, false])
  assert.equal(made.empty, false)
})

test('tabs stay tabs; Enter and Tab are not text; a backslash before the cursor asks for a new line', () => {
  const made = composer()
  made.set('a\tb')
  for (const key of [keys.enter, keys.tab]) made.press(key)
  assert.equal(made.text(), 'a\tb')
  assert.equal(made.continues(), false)
  made.press('\\')
  assert.equal(made.continues(), true)
  assert.equal(made.text(), 'a\tb')
  made.newLine()
  made.insert('c')
  assert.equal(made.text(), 'a\tb\nc')
  assert.equal(made.beforeCursor(), 'c')
})

test('a text of more than a thousand letters is shown as a placeholder and sent whole', () => {
  const made = composer()
  for (const [count, whole] of [
    [1_000, true],
    [1_001, false],
  ] as const) {
    made.set('x'.repeat(count))
    assert.equal(made.shown() === made.text(), whole)
    assert.equal(made.take(), 'x'.repeat(count))
    assert.equal(made.empty, true)
  }
})
