import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonical } from '#core/json.ts'
import { isLong, jsonInSlices, sortedKeys } from '#core/json-slices.ts'
import { parseLossless } from '#http/lossless-json.ts'

function drained(work: Iterable<string>): { text: string; slices: number } {
  const slices = [...work]
  return { text: slices.join(''), slices: slices.length }
}

const slice = 64 * 1024
for (const [what, text] of [
  ['quotes', '"'.repeat(3 * slice)],
  ['pairs that would be cut', `a${'\u{1f600}'.repeat(2 * slice)}`],
  ['halves of pairs', '\ud83d'.repeat(2 * slice)],
  ['line breaks', '\n\u2028'.repeat(2 * slice)],
] as const) {
  test(`a long text of ${what} is written in slices, as JSON.stringify does`, () => {
    const value = { b: [text, 1, null, true], a: { text, gone: undefined }, c: 'short' }
    const { text: json, slices } = drained(jsonInSlices(value))
    assert.ok(json === JSON.stringify(value))
    assert.ok(slices > 4, `${slices} slices`)
  })
}

test('keys come in the order that is asked for, and deep values are left out, as in canonical JSON', () => {
  const value = { b: 1, a: { d: [{ e: 1 }], c: 3 } }
  for (const levels of [0, 1, 2, 3, 4]) {
    assert.equal(drained(jsonInSlices(value, { keysOf: sortedKeys, levels })).text, canonical(value, levels))
  }
})

for (const [what, value, slices] of [
  ['texts of some thousand letters', Array.from({ length: 200 }, () => ({ text: 'a'.repeat(3_000) })), 9],
  ['values', Array.from({ length: 20_000 }, () => ({})), 5],
  ['fields', Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, null])), 9],
] as const) {
  test(`many ${what} are written in slices too`, () => {
    const { text, slices: found } = drained(jsonInSlices(value))
    assert.equal(text, JSON.stringify(value))
    assert.ok(found >= slices, `${found} slices`)
    assert.ok(isLong(value))
  })
}

test('what is short, empty or no JSON is written as JSON.stringify does', () => {
  for (const value of ['', 'a', 0, null, true, [], {}, [[]], [undefined], { a: undefined }, { a: undefined, b: [{}] }])
    assert.equal(drained(jsonInSlices(value)).text, JSON.stringify(value))
})

test('many short texts are long together', () => {
  const texts = (count: number) => Array.from({ length: count }, () => ({ text: 'a'.repeat(1024) }))
  assert.deepEqual([isLong(texts(240)), isLong(texts(256))], [false, true])
})

test('a number that keeps its source text is written as it is', () => {
  const value = { text: 'x'.repeat(100_000), number: parseLossless('1.50') }
  assert.equal([...jsonInSlices(value)].join(''), JSON.stringify(value))
})
