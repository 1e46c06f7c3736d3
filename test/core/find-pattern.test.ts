// The words that are looked for in one thread.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findPattern, maxFindChars, maxFindWords } from '#core/find-pattern.ts'

const rows: readonly (readonly [what: string, words: string, text: string, count: number])[] = [
  ['every place counts', 'an', 'Banana', 2],
  ['case does not matter', 'éTÉ', 'Un été, un ÉTÉ', 2],
  ['any space is a space', ' one  two ', 'one\ntwo, one \t two, onetwo', 2],
  ['marks of Markdown stand between words', 'really good', 'a **really** good, a really `good` one', 2],
  ['signs are what they are', 'a.b*(c)[d]{1}|e^$/\\?', 'a.b*(c)[d]{1}|e^$/\\? aXb', 1],
  ['a hyphen is a hyphen', 'e-mail', 'E-mail, email', 1],
  ['other scripts are found within a word', '飛行', '飛行船は飛行する', 2],
  ['marks that are looked for stand between spaces', '_ x', '_ x, __ x, _* x, _x', 2],
  ['nothing', 'submarine', 'A zeppelin', 0],
]
for (const [what, words, text, count] of rows) {
  test(`words in a thread: ${what}`, () => assert.equal(text.match(findPattern(words) ?? /^$/)?.length ?? 0, count))
}

test('no words are no pattern, and long ones are cut', () => {
  assert.deepEqual([findPattern(''), findPattern(' \n ')], [undefined, undefined])
  assert.equal(findPattern('x'.repeat(10_000))?.source.length, maxFindChars)
  assert.equal(findPattern('x '.repeat(maxFindWords + 5))?.source.split('+').length, maxFindWords)
})

// A mark that both joins words and belongs to one could match in many ways, each of which takes time.
const joins: readonly (readonly [words: string, source: string])[] = [
  ['a b', 'a[\\s*_`]+b'],
  ['a_b c', 'a_b[\\s*_`]+c'],
  ['_ x', '_\\s+x'],
  ['a * x', 'a\\s+\\*\\s+x'],
  ['a` b', 'a`\\s+b'],
  ['a _b c', 'a\\s+_b[\\s*_`]+c'],
]
for (const [words, source] of joins) {
  test(`what joins the words of ${words} is no part of them`, () => assert.equal(findPattern(words)?.source, source))
}
