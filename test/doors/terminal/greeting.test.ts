// The greeting of an empty thread: how its lines wrap, and how it scrolls where it has more of them than the window.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stripTerminalSequences } from '@earendil-works/pi-tui'
import { createGreeting } from '#doors/terminal/greeting.ts'
import { createTheme } from '#doors/terminal/theme.ts'
import { plain } from './drawn.ts'

const theme = createTheme({ colour: true, utf8: true })
const greetingOf = (lines: readonly string[]) => createGreeting({ lines: () => lines, location: 'here' }, theme)
/** The lines below the first sentence, the location and the blank one. */
const wrapped = (line: string, width: number): string[] =>
  plain(greetingOf([line]).render(width, 20))
    .slice(plain(greetingOf([]).render(width, 20)).findIndex((each) => each === '') + 1)
    .filter((each) => each !== '')

const wraps: readonly [line: string, width: number, lines: readonly string[]][] = [
  // The last column is used.
  ['one two', 8, [' one two']],
  ['one two', 7, [' one', ' two']],
  ['one  two', 9, [' one  two']],
  ['one  two', 8, [' one', ' two']],
  // A label of eight columns, with the words below each other.
  ['model    one two', 17, [' model    one two']],
  ['model    one two', 16, [' model    one', '          two']],
  // Nine columns are no label.
  ['gateways one two', 17, [' gateways one two']],
  ['models and one', 12, [' models and', ' one']],
  // A word that is wider than the window, alone and between others.
  ['abcdefgh', 8, ['abcdefgh']],
  ['abcdefgh', 9, [' abcdefgh']],
  ['abcdefghij', 4, ['abcd', 'efgh', 'ij']],
  ['a abcdefghij b', 6, [' a', 'abcdef', 'ghij b']],
  ['a abcdefghij bcd', 6, [' a', 'abcdef', 'ghij', ' bcd']],
]
for (const [line, width, lines] of wraps) {
  test(`"${line}" in ${width} columns is ${JSON.stringify(lines)}`, () => assert.deepEqual(wrapped(line, width), lines))
}

test('only web addresses are links', () => {
  const linked = (word: string): boolean => greetingOf([word]).render(60, 6).join('').includes(']8;id=')
  assert.deepEqual(['http://a.example', 'https://a.example', 'xhttp://a.example', 'httpx://a', 'word'].map(linked), [
    true,
    true,
    false,
    false,
    false,
  ])
})

const five = ['a', 'b', 'c', 'd', 'e']
const shown = (greeting: ReturnType<typeof greetingOf>, height: number): string =>
  plain(greeting.render(40, height))
    .map((line) => line.trim().split(' ').slice(0, 2).join('') || '-')
    .join(' ')

test('the last line of a window says how many lines are below, its own included', () => {
  assert.equal(shown(greetingOf(five), 9), 'Everydoor here - a b c d e -')
  assert.equal(shown(greetingOf(five), 8), 'Everydoor here - a b c d e')
  assert.equal(shown(greetingOf(five), 7), 'Everydoor here - a b c ↓2')
  assert.equal(shown(greetingOf(five), 2), 'Everydoor ↓7')
  assert.equal(shown(greetingOf(five), 1), 'Everydoor')
  assert.equal(shown(greetingOf(five), 0), '')
})

test('it scrolls by lines and by windows less one line, within its bounds', () => {
  const greeting = greetingOf(five)
  const moves: readonly [move: () => void, lines: string][] = [
    [() => greeting.scroll(1), 'here - a ↓4'],
    [() => greeting.page(1), 'b c d e'],
    [() => greeting.page(1), 'b c d e'],
    [() => greeting.scroll(-1), 'a b c ↓2'],
    [() => greeting.page(-1), 'Everydoor here - ↓5'],
    [() => greeting.scroll(-1), 'Everydoor here - ↓5'],
    [() => greeting.scroll(1), 'here - a ↓4'],
  ]
  for (const [move, lines] of moves) {
    move()
    assert.equal(shown(greeting, 4), lines)
  }
  // A window of one line has no room for a count, and a page of one line.
  greeting.scroll(-9)
  assert.equal(shown(greeting, 1), 'Everydoor')
  greeting.page(2)
  assert.equal(shown(greeting, 1), '-')
})

test('the link to sign in with stays whole where it fits, and each of its pieces leads to all of it', () => {
  const url = `http://127.0.0.1:3000/login#code=atr_${'x'.repeat(22)}`
  const given = {
    lines: () => [`sign in  ${url}  (once, within 10 minutes)`, 'model    one of many words'],
    location: 'here',
  }
  const drawn = (width: number): string[] => createGreeting(given, theme).render(width, 12)
  const plain = (width: number): string[] => drawn(width).map((line) => stripTerminalSequences(line))
  assert.deepEqual(plain(80).slice(3, 6), [
    ` sign in  ${url}  (once,`,
    '          within 10 minutes)',
    ' model    one of many words',
  ])
  assert.deepEqual(plain(40).slice(3, 7), [
    ' sign in',
    url.slice(0, 40),
    `${url.slice(40)}  (once, within 10`,
    '          minutes)',
  ])
  for (const width of [80, 40]) {
    const pieces = drawn(width).filter((line) => /code=|xx/.test(stripTerminalSequences(line)))
    for (const line of pieces) assert(line.includes(`;${url}\u001b\\`), line)
  }
  assert.equal(drawn(40).length, 12)
  // Where it has more lines than the window, it says so and scrolls.
  const small = createGreeting(given, theme)
  const seen = (): string => stripTerminalSequences(small.render(40, 6).join('\n'))
  assert.match(seen(), /code=[^]*\n ↓ 3 more$/)
  small.page(1)
  assert.match(seen(), /within 10\n {10}minutes\)\n model {4}one of many words$/)
  small.scroll(-9)
  assert.match(seen(), /^ Every door/)
})
