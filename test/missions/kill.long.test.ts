// A service that is killed at a hundred moments of firing.
import { test } from 'node:test'
import { killWhileDue } from './kill.ts'

test('killed at a hundred moments, each instant has one row and at most one turn', async (t) => {
  const underWay = await killWhileDue(Array.from({ length: 100 }, (_, at) => at + 1))
  t.diagnostic(`${underWay} kills found runs that were under way`)
})
