// Bounds of a caller's JSON.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isTooDeep, jsonBytes, overBounds } from '#doors/openai/bounds.ts'

const bounds = { levels: 2, values: 4 }
const values: readonly [value: unknown, over: RegExp | undefined][] = [
  ['text', undefined],
  [{}, undefined],
  [[[1]], undefined],
  [[1, 2, null], undefined],
  [[1, 2, 3, 4], /more than 4 values/],
  [{ a: { b: {} } }, /deeper than 2 levels/],
  [{ a: { b: 1 }, c: [] }, undefined],
  [{ a: [1, 2], c: 3 }, /more than 4 values/],
]
for (const [value, over] of values) {
  test(`${JSON.stringify(value)} ${over ? `is over: ${over.source}` : 'is within two levels and four values'}`, () => {
    const found = overBounds(value, bounds)
    if (over) assert.match(found ?? '', over)
    else assert.equal(found, undefined)
  })
}

test('a hundred levels are taken, and not one more', () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)])
  assert.deepEqual([isTooDeep(nested(100)), isTooDeep(nested(101))], [false, true])
})

test('the size of a value is that of its JSON in bytes, however long it is', async () => {
  for (const value of [{ a: 'ü' }, Array.from({ length: 50_000 }, () => 'ü"')]) {
    assert.equal(await jsonBytes(value), Buffer.byteLength(JSON.stringify(value)))
  }
})
