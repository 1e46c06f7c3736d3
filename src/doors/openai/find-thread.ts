// Finds the thread that the history of a request belongs to, by its replay chain.
import type { UserId } from '#core/ids.ts'
import type { Part } from '#core/item.ts'
import { type Chain, type ChainMessage, ChainWriter } from '#core/replay-chain.ts'
import type { ForkPoint, ThreadStore } from '#core/thread-store.ts'
import { pace } from '#lib/pace.ts'
import type { HistoryItem } from './seed.ts'

/** Where a request continues. Its messages from the index `fresh` on are not in the thread yet; `turnId` gave the answer
 * before them. */
export type Place =
  | { readonly kind: 'new'; readonly fresh: 0 }
  /** The history is what the client of this thread has seen: the thread goes on. */
  | { readonly kind: 'thread'; readonly threadId: string; readonly turnId: string; readonly fresh: number }
  /**
   * The history left a thread at an earlier point (an edit, a retry), or has answers that the thread did not give, or the
   * thread runs another turn.
   */
  | { readonly kind: 'fork'; readonly forks: ForkPoint; readonly turnId: string; readonly fresh: number }

/** A message of a request that is part of its chain. */
export type ChainedItem = Exclude<HistoryItem, { type: 'system' }>

/**
 * Hashes the messages of a request, which continue the hash `from`. A long history is hashed in slices, so that other
 * requests go on.
 */
export async function chainOfRequest(items: readonly ChainedItem[], from?: string): Promise<Chain> {
  const chain = new ChainWriter(from)
  for (const item of items) {
    for (const _ of chain.add(chainMessage(item))) await pace()
    const pause = pace()
    if (pause) await pause
  }
  return chain.end()
}

function chainMessage(item: ChainedItem): ChainMessage {
  switch (item.type) {
    case 'message': {
      const text = item.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
      if (item.role === 'assistant') return { role: 'assistant', text }
      return { role: 'user', text, media: item.content.flatMap(mediaOf) }
    }
    case 'call':
      return { role: 'assistant', text: '', callIds: [item.callId] }
    case 'output':
      return { role: 'tool', callId: item.callId, text: item.output }
    default:
      return item satisfies never
  }
}

function mediaOf(part: Part): string[] {
  if (part.type === 'text' || part.type === 'framing') return []
  return part.type === 'image' ? [part.url] : [`${part.name}:${part.text}`]
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
  return { kind: 'fork', forks: { threadId, beforeSeq: forkAt }, turnId, fresh }
}
