// A clock that stands still while there is work, and goes to the next timer when there is none: pauses cost no time.
import { syncBuiltinESMExports } from 'node:module'
import type { TestContext } from 'node:test'

/**
 * Runs a work whose only waits are timers. `Date.now()` starts at 0. Not for work that waits for a socket or a file: the
 * clock would run ahead of it.
 */
export async function withFakeClock<T>(t: TestContext, work: () => Promise<T>): Promise<T> {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] })
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
      if (!over) t.mock.timers.runAll()
    }
    return await running
  } finally {
    t.mock.timers.reset()
    syncBuiltinESMExports()
  }
}
