// Waits until the work that a load left behind is done, such as the indexing of its threads.
import { setTimeout as sleep } from 'node:timers/promises'

const lookMs = 1_000
/** Less CPU time than this share of a core is rest. */
const maxRestShare = 0.02
/** Looks at rest, one after the other: the index begins only after a second without a turn. */
const minLooksAtRest = 3
const maxWaitMs = 30_000

/** Resolves when the CPU time (in milliseconds so far) has stayed at rest, or after `maxWaitMs`. */
export async function waitUntilSettled(cpuMs: () => Promise<number>, pause = sleepMs): Promise<void> {
  let before = await cpuMs()
  let atRest = 0
  for (let waitedMs = 0; waitedMs < maxWaitMs && atRest < minLooksAtRest; waitedMs += lookMs) {
    await pause(lookMs)
    const now = await cpuMs()
    atRest = now - before < maxRestShare * lookMs ? atRest + 1 : 0
    before = now
  }
}

async function sleepMs(ms: number): Promise<void> {
  await sleep(ms)
}
