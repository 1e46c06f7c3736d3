// The history of a client that names the response or the conversation it continues. It sends only what is new; the hash of
// the whole continues the latest point of the thread, so that the client can send the whole history later.
import type { UserId } from '#core/ids.ts'
import type { ChainEnd } from '#core/thread-store.ts'
import type { Thread, Turn, TurnOptions } from '#core/turn.ts'
import { hashOfInstructions } from '#doors/openai/blocks.ts'
import { type ChainedItem, chainOfRequest } from '#doors/openai/find-thread.ts'
import type { Threads } from '#turns/threads.ts'
import type { StartTurn } from '#turns/turns.ts'

export type Named = {
  readonly threadId: string
  /** The turn of the response that the client continues. */
  readonly previous?: Turn | undefined
  /** The conversation that the client continues. */
  readonly conversation?: Thread | undefined
}

export type Added = {
  readonly items: readonly ChainedItem[]
  /** The instructions that are added to the thread. */
  readonly instructions: readonly string[]
}

type NamedHistory = Pick<StartTurn, 'chainSeq'> & {
  readonly options: Pick<TurnOptions, 'chain' | 'instructions'>
}

/** What tells the history of a turn; nothing where the history before it is not known. */
export async function chainOfNamed(
  threads: Pick<Threads, 'chainEnd'>,
  user: UserId,
  named: Named,
  { items, instructions }: Added,
): Promise<NamedHistory> {
  const before = await historyBefore(threads, user, named)
  if (!before) return { options: {} }
  const { history } = await chainOfRequest(items, before.hash)
  const standing = instructions.length > 0 ? undefined : before.instructions
  const options = { chain: history, instructions: standing ?? hashOfInstructions(instructions) }
  return { options, chainSeq: before.lastSeq }
}

type History = Omit<ChainEnd, 'turnId'>

async function historyBefore(
  threads: Pick<Threads, 'chainEnd'>,
  user: UserId,
  { threadId, previous, conversation }: Named,
): Promise<History | undefined> {
  if (conversation?.lastSeq === 0) return { hash: '', lastSeq: 0 }
  if (previous && previous.options.chain === undefined) return undefined
  const end = await threads.chainEnd(user, threadId)
  if (!end || !previous || previous.id === end.turnId) return end
  if (previous.id > end.turnId) return undefined
  // The thread goes on from its end, the client from an earlier response. The turn continues what no history has: its point
  // is never found, and the point before it is no longer the latest of the thread.
  return { ...end, hash: `after ${previous.id}` }
}
