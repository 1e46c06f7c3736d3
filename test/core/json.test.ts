// Canonical JSON: one text for equal values.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { byteLength, canonical, isDeeperThan, isObject, objectIn, valueIn } from '#core/json.ts'

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

test('a value is written down to a level, and the rest is left out', () => {
  const value = { a: [{ b: 1 }], c: 2 }
  assert.deepEqual(
    [0, 1, 2, 3].map((levels) => canonical(value, levels)),
    ['…', '{"a":…,"c":2}', '{"a":[…],"c":2}', '{"a":[{"b":1}],"c":2}'],
  )
  assert.equal(canonical(5, 0), '5')
})

test('a value is deeper than its levels, and not as deep', () => {
  const three = { a: [{ b: 1 }] }
  assert.deepEqual(
    [2, 3, 4].map((levels) => isDeeperThan(levels, three)),
    [true, false, false],
  )
  assert.deepEqual(
    [isDeeperThan(0, 1), isDeeperThan(0, null), isDeeperThan(0, []), isDeeperThan(1, [])],
    [false, false, true, false],
  )
  assert.ok(isDeeperThan(1, [1, [2]]), 'in any of its parts')
})

test('an object is read from a text that is one; any value from a text of JSON', () => {
  assert.deepEqual(objectIn('{"a":1}'), { a: 1 })
  for (const text of ['[]', 'null', '1', '"a"', '', '{']) assert.equal(objectIn(text), undefined, text)
  assert.deepEqual([valueIn('[1]'), valueIn('null'), valueIn('{')], [[1], null, undefined])
  assert.deepEqual([{}, [], null, 1, 'a', undefined].map(isObject), [true, false, false, false, false, false])
})
