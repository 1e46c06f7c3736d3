// How events of a thread reach its watchers, and changes of a user's lists whoever follows them.
import type { ErrorCode } from './errors.ts'
import type { Delta, Event } from './event.ts'
import type { UserId } from './ids.ts'
import type { Turn } from './turn.ts'

/** The text of an item that is still being written. */
export type Unfinished = Omit<Delta, 'type' | 'offset'>

/** A subscription: batches of events, from the moment it was made. */
export interface Subscription extends AsyncIterable<readonly Event[]> {
  /** What was being written when the subscription began. */
  readonly partial: Unfinished | undefined
  close(): void
}

/** What processes tell each other apart from threads. */
export type Signal =
  /** Whichever process runs the turn shall stop it: cancelled, or failed where a fault is named. */
  | { readonly type: 'stop'; readonly turnId: string; readonly code: ErrorCode; readonly message: string }
  /** A turn waits for a process with room. */
  | { readonly type: 'queued' }
  | { readonly type: 'settings' }
  /** What this user, or the operator, keeps sealed has changed. */
  | { readonly type: 'secrets'; readonly owner: UserId }
  /** What stands in this user's system prompt was written. */
  | { readonly type: 'identity'; readonly user: UserId }
  /** This user was removed: what a process has of theirs in its home goes too. */
  | { readonly type: 'removed'; readonly user: UserId }
  /** What this user has allowed beyond one call has changed. */
  | { readonly type: 'grants'; readonly user: UserId }

/** What a watcher knows when it begins. */
export type Known = {
  readonly seq: number
  /** The turn whose end it waits for. */
  readonly turn?: Turn
  /** The turn runs in this process: nobody else has to be asked. */
  readonly here?: boolean
}

/** Something in a user's lists of threads, jobs and gates has changed. It carries ids, the reader reads; without any, all may have. */
export type Change = { readonly threadId?: string; readonly turnId?: string }

/** Whose lists have changed: a turn or thread, or without a door the user's own alone. */
export type Concerned = Pick<Turn, 'userId'> & Partial<Pick<Turn, 'door'>>

/** A follower of a user's lists: batches of changes, from the moment it was made. */
export interface Changes extends AsyncIterable<readonly Change[]> {
  close(): void
}

export interface Bus {
  publish(threadId: string, events: readonly Event[]): void
  /** `from` tells what the watcher knows already, so that a process that was out of touch can tell it the rest. */
  subscribe(threadId: string, from?: Known): Subscription
  /** Tells followers of a user's lists, and the operator's where the operator reaches the door. Nothing happens without any. */
  changed(whose: Concerned, change: Change): void
  /** Follows a user's lists. A follower that falls too far behind is cut off and comes back to read. */
  changes(user: UserId): Changes
  /** Tells every process, this one included. */
  signal(signal: Signal): void
  onSignal(listener: (signal: Signal) => void): void
  close(): Promise<void>
}
