// How events of a thread reach its watchers.
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
  /** What stands in this user's system prompt was written. */
  | { readonly type: 'identity'; readonly user: UserId }

/** What a watcher knows when it begins. */
export type Known = {
  readonly seq: number
  /** The turn whose end it waits for. */
  readonly turn?: Turn
  /** The turn runs in this process: nobody else has to be asked. */
  readonly here?: boolean
}

export interface Bus {
  publish(threadId: string, events: readonly Event[]): void
  /** `from` tells what the watcher knows already, so that a process that was out of touch can tell it the rest. */
  subscribe(threadId: string, from?: Known): Subscription
  /** Tells every process, this one included. */
  signal(signal: Signal): void
  onSignal(listener: (signal: Signal) => void): void
  close(): Promise<void>
}
