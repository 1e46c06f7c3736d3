// The clock that the files of a process share: a test that leaves it replaced changes all later ones.
import assert from 'node:assert/strict'

// oxlint-disable-next-line unbound-method -- it is put back, not called
const { now } = performance

/** To be called after each file. Of two mocks of one method in a test, node:test puts back the first one. */
export function checkClock(): void {
  const isKept = performance.now === now
  performance.now = now
  assert.ok(isKept, 'a test left performance.now replaced: mock it once, and change the implementation of the mock')
}
