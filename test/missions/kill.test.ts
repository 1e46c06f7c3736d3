// Missions of a service that is killed while they are due; `kill.long.test.ts` does it a hundred times.
import { test } from 'node:test'
import { killWhileDue } from './kill.ts'

test('killed while missions are due, each instant has one row and at most one turn', async () => {
  await killWhileDue([1, 2, 3])
})
