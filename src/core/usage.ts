// Stored model usage: by day, user and model, and by door.
import type { Door } from './doors.ts'
import type { UserId } from './ids.ts'
import type { ModelCall, Usage } from './turn.ts'

/**
 * A sum of costs: what is known of it, null when nothing is, and the number of calls with an unknown price, which are not in
 * it. (At least 1 for usage from before they were counted.)
 */
export type CostSum = { readonly costUsd: number | null; readonly unpricedCalls: number }

/** A user's usage of a model on one day. `date` is in UTC, such as 2026-01-31. `model` is empty for turns that asked none. */
export type DayUsage = Usage &
  CostSum & {
    readonly date: string
    readonly user: UserId
    readonly model: string
    readonly turns: number
  }

/** Totals of a range of days. */
export type UsageTotals = {
  /** The cost of the same number of days before; absent when nothing was used then. */
  readonly before?: CostSum
  /** Turns that started in the range and failed or were cancelled, as far as their threads still exist. */
  readonly failed: number
  readonly cancelled: number
  /** Without a `door`: usage from before it was counted by door. */
  readonly doors: readonly (CostSum & { readonly door?: Door; readonly turns: number })[]
}

export interface UsageStore {
  /** Adds a model call that belongs to no turn. */
  add(user: UserId, door: Door, call: ModelCall): Promise<void>
  /** The last `days` days, today included, newest first; of one user, or of all. */
  list(user: UserId | undefined, days: number): Promise<readonly DayUsage[]>
  totals(user: UserId | undefined, days: number): Promise<UsageTotals>
}
