// Waiting for a condition, with a bound: what a test does in place of a sleep.
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'

/** The first steps are short; a wait that takes long looks less often, since each look takes time from what is waited for. */
const stepMs = 10
const maxStepMs = 50
const stepGrowth = 1.2
/** How long a test waits for what must come about: a machine with more to do than it has cores is slow. */
export const patienceMs = 120_000

/** Looks again and again until it holds; fails when it does not come to hold. Looks that are costly take larger steps. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  withinMs = patienceMs,
  everyMs = stepMs,
): Promise<void> {
  const end = performance.now() + withinMs
  for (let step = everyMs; !(await holds()); step = Math.max(everyMs, Math.min(step * stepGrowth, maxStepMs))) {
    assert(performance.now() < end, `it did not come to hold within ${withinMs} ms`)
    await pause(step)
  }
}

/** Reads again and again until the value is the expected one; tells the last difference when it does not become so. */
export async function untilEqual<T>(read: () => T | Promise<T>, expected: T): Promise<void> {
  let last: T | undefined
  const look = async (): Promise<boolean> => isDeepStrictEqual((last = await read()), expected)
  await until(look).catch(() => assert.deepEqual(last, expected))
}
