// Events for watchers of a thread. Deltas are never stored; entries are stored before anyone sees them.
import type { Entry } from './item.ts'
import type { Turn } from './turn.ts'

/** Streamed text. `offset` is its position in the item, so that a late watcher neither misses nor repeats text. */
export type Delta = {
  readonly type: 'delta'
  readonly turnId: string
  readonly itemId: string
  /** The id of the previous text item in the same response, which is complete now. */
  readonly after?: string
  readonly offset: number
  readonly text: string
}

export type Event =
  | Delta
  | { readonly type: 'entries'; readonly entries: readonly Entry[] }
  | { readonly type: 'turn'; readonly turn: Turn }
