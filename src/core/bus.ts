// The bus: carries the events of a thread to its watchers, and changes in a user's lists to their followers.
import type { ErrorCode } from './errors.ts'
import type { Delta, Event } from './event.ts'
import type { UserId } from './ids.ts'
import type { Turn } from './turn.ts'

/** The text so far of an item that the model is still writing. */
export type PartialText = Omit<Delta, 'type' | 'offset'>

/** A subscription to a thread: batches of events, from the moment it was made. */
export interface Subscription extends AsyncIterable<readonly Event[]> {
  /** The text that was being written when the subscription began. */
  readonly partial: PartialText | undefined
  close(): void
}

/** Messages between processes that are not about one thread. */
export type Signal =
  /** Stops a turn in the process that runs it: cancelled if `code` is turn_cancelled, else failed with `code`. */
  | { readonly type: 'stop'; readonly turnId: string; readonly code: ErrorCode; readonly message: string }
  /** A queued turn waits for a process that can run it. */
  | { readonly type: 'queued' }
  | { readonly type: 'settings' }
  /** The secrets of this user, or of the operator, have changed. */
  | { readonly type: 'secrets'; readonly owner: UserId }
  /** A document of this user's system prompt was written. */
  | { readonly type: 'identity'; readonly user: UserId }
  /** This user was removed: each process deletes the user's files in its home. */
  | { readonly type: 'removed'; readonly user: UserId }
  /** The skills of this user have changed, or what the user has switched off. */
  | { readonly type: 'skills'; readonly user: UserId }
  /** The grants of this user have changed. */
  | { readonly type: 'grants'; readonly user: UserId }
  /** The schedule of a mission has changed. */
  | { readonly type: 'missions' }
  /** An account of a chat channel was connected or disconnected. */
  | { readonly type: 'channels' }
  /** Ways of notification have changed, or there is something to send. */
  | { readonly type: 'notifications'; readonly what: 'ways' | 'outbox' }
  /** A reader of a turn's stream left, is there, will not be back, or the turn was asked for. `from` is the process. */
  | {
      readonly type: 'reader'
      readonly turnId: string
      readonly what: 'left' | 'reading' | 'gone' | 'seen'
      readonly from: string
    }

/** The state a watcher starts from. */
export type WatchStart = {
  /** The last entry the watcher has. */
  readonly seq: number
  /** The turn whose end it waits for. */
  readonly turn?: Turn
  /** The turn runs in this process: no other process needs to be asked. */
  readonly here?: boolean
}

/** A change in a user's lists of threads, jobs and gates. It carries only ids; without any, everything may have changed. */
export type ListChange = { readonly threadId?: string; readonly turnId?: string }

/** The owner of changed lists: that of a turn or thread. Without a door the operator's lists are not affected. */
export type ListOwner = Pick<Turn, 'userId'> & Partial<Pick<Turn, 'door'>>

/** A subscription to a user's lists: batches of changes, from the moment it was made. */
export interface ListChanges extends AsyncIterable<readonly ListChange[]> {
  close(): void
}

export interface Bus {
  publish(threadId: string, events: readonly Event[]): void
  /** Drops the text that is being written in a thread, or by one of its turns: its end will not be published here. */
  forget(threadId: string, turnId?: string): void
  /** `from` is what the watcher has already: a process that lost its connection sends it what came after. */
  subscribe(threadId: string, from?: WatchStart): Subscription
  /** Notifies followers of the owner's lists, and of the operator's if the operator reaches the door. */
  publishChange(owner: ListOwner, change: ListChange): void
  /** Follows a user's lists. A follower that falls too far behind is cut off, and must read the lists again. */
  subscribeChanges(user: UserId): ListChanges
  /** Sends to every process, this one included. */
  signal(signal: Signal): void
  onSignal(listener: (signal: Signal) => void): void
  close(): Promise<void>
}
