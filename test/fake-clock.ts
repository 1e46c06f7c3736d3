// A clock that goes on only when there is nothing to do: pauses cost no time, and are as long as they should be.
import { syncBuiltinESMExports } from 'node:module'
import type { TestContext } from 'node:test'

const stepMs = 100

/**
 * Runs a work whose only waits are timers, of tenths of a second. `Date.now()` and `performance.now()` start at 0. Not for work that waits for a
 * socket or a file: the clock would run ahead of it.
 */
export async function withFakeClock<T>(t: TestContext, work: () => Promise<T>): Promise<T> {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  const monotonic = t.mock.method(performance, 'now', () => Date.now())
  // For those who import a timer by its name.
  syncBuiltinESMExports()
  try {
    let over = false
    const running = work().finally(() => {
      over = true
    })
    // Whoever fails is told by `running`, at the end.
    running.catch(() => {})
    while (!over) {
      await new Promise((resolve) => void setImmediate(resolve))
      if (!over) t.mock.timers.tick(stepMs)
    }
    return await running
  } finally {
    t.mock.timers.reset()
    monotonic.mock.restore()
    syncBuiltinESMExports()
  }
}

/** Does what is due at once; no time passes for anything else. */
export const stillClock = {
  now: () => 0,
  at(time: number, _name: string, job: () => void | Promise<void>) {
    if (time <= 0) queueMicrotask(() => void job())
    return { stop: () => Promise.resolve() }
  },
}
