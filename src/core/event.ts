// Events for watchers of a thread. Deltas are never stored; entries are stored before anyone sees them.
import type { Entry } from './item.ts'
import type { CallProgress } from './tool.ts'
import type { Turn } from './turn.ts'

/** Streamed text. `offset` is its position in the item, so that a late watcher neither misses nor repeats text. */
export type Delta = {
  readonly type: 'delta'
  readonly turnId: string
  readonly itemId: string
  /** The id of the previous text item in the same response, which is complete now. */
  readonly after?: string
  /**
   * The id of the first item of the same response. Only the first piece of each item has it. Later responses have later
   * ids: whatever an earlier one has not stored was given up.
   */
  readonly firstId?: string
  readonly offset: number
  readonly text: string
}

/** How far a running call is, as its tool reports it. Never stored; the latest report counts. */
export type Progress = CallProgress & { readonly type: 'progress'; readonly turnId: string; readonly callId: string }

/**
 * Streamed reasoning of an item that is stored with the whole response. Nobody who joins later is told its beginning, and a
 * piece that is lost is not sent again: the stored item has all of it.
 */
export type Thought = Omit<Delta, 'type' | 'after'> & { readonly type: 'thought' }

export type Event =
  | Delta
  | Thought
  | Progress
  | { readonly type: 'entries'; readonly entries: readonly Entry[] }
  | { readonly type: 'turn'; readonly turn: Turn }
