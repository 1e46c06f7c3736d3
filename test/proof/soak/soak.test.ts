// A very short soak, so that the command cannot rot. What grew is not asked: some seconds tell nothing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { figures } from './figures.ts'
import { soak } from './soak.ts'

test('a short soak does every kind of operation and has a row for every figure', async () => {
  const { rows, strange, windows } = await soak({ minutes: 0.02, database: 'sqlite', people: 8 })
  assert.deepEqual(strange, [])
  assert.deepEqual(
    rows.map(({ figure }) => figure.name),
    figures.map(({ name }) => name),
  )
  const sample = windows.flatMap(({ samples }) => samples).at(-1)
  assert.ok((sample?.componentCalls ?? 0) > 0, 'the component ran in its sandbox')
  const unread = Object.entries(sample ?? {}).filter(([, value]) => !Number.isFinite(value))
  assert.deepEqual(unread, [], 'every figure could be read')
})
