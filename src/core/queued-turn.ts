// The storage interface of queued turns that have not begun: their input is not in the log yet.
import type { UserId } from './ids.ts'
import type { Draft } from './item.ts'
import type { Turn } from './turn.ts'

export interface QueuedTurnStore {
  /** A queued turn that has not begun, with its input. Throws not_found, turn_started. */
  queuedInput(user: UserId, turnId: string): Promise<{ readonly turn: Turn; readonly input: readonly Draft[] }>
  /** Replaces the input of such a turn. Throws not_found, turn_started, storage_full. */
  replaceInput(user: UserId, turnId: string, input: readonly Draft[]): Promise<Turn>
  /** Cancels such a turn. Throws not_found, turn_started. */
  withdraw(user: UserId, turnId: string): Promise<Turn>
  /** Cancels all such turns of a thread and returns them. */
  withdrawAll(user: UserId, threadId: string): Promise<readonly Turn[]>
}
