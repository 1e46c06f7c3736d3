// Finds words in the messages of one thread, as the browser's own search does: every place, in the order of the thread.
import { findPattern } from '#core/find-pattern.ts'
import type { UserId } from '#core/ids.ts'
import type { ThreadStore } from '#core/thread-store.ts'

/** Items that one call passes, and bytes that it reads and looks through: it blocks other work meanwhile. */
const maxItems = 2_000
const maxReadBytes = 256 * 1024

/** A message that has the words, and how often. */
export type FindHit = { readonly seq: number; readonly count: number }

/** The hits after a seq, in a part of the thread; `nextAfter` is where the next part begins. */
export type FindPart = { readonly hits: readonly FindHit[]; readonly nextAfter?: number }

export type ThreadFind = (
  user: UserId,
  threadId: string,
  search: { readonly words: string; readonly after: number },
) => Promise<FindPart>

export function createThreadFind(threads: Pick<ThreadStore, 'said'>): ThreadFind {
  return async (user, threadId, { words, after }) => {
    const pattern = findPattern(words)
    if (!pattern) return { hits: [] }
    const { messages, through, more } = await threads.said(user, threadId, {
      after,
      limit: maxItems,
      maxBytes: maxReadBytes,
    })
    const counted = messages.map(({ seq, text }) => ({ seq, count: text.match(pattern)?.length ?? 0 }))
    return { hits: counted.filter(({ count }) => count > 0), ...(more && { nextAfter: through }) }
  }
}
