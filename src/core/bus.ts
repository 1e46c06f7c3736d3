// How events of a thread reach its watchers.
import type { Event } from './event.ts'

/** The text of an item that is still being written. */
export type Partial = { readonly turnId: string; readonly itemId: string; readonly text: string }

/** A subscription: batches of events, from the moment it was made. */
export interface Subscription extends AsyncIterable<readonly Event[]> {
  /** What was being written when the subscription began. */
  readonly partial: Partial | undefined
  close(): void
}

export interface Bus {
  publish(threadId: string, events: readonly Event[]): void
  subscribe(threadId: string): Subscription
  /** Asks whichever process runs the turn to stop it. */
  cancel(turnId: string): void
  onCancel(listener: (turnId: string) => void): void
  close(): Promise<void>
}
