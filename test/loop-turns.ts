// Counts the turns of the event loop that a work leaves to others, on a clock by which every step of it takes long.
import type { TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** The turns of the loop that passed before the work was done. */
export async function loopTurns(t: TestContext, work: () => Promise<unknown>): Promise<number> {
  // From the real time on: paced work may have begun in this turn of the loop.
  let now = performance.now()
  const clock = t.mock.method(performance, 'now', () => (now += 20))
  let turns = 0
  let timer: NodeJS.Immediate
  const count = (): void => {
    turns++
    timer = setImmediate(count)
  }
  timer = setImmediate(count)
  try {
    await work()
    return turns
  } finally {
    clearImmediate(timer)
    clock.mock.restore()
    // Paced work began at a time of that clock: with the next turn it begins anew.
    await nextTurn()
  }
}
