import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonical } from '#core/json.ts'
import { isLong, jsonInSlices, sortedKeys } from '#core/json-slices.ts'

function drained(work: Generator<void, string>): { text: string; pauses: number } {
  let pauses = 0
  for (;;) {
    const { done, value } = work.next()
    if (done) return { text: value, pauses }
    pauses++
  }
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
    const { text: json, pauses } = drained(jsonInSlices(value))
    assert.ok(json === JSON.stringify(value))
    assert.ok(pauses >= 4, `${pauses} pauses`)
  })
}

test('keys come in the order that is asked for, and deep values are left out, as in canonical JSON', () => {
  const value = { b: 1, a: { d: [{ e: 1 }], c: 3 } }
  for (const levels of [0, 1, 2, 3, 4]) {
    assert.equal(drained(jsonInSlices(value, { keysOf: sortedKeys, levels })).text, canonical(value, levels))
  }
})

test('between texts of some thousand letters there are pauses too', () => {
  const texts = Array.from({ length: 20 }, () => 'a'.repeat(30_000))
  assert.equal(drained(jsonInSlices(texts)).pauses, 20)
})

test('many short texts are long together', () => {
  const texts = (count: number) => Array.from({ length: count }, () => ({ text: 'a'.repeat(1024) }))
  assert.deepEqual([isLong(texts(255)), isLong(texts(256))], [false, true])
})
