// Yielding to the event loop during long work on the main thread.
import { setImmediate as yieldToOthers } from 'node:timers/promises'

/** The longest time without yielding: a user does not notice a token that is this late. */
const maxBlockMs = 10

export type Pace = () => Promise<void> | undefined

/** Create it at the start of some work and await it between steps: it yields once `maxBlockMs` have passed. */
export function createPace(now: () => number = () => performance.now()): Pace {
  let begun = now()
  return () => {
    if (now() - begun < maxBlockMs) return undefined
    return yieldToOthers().then(() => {
      begun = now()
    })
  }
}

/** Does work that is cut into slices, and yields to the event loop between them. */
export async function inPace<T>(work: Generator<void, T>): Promise<T> {
  const pace = createPace()
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
    await pace()
  }
}
