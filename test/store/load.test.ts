// Rows of a backup by their columns, and the numbers of a stored vector.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { named, vectorOf } from '#store/load.ts'

test('a row has a value for each column', () => {
  assert.deepEqual(named(['a', 'b', 'c'], ['x', 0]), { a: 'x', b: 0, c: null })
})

test('the numbers of a vector are read wherever its bytes begin', () => {
  const numbers = Float32Array.of(1.5, -2)
  const bytes = new Uint8Array(9)
  bytes.set(new Uint8Array(numbers.buffer), 1)
  assert.deepEqual(vectorOf(bytes.subarray(1)), numbers)
  assert.equal(vectorOf(null), undefined)
  assert.equal(vectorOf('text'), undefined)
})
