// A small run of the checker in the suite: `npm run prove` makes larger ones.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prove } from './prove.ts'
import { judge } from './rules.ts'

test('a process that is killed under random operations keeps every promise', async () => {
  const history = await prove({ seed: 1, ops: 200, people: 12, faults: 2, replicas: 0 })
  for (const { rule, breaches } of judge(history)) assert.deepEqual(breaches, [], rule.name)
  assert.equal(history.events.filter(({ type }) => type === 'fault-over').length, 2)
})
