// What was used of models, as the store keeps it: by day, user and model, and by door.
import type { Door } from './doors.ts'
import type { UserId } from './ids.ts'
import type { ModelCall, Usage } from './turn.ts'

/** What a user has used of a model on one day. `date` is of UTC, as 2026-01-31. */
export type DayUsage = Usage & {
  readonly date: string
  readonly user: UserId
  readonly model: string
  readonly turns: number
}

/** What some days come to, beside what each of them took. */
export type UsageTotals = {
  /** What as many days before them cost; absent when nothing was used then. */
  readonly beforeUsd?: number
  /** Turns that began in them and ended so, as far as their threads are still there. */
  readonly failed: number
  readonly cancelled: number
  /** Without a `door`, what was used before it was counted by doors. A cost is null where nobody knows any of it. */
  readonly doors: readonly { readonly door?: Door; readonly turns: number; readonly costUsd: number | null }[]
}

export interface UsageStore {
  /** Adds a call of a model that belongs to no turn. */
  add(user: UserId, door: Door, call: ModelCall): Promise<void>
  /** The last so many days, today included, newest first; of one user, or of all. */
  list(user: UserId | undefined, days: number): Promise<readonly DayUsage[]>
  totals(user: UserId | undefined, days: number): Promise<UsageTotals>
}
