// Ids in the order they were made.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isUuid, newId } from '#core/ids.ts'
import { createOrderedIds } from '#store/ordered-ids.ts'

test('each id sorts after the one before, and stays an id', () => {
  const mint = createOrderedIds(newId)
  const ids = Array.from({ length: 20_000 }, mint)
  assert.deepEqual(ids, ids.toSorted())
  assert.equal(new Set(ids).size, ids.length)
  assert.ok(ids.every(isUuid))
})

const carries: readonly [from: string, to: string][] = [
  ['01a1dd12-355e-7ac1-804f-d4086f3c9d16', '01a1dd12-355e-7ac1-804f-d4086f3c9d17'],
  ['01a1dd12-355e-7ac1-804f-ffffffffffff', '01a1dd12-355e-7ac1-8050-000000000000'],
  ['01a1dd12-355e-7ac1-8fff-ffffffffffff', '01a1dd12-355e-7ac1-9000-000000000000'],
]
for (const [from, to] of carries) {
  test(`after ${from}, a clock that stands or goes back gives ${to}`, () => {
    const ids = [from, from, '00000000-0000-7000-8000-000000000000']
    const mint = createOrderedIds(() => ids.shift() ?? '')
    assert.equal(mint(), from)
    assert.equal(mint(), to)
    assert.ok(mint() > to)
  })
}
