// A running turn of a client that sends its history, and what its watchers hear of it.
import { userId } from '#core/ids.ts'
import { noUsage, type Turn } from '#core/turn.ts'
import type { TurnStatus } from '#core/turn-status.ts'
import type { Watched } from '#turns/watch.ts'

export const turn: Turn = {
  id: 't1',
  threadId: 'h1',
  userId: userId('ann'),
  door: 'responses',
  status: 'running',
  options: { chain: 'history' },
  createdAt: 0,
  usage: noUsage,
}

/** A piece of the text of an item. */
export const delta = (itemId: string, offset: number, text: string): Watched => ({
  type: 'delta',
  turnId: turn.id,
  itemId,
  offset,
  text,
})

/** The turn comes to rest, or goes on. */
export const rest = (status: TurnStatus): Watched => ({ type: 'turn', turn: { ...turn, status } })
