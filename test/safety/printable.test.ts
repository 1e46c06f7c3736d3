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

test('what is drawn as nothing is shown by its number: all that may be left out, and blank signs', () => {
  for (const code of [0x34f, 0x115f, 0x1160, 0x17b4, 0x180b, 0x180f, 0x2800, 0x3164, 0xfe00, 0xfe0f, 0xfff0, 0xffa0])
    assert.equal(printable(`a${String.fromCodePoint(code)}b`), `a\\u{${code.toString(16)}}b`)
  for (const code of [0x13441, 0x16fe4, 0x1d159, 0xe0100, 0xe01ef, 0xe0fff])
    assert.equal(printable(`a${String.fromCodePoint(code)}b`, { lines: true }), `a\\u{${code.toString(16)}}b`)
  assert.equal(printable('rm ❤\ufe0f'), 'rm ❤\\u{fe0f}')
  assert.equal(printable('한국어 हिन्दी e\u0301 ⠿ a\u00a0b\u3000c'), '한국어 हिन्दी e\u0301 ⠿ a\u00a0b\u3000c')
})

test('lines and tabs stay where they are wanted', () => {
  assert.equal(printable('a\n\tb', { lines: true }), 'a\n\tb')
  assert.equal(printable('a\nb'), 'a\\u{a}b')
})

test('unseen letters are found; line ends are none', () => {
  assert.deepEqual([hasUnprintable('a\nb'), hasUnprintable('a\u{e0041}b')], [false, true])
})

test('one variation selector belongs to its letter; several in a row, or one before any letter, are unseen letters', () => {
  assert.equal(hasUnprintable('☀\ufe0f ☁\ufe0f'), false)
  assert.deepEqual(['☀\ufe0f\ufe00', '\ufe0f', 'a\u{e0100}\u{e0101}'].map(hasUnprintable), [true, true, true])
})

test('prose keeps lines, tabs, emoji and joined scripts, and shows what commands a terminal', () => {
  assert.equal(proseOf('a\r\n\tb 👩\u200d🚀 می\u200cخواهم'), 'a\n\tb 👩\u200d🚀 می\u200cخواهم')
  assert.equal(proseOf('❤\ufe0f 葛\u{e0100} ᠠ\u180b'), '❤\ufe0f 葛\u{e0100} ᠠ\u180b')
  assert.equal(proseOf('a\u3164b\u034fc\u2800'), 'a\\u{3164}b\\u{34f}c\\u{2800}')
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
