// Text that is being written, and what becomes of it when its process is lost.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUnstored } from '#core/unstored.ts'

/** The id of an item by its second and its place among those of the same millisecond. */
const id = (second: number, place = 0): string => `0000000${second}-0000-7000-8000-00000000000${place}`

test('the items of a response stand beside each other until they are stored', () => {
  const unstored = createUnstored()
  const firstId = id(2)
  assert.deepEqual(unstored.write({ itemId: firstId, firstId }), [])
  assert.deepEqual(unstored.write({ itemId: firstId }), [])
  assert.deepEqual(unstored.write({ itemId: id(3), firstId }), [])
  // What was stored before it began.
  assert.deepEqual(unstored.store(id(1)), [])
  assert.deepEqual(unstored.store(firstId), [])
  assert.deepEqual(unstored.clear(), [id(3)])
  assert.deepEqual(unstored.clear(), [])
})

test('a later response gives up what an earlier one has not stored; a late piece of the earlier gives up nothing', () => {
  const unstored = createUnstored()
  unstored.write({ itemId: id(1), firstId: id(1) })
  unstored.write({ itemId: id(2), firstId: id(1) })
  assert.deepEqual(unstored.write({ itemId: id(5), firstId: id(5) }), [id(1), id(2)])
  assert.deepEqual(unstored.write({ itemId: id(3), firstId: id(1) }), [])
  assert.deepEqual(unstored.clear(), [id(5), id(3)])
})

test('an item whose beginning was missed belongs to the response that goes on after it', () => {
  const unstored = createUnstored()
  unstored.write({ itemId: id(1), firstId: id(1) })
  unstored.write({ itemId: id(3) })
  assert.deepEqual(unstored.write({ itemId: id(4), firstId: id(3) }), [id(1)])
  assert.deepEqual(unstored.clear(), [id(3), id(4)])
})

test('a stored item gives up what began before it, but nothing of its own millisecond', () => {
  const unstored = createUnstored()
  unstored.write({ itemId: id(1), firstId: id(1) })
  unstored.write({ itemId: id(4, 1), firstId: id(1) })
  assert.deepEqual(unstored.store(id(4, 2)), [id(1)])
  assert.deepEqual(unstored.clear(), [id(4, 1)])
})
