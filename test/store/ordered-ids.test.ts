// Ids in the order they were made.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idAt, idTime, isUuid, newId } from '#core/ids.ts'
import { dayMs } from '#core/time.ts'
import { createOrderedIds } from '#store/ordered-ids.ts'

test('each id sorts after the one before, and stays an id', () => {
  const mint = createOrderedIds(newId)
  const ids = Array.from({ length: 20_000 }, mint)
  assert.deepEqual(ids, ids.toSorted())
  assert.equal(new Set(ids).size, ids.length)
  assert.ok(ids.every(isUuid))
})

const carries: readonly [from: string, start: string][] = [
  ['01a1dd12-355e-7ac1-804f-d4086f3c9d16', '01a1dd12-355e-7ac1-804f-d40'],
  ['01a1dd12-355e-7ac1-804f-ffffffffffff', '01a1dd12-355e-7ac1-8050-0000'],
  ['01a1dd12-355e-7ac1-8fff-ffffffffffff', '01a1dd12-355e-7ac1-9000-0000'],
]
for (const [from, start] of carries) {
  test(`after ${from}, a clock that stands or goes back gives an id that begins with ${start}`, () => {
    const ids = [from, from, idAt(idTime(from) - dayMs + 1)]
    const mint = createOrderedIds(() => ids.shift() ?? '')
    assert.equal(mint(), from)
    const next = mint()
    assert.ok(next > from && next.startsWith(start) && isUuid(next), next)
    assert.ok(mint() > next)
  })
}

test('ids go by the clock again once it has gone back by more than a day', () => {
  const at = Date.parse('2026-11-19T04:00:00Z')
  const ids = [idAt(at + 365 * dayMs), idAt(at), idAt(at + 1)]
  const mint = createOrderedIds(() => ids.shift() ?? '')
  const times = [mint(), mint(), mint()].map(idTime)
  assert.deepEqual(times, [at + 365 * dayMs, at, at + 1])
})

test('processes that follow the same id make different ones', () => {
  const last = '01a1dd12-355e-7ac1-804f-d4086f3c9d16'
  const mints = ['a', 'b'].map(() => createOrderedIds(() => last, last))
  const ids = mints.flatMap((mint) => Array.from({ length: 100 }, mint))
  assert.equal(new Set(ids).size, ids.length)
})
