// Text from outside on a terminal.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasUnseen, printable } from '#safety/printable.ts'

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
  assert.deepEqual([hasUnseen('a\nb'), hasUnseen('a\u{e0041}b')], [false, true])
})
