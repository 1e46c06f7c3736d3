// Canonical JSON: one text for equal values.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { byteLength, canonical, isObject } from '#core/json.ts'

const texts: readonly [value: unknown, text: string][] = [
  [null, 'null'],
  [undefined, 'null'],
  [true, 'true'],
  [-0, '0'],
  [1e21, '1e+21'],
  [Number.NaN, 'null'],
  ['"\n\ud83d', '"\\"\\n\\ud83d"'],
  [[], '[]'],
  [{}, '{}'],
  [[1, undefined, null, [2]], '[1,null,null,[2]]'],
  [{ b: 1, a: { d: [], c: undefined } }, '{"a":{"d":[]},"b":1}'],
  [{ a: 1, A: 2, 10: 3, 9: 4, ä: 5, '': 6 }, '{"":6,"10":3,"9":4,"A":2,"a":1,"ä":5}'],
  [JSON.parse('{"__proto__":{"x":1},"a":1}'), '{"__proto__":{"x":1},"a":1}'],
]
for (const [value, text] of texts) {
  test(`the text of a value is ${text}`, () => assert.equal(canonical(value), text))
}

test('a text reads back as its value, and equal values have equal texts in whatever order they were made', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonical(value)
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)))
      assert.equal(canonical(reversed(value)), text)
    }),
  )
})

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, each]) => [key, reversed(each)]),
  )
}

test('sizes are UTF-8 bytes', () => {
  assert.deepEqual(['', 'a', 'ä', '€', '💡'].map(byteLength), [0, 1, 2, 3, 4])
})
