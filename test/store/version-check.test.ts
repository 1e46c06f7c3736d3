// Which processes may go on beside a version.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oldestShared } from '#store/version-check.ts'

const alone = { changes: [] }
const shared = { changes: [], shared: true } as const

test('processes go on up to the last version that is not shared with those before', () => {
  const steps = [alone, alone, shared, alone, shared, shared]
  assert.deepEqual(
    steps.map((_, at) => oldestShared(at + 1, steps)),
    [1, 2, 2, 4, 4, 4],
  )
})
