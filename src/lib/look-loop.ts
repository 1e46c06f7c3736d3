// Looks for work that is due: at the time that the last look named, when it is woken, and again after a fault. There is
// one look at a time, and no timer keeps the process from ending.
import { setImmediate as pass } from 'node:timers/promises'

/** A timer takes no longer wait. */
const maxTimerMs = 2 ** 31 - 1

export type LookLoop = {
  /** Looks soon; during a look, once more after it. */
  readonly wake: () => void
  /** Makes no other look; resolves once the look under way has ended. */
  readonly stop: () => Promise<void>
}

export type LookLoopParts = {
  /** Returns the time until the next look; undefined to wait until the loop is woken. */
  readonly look: () => Promise<number | undefined>
  /** Called when a look has failed, `times` in a row. Returns the time until it is tried again. */
  readonly onFault: (error: unknown, times: number) => number
  /** The time until the first look; without it the loop waits until it is woken. */
  readonly firstMs?: number
}

export function createLookLoop({ look, onFault, firstMs }: LookLoopParts): LookLoop {
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let again = false
  let stopped = false
  let faults = 0
  if (firstMs === 0) wake()
  else if (firstMs !== undefined) wakeAfter(firstMs)

  function wake(): void {
    // A wake during a look may be about work that the look did not see.
    again = looking !== undefined
    if (stopped || looking) return
    clearTimeout(timer)
    looking = lookOnce().finally(() => {
      looking = undefined
      if (again) wake()
    })
  }

  async function lookOnce(): Promise<void> {
    // Wakes of one tick are one look.
    await pass()
    const nextMs = stopped ? undefined : await tryLook()
    if (nextMs === 0) again = true
    else if (nextMs !== undefined) wakeAfter(nextMs)
  }

  async function tryLook(): Promise<number | undefined> {
    try {
      const nextMs = await look()
      faults = 0
      return nextMs
    } catch (error) {
      return onFault(error, ++faults)
    }
  }

  function wakeAfter(ms: number): void {
    if (!stopped) timer = setTimeout(wake, Math.min(Math.max(ms, 0), maxTimerMs)).unref()
  }

  return {
    wake,
    async stop() {
      stopped = true
      clearTimeout(timer)
      await looking
    },
  }
}
