import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCalmBehindLoad } from '#commands/collect-when-calm.ts'

const calm = { active: 10, utilization: 0.001 }

test('memory is collected behind a load, once it is calm', () => {
  assert.equal(isCalmBehindLoad({ active: 1_010, utilization: 0.1 }, calm), true)
  assert.equal(isCalmBehindLoad({ active: 60_000, utilization: 0.5 }, { active: 200, utilization: 0.02 }), true)
})

test('memory is not collected during a load, nor behind little work', () => {
  assert.equal(isCalmBehindLoad({ active: 60_000, utilization: 0.5 }, { active: 210, utilization: 0.021 }), false)
  assert.equal(isCalmBehindLoad({ active: 1_009, utilization: 0.1 }, calm), false)
  assert.equal(isCalmBehindLoad({ active: 9_000, utilization: 0.9 }, { active: 9_000, utilization: 0.9 }), false)
})
