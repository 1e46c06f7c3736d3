// Waiting for a condition, with a bound: what a test does in place of a sleep.
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'

const stepMs = 10

/** Looks again and again until it holds; fails when it does not come to hold. */
export async function until(holds: () => boolean | Promise<boolean>, withinMs = 30_000): Promise<void> {
  const end = performance.now() + withinMs
  while (!(await holds())) {
    assert(performance.now() < end, `it did not come to hold within ${withinMs} ms`)
    await pause(stepMs)
  }
}
