// The end of the work that a load left behind, by the CPU time of each second.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitUntilSettled } from '../../bench/settled.ts'

const cases: readonly (readonly [what: string, cpuMsOfSecond: (second: number) => number, seconds: number])[] = [
  ['nothing is left: three seconds at rest', () => 0, 3],
  ['a process at rest uses a little', () => 19, 3],
  ['work that begins after a second of rest is waited for', (second) => (second === 1 || second > 6 ? 0 : 100), 9],
  ['work that never ends is not waited for', () => 20, 30],
  ['a CPU time that cannot be read does not hold the benchmark for ever', () => Number.NaN, 30],
]

for (const [what, cpuMsOfSecond, seconds] of cases) {
  test(what, async () => {
    let [passed, used] = [0, 0]
    await waitUntilSettled(
      async () => used,
      async (ms) => {
        assert.equal(ms, 1_000)
        used += cpuMsOfSecond(++passed)
      },
    )
    assert.equal(passed, seconds)
  })
}
