// What a watcher of a thread sees. Deltas are never stored; entries are stored before anyone sees them.
import type { Entry } from './item.ts'
import type { Turn } from './turn.ts'

/** Text as it arrives: `offset` is where it stands in its item, so that a late watcher neither misses nor doubles. */
export type Delta = {
  readonly type: 'delta'
  readonly turnId: string
  readonly itemId: string
  /** The text before this one in the same response, which is whole now. */
  readonly after?: string
  readonly offset: number
  readonly text: string
}

export type Event =
  | Delta
  | { readonly type: 'entries'; readonly entries: readonly Entry[] }
  | { readonly type: 'turn'; readonly turn: Turn }
