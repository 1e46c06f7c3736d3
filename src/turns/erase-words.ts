// Erases the words of deleted threads from the full-text index, where nobody should wait for the indexer to do so.
import { setImmediate as pass } from 'node:timers/promises'
import type { ThreadIndexStore } from '#core/thread-index.ts'

/** A process that is stopped leaves the rest to the indexer: its list has every deleted thread. */
export async function eraseWords(index: Pick<ThreadIndexStore, 'erase'>, threadIds: readonly string[]): Promise<void> {
  if (threadIds.length === 0) return
  while (await index.erase(threadIds)) await pass()
}
