// A late test on a machine that has become busy is no noticed fault.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Attempt } from './attempt.ts'
import { isNoticed } from './notice.ts'

type Case = {
  readonly name: string
  /** How long the test would take with the fault, and whether it passes then. */
  readonly withFault: { ms: number; passes: boolean; passesAgain?: true }
  readonly nowMs: number
  readonly noticed: boolean
  /** The timeouts of the runs with the fault. */
  readonly timeouts: readonly number[]
}

/** The test took 100 ms before; it has at least 400 ms. */
const cases: readonly Case[] = [
  { name: 'passes', withFault: { ms: 90, passes: true }, nowMs: 100, noticed: false, timeouts: [500] },
  { name: 'fails', withFault: { ms: 90, passes: false }, nowMs: 100, noticed: true, timeouts: [500] },
  { name: 'never ends', withFault: { ms: Infinity, passes: true }, nowMs: 100, noticed: true, timeouts: [500] },
  {
    name: 'fails late, twice',
    withFault: { ms: 450, passes: false },
    nowMs: 100,
    noticed: true,
    timeouts: [500, 2_250],
  },
  {
    name: 'fails late, once',
    withFault: { ms: 450, passes: false, passesAgain: true },
    nowMs: 100,
    noticed: false,
    timeouts: [500, 2_250],
  },
  {
    name: 'passes on a machine eight times slower',
    withFault: { ms: 800, passes: true },
    nowMs: 800,
    noticed: false,
    timeouts: [500, 4_000],
  },
  {
    name: 'fails on a machine eight times slower',
    withFault: { ms: 800, passes: false },
    nowMs: 800,
    noticed: true,
    timeouts: [500, 4_000],
  },
  {
    name: 'never ends on a machine eight times slower',
    withFault: { ms: Infinity, passes: true },
    nowMs: 800,
    noticed: true,
    timeouts: [500, 4_000],
  },
]

for (const { name, withFault, nowMs, noticed, timeouts } of cases) {
  test(`a test that ${name} with a fault ${noticed ? 'notices' : 'does not notice'} it`, async () => {
    const given: number[] = []
    const found = await isNoticed({
      expectedMs: 100,
      minTimeoutMs: 400,
      withFault: (timeoutMs): Promise<Attempt> => {
        given.push(timeoutMs)
        const { ms, passes: first, passesAgain } = withFault
        const passes = first || (given.length > 1 && passesAgain === true)
        return Promise.resolve({ verdict: ms > timeoutMs ? 'late' : passes ? 'passed' : 'failed', ms })
      },
      withoutFault: () => Promise.resolve({ verdict: 'passed', ms: nowMs }),
    })
    assert.deepEqual([found, given], [noticed, timeouts])
  })
}
