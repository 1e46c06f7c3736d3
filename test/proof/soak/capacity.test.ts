// The capacity that a soak asks for half of: projected where the service was not the limit.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capacityLine, capacityOf, type FlatOut, rateOf } from './capacity.ts'

const flatOut: FlatOut = {
  operations: 2_000,
  ms: 10_000,
  serviceBusyMs: 9_500,
  clientsBusyMs: 4_000,
  serviceCpuMs: 8_000,
}

const cases: readonly (readonly [what: string, change: Partial<FlatOut>, limit: string, capacity: number])[] = [
  ['a service that is always busy', {}, 'service', 200],
  ['clients that are always busy', { serviceBusyMs: 5_000, clientsBusyMs: 9_900 }, 'clients', 400],
  ['operations that wait', { serviceBusyMs: 2_500 }, 'waiting', 800],
]

for (const [what, change, limit, capacity] of cases) {
  test(`${what}: ${capacity} operations per second`, () => {
    const found = capacityOf({ ...flatOut, ...change })
    assert.deepEqual([found.limit, found.perSecond, found.measured, found.cpuMs], [limit, capacity, 200, 4])
    assert.match(capacityLine(found), new RegExp(`^capacity: ${capacity} operations per second\\.`))
  })
}

for (const [what, change] of [
  ['a busy time that could not be read', { serviceBusyMs: Number.NaN }],
  ['a service that was never busy', { serviceBusyMs: 0 }],
  ['no operation', { operations: 0 }],
] as const) {
  test(`${what}: there is no capacity`, () =>
    assert.throws(() => capacityOf({ ...flatOut, ...change }), /^Error: the capacity is unknown/))
}

test('half of the capacity is asked for, but no more than the clients could do', () => {
  assert.equal(rateOf(capacityOf(flatOut), 0.5), 100)
  assert.equal(rateOf(capacityOf({ ...flatOut, serviceBusyMs: 2_500 }), 0.5), 200)
})
