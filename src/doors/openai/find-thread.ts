// Finds the thread that the history of a request belongs to, by its replay chain.
import type { UserId } from '#core/ids.ts'
import { type Chain, type ChainMessage, createChain } from '#core/replay-chain.ts'
import type { ForkPoint, ThreadStore } from '#core/store.ts'
import { createPace } from '#lib/pace.ts'

/** Where a request continues. Its messages from the index `fresh` on are not in the thread yet. */
export type Place =
  | { readonly kind: 'new'; readonly fresh: 0 }
  /** The history is what the client of this thread has seen: the thread goes on. `turnId` answered it last. */
  | { readonly kind: 'thread'; readonly threadId: string; readonly turnId: string; readonly fresh: number }
  /** The history left a thread at an earlier point (an edit, a retry), or has answers that the thread did not give. */
  | { readonly kind: 'fork'; readonly forks: ForkPoint; readonly fresh: number }

/** Hashes the messages of a request. A long history is hashed in slices, so that other requests go on. */
export async function chainOfRequest(messages: readonly ChainMessage[]): Promise<Chain> {
  const pace = createPace()
  const chain = createChain()
  for (const message of messages) {
    chain.add(message)
    const pause = pace()
    if (pause) await pause
  }
  return chain.end()
}

/**
 * The longest known part of a history decides, of this user's threads alone. Messages without an answer among them always
 * start a new thread.
 */
export async function findThread(
  threads: Pick<ThreadStore, 'findByChain'>,
  user: UserId,
  { points }: Chain,
): Promise<Place> {
  if (points.length === 0) return { kind: 'new', fresh: 0 }
  const longestFirst = points.toReversed()
  const found = await threads.findByChain(
    user,
    longestFirst.map(({ hash }) => hash),
  )
  if (!found) return { kind: 'new', fresh: 0 }
  const fresh = longestFirst.find(({ hash }) => hash === found.hash)?.count ?? 0
  const { threadId, turnId, forkAt } = found
  if (forkAt === undefined) return { kind: 'thread', threadId, turnId, fresh }
  return { kind: 'fork', forks: { threadId, beforeSeq: forkAt }, fresh }
}
