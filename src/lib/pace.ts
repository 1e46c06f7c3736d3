// Long work on the one thread that everything shares.
import { setImmediate as others } from 'node:timers/promises'

/** So long at a stretch: a token that waits for it is not felt to be late. */
const stretchMs = 10

/** Made at the beginning of some work and awaited between its steps: lets others go first once a stretch is over. */
export function createPace(now: () => number = () => performance.now()): () => Promise<void> | undefined {
  let begun = now()
  return () => {
    if (now() - begun < stretchMs) return undefined
    return others().then(() => {
      begun = now()
    })
  }
}
