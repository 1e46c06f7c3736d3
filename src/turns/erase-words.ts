// Erases the words of deleted threads from the full-text index, where nobody should wait for the indexer to do so.
import { setImmediate as pass } from 'node:timers/promises'
import type { ThreadIndexStore } from '#core/thread-index.ts'

/** Threads at once. SQLite stores them in one commit; over PostgreSQL others need connections, too. */
const together = 4

/** A process that is stopped leaves the rest to the indexer: its list has every deleted thread. */
export async function eraseWords(index: Pick<ThreadIndexStore, 'erase'>, threadIds: readonly string[]): Promise<void> {
  const eraseAll = async (threadId: string): Promise<void> => {
    while (await index.erase(threadId)) await pass()
  }
  for (let at = 0; at < threadIds.length; at += together)
    await Promise.all(threadIds.slice(at, at + together).map(eraseAll))
}
