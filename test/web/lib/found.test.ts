// Where the words of a search stand in a text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { piecesOf, plainText } from '../../../web/lib/found.ts'

const marked = (text: string, query: string): string =>
  piecesOf(text, query)
    .map(({ text: piece, found }) => (found ? `[${piece}]` : piece))
    .join('')

test('words are marked whatever their case and ending, from their beginning', () => {
  for (const [text, query, wanted] of [
    ['The Checkout budget', 'checkout', 'The [Checkout] budget'],
    ['two migrations ran', 'migrating', 'two [migrations] ran'],
    ['the check runs', 'checkout', 'the check runs'],
    ['uncheckout', 'checkout', 'uncheckout'],
    ['p95 of 450 ms', '"p95" 450', '[p95] of [450] ms'],
    ['今日は東京です', '東京', '今日は[東京]です'],
    ['Über allem', 'über', '[Über] allem'],
    ['a.*b (c)', '.* (', 'a.*b (c)'],
    ['', 'x', ''],
  ] as const) {
    assert.equal(marked(text, query), wanted)
  }
})

test('a part of a Markdown text is shown by its words', () => {
  for (const [text, wanted] of [
    ['# Checkout\n\nThe budget is **450 ms**.', 'Checkout. The budget is 450 ms.'],
    ['- one\n* two\n1. three\n> four', 'one two three four'],
    ['ask `a_b` and [the page](https://example.com/x)', 'ask a_b and the page'],
    ['2 * 3 * 4, a_b_c, -5, #1', '2 * 3 * 4, a_b_c, -5, #1'],
    ['<b>x</b>', '<b>x</b>'],
  ] as const) {
    assert.equal(plainText(text), wanted)
  }
})
