// The words that are looked for in one thread.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findPattern, maxFindChars } from '#core/find-pattern.ts'

const rows: readonly (readonly [what: string, words: string, text: string, count: number])[] = [
  ['every place counts', 'an', 'Banana', 2],
  ['case does not matter', 'éTÉ', 'Un été, un ÉTÉ', 2],
  ['any space is a space', ' one  two ', 'one\ntwo, one \t two, onetwo', 2],
  ['marks of Markdown stand between words', 'really good', 'a **really** good, a really `good` one', 2],
  ['signs are what they are', 'a.b*(c)[d]{1}|e^$/\\?', 'a.b*(c)[d]{1}|e^$/\\? aXb', 1],
  ['a hyphen is a hyphen', 'e-mail', 'E-mail, email', 1],
  ['other scripts are found within a word', '飛行', '飛行船は飛行する', 2],
  ['nothing', 'submarine', 'A zeppelin', 0],
]
for (const [what, words, text, count] of rows) {
  test(`words in a thread: ${what}`, () => assert.equal(text.match(findPattern(words) ?? /^$/)?.length ?? 0, count))
}

test('no words are no pattern, and long ones are cut', () => {
  assert.deepEqual([findPattern(''), findPattern(' \n ')], [undefined, undefined])
  assert.equal(findPattern('x'.repeat(10_000))?.source.length, maxFindChars)
})
