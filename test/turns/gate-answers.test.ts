// How long a gate waits.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayMs } from '#core/time.ts'
import { gateEndsAt } from '#turns/gate-answers.ts'

test('a gate ends after a day, one that is held open with the time of its turn', () => {
  assert.equal(gateEndsAt({}, 1_000), 1_000 + dayMs)
  assert.equal(gateEndsAt({ held: true }, 1_000), 1_000 + 30 * 60_000)
})
