// How a turn ended, for doors that show it as a job.
import { replyIn } from '#core/calls.ts'
import type { Entry } from '#core/item.ts'
import type { Turn } from '#core/turn.ts'
import type { ThreadStore } from '#core/thread-store.ts'

/** Rows at the end of a turn, enough for its last response. */
const endLength = 8

/** The reply of a completed turn; empty for any other turn. */
export async function readReply(threads: Pick<ThreadStore, 'entries'>, turn: Turn): Promise<string> {
  return replyIn((await readEnd(threads, turn)).map(({ item }) => item)) ?? ''
}

/** The last few entries of a completed turn; empty for any other turn. */
export async function readEnd(threads: Pick<ThreadStore, 'entries'>, turn: Turn): Promise<readonly Entry[]> {
  const { userId, threadId, firstSeq = 1, lastSeq, status } = turn
  if (status !== 'completed' || lastSeq === undefined) return []
  const after = Math.max(lastSeq - endLength, firstSeq - 1)
  const { entries } = await threads.entries(userId, threadId, { after, upTo: lastSeq, limit: endLength })
  return entries.filter(({ turnId }) => turnId === turn.id)
}
