// The history of a client that names the response or the conversation it continues. It sends only what is new; the hash of
// the whole continues the latest point of the thread, so that the client can send the whole history later.
import type { UserId } from '#core/ids.ts'
import type { ChainEnd } from '#core/thread-store.ts'
import type { Thread, TurnOptions } from '#core/turn.ts'
import { hashOfInstructions } from '#doors/openai/blocks.ts'
import { type ChainedItem, chainOfRequest } from '#doors/openai/find-thread.ts'
import type { Threads } from '#turns/threads.ts'
import type { Previous } from './request.ts'

export type Named = {
  readonly threadId: string
  /** The response that the client continues. */
  readonly previous?: Previous | undefined
  /** The conversation that the client continues. */
  readonly conversation?: Thread | undefined
}

export type Added = {
  readonly items: readonly ChainedItem[]
  /** The instructions that are added to the thread. */
  readonly instructions: readonly string[]
}

/** The options of a turn that tell its history. */
export async function chainOfNamed(
  threads: Pick<Threads, 'chainEnd'>,
  user: UserId,
  named: Named,
  { items, instructions }: Added,
): Promise<Pick<TurnOptions, 'chain' | 'instructions'>> {
  const isEmpty = named.conversation?.lastSeq === 0
  const end = isEmpty ? undefined : await threads.chainEnd(user, named.threadId)
  const { history } = await chainOfRequest(items, isEmpty ? '' : hashBefore(named, end))
  const standing = instructions.length > 0 ? undefined : end?.instructions
  return { chain: history, instructions: standing ?? hashOfInstructions(instructions) }
}

/**
 * What the new items continue. A turn behind an earlier response, or behind one without a point, continues what no history
 * has: its own point is never found, and the one before it is no longer the latest of the thread.
 */
function hashBefore({ threadId, previous }: Named, end: ChainEnd | undefined): string {
  if (end && (!previous || previous.turnId === end.turnId)) return end.hash
  return `after ${previous?.turnId ?? threadId}`
}
