// Text from outside on a terminal.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProse, hasUnprintable, printable, proseOf } from '#safety/printable.ts'

test('what moves the cursor, hides or reorders is shown by its number', () => {
  assert.equal(printable('a\u001b[2Jb'), 'a\\u{1b}[2Jb')
  assert.equal(
    printable('a\u009bb\u202ec\u200bd\u{e0041}\u2028\r'),
    'a\\u{9b}b\\u{202e}c\\u{200b}d\\u{e0041}\\u{2028}\\u{d}',
  )
  assert.equal(printable('Grüße, 東京 ✓'), 'Grüße, 東京 ✓')
})

test('lines and tabs stay where they are wanted', () => {
  assert.equal(printable('a\n\tb', { lines: true }), 'a\n\tb')
  assert.equal(printable('a\nb'), 'a\\u{a}b')
})

test('unseen letters are found; line ends are none', () => {
  assert.deepEqual([hasUnprintable('a\nb'), hasUnprintable('a\u{e0041}b')], [false, true])
})

test('prose keeps lines, tabs, emoji and joined scripts, and shows what commands a terminal', () => {
  assert.equal(proseOf('a\r\n\tb 👩\u200d🚀 می\u200cخواهم'), 'a\n\tb 👩\u200d🚀 می\u200cخواهم')
  assert.equal(
    proseOf('\u001b]52;c;aGk=\u0007 \u009b2J \rX \u202e'),
    '\\u{1b}]52;c;aGk=\\u{7} \\u{9b}2J \\u{d}X \\u{202e}',
  )
})

test('prose in pieces is the prose of the whole, wherever it is cut', () => {
  const text = 'a\u001b]52;c;aGk=\u0007\r\nb\r 👩\u200d🚀\ud83d'
  for (let at = 0; at <= text.length; at++) {
    const prose = createProse()
    assert.equal(prose.next(text.slice(0, at)) + prose.next(text.slice(at)) + prose.end(), proseOf(text))
  }
})
