// Erases what removed threads left, in short transactions, so that other work goes on.
import { setImmediate as pass } from 'node:timers/promises'
import type { ThreadStore } from '#core/thread-store.ts'

/** Threads that a stopped process leaves are erased with the temporary ones. */
export async function eraseRemoved(threads: Pick<ThreadStore, 'eraseRemoved'>): Promise<void> {
  while (await threads.eraseRemoved()) await pass()
}
