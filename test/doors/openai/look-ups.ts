// Requests with one history that are all looked up before any of them starts a turn.
import type { TestContext } from 'node:test'
import type { Threads } from '#turns/threads.ts'

/** How requests go on from there. */
export const releases = ['all at once', 'one behind the answer of the other'] as const

/**
 * Holds the next six look-ups until each has found what it finds. Returns the function to call when a request was answered.
 */
export function holdLookUps(t: TestContext, threads: Threads, release: (typeof releases)[number]): () => void {
  const count = 6
  const find = threads.findByChain
  const held: (() => void)[] = []
  const mocked = t.mock.method(threads, 'findByChain', async (...of: Parameters<typeof find>) => {
    const found = await find(...of)
    const { promise, resolve } = Promise.withResolvers<void>()
    if (held.push(resolve) === count) {
      mocked.mock.restore()
      for (const go of held.splice(0, release === 'all at once' ? count : 1)) go()
    }
    await promise
    return found
  })
  return () => held.shift()?.()
}
