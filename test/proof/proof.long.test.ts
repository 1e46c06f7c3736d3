// Long runs of the checker, on both databases.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Plan, prove } from './prove.ts'
import { judge } from './rules.ts'

const plans: readonly (readonly [what: string, plan: Plan])[] = [
  ['one process over SQLite', { seed: 1, ops: 2_000, people: 12, faults: 10, replicas: 0 }],
  ['three replicas over PostgreSQL', { seed: 1, ops: 20_000, people: 24, faults: 40, replicas: 3 }],
]

for (const [what, plan] of plans) {
  test(`${what}: ${plan.ops} operations with ${plan.faults} faults keep every promise`, async () => {
    const history = await prove(plan)
    for (const { rule, breaches } of judge(history)) assert.deepEqual(breaches.slice(0, 20), [], rule.name)
  })
}
