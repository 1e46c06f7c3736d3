// What the store cannot take now is tried again: a database that is away comes back, and a full disk is made room on.
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, type ErrorCode } from '#core/errors.ts'

/** What passes by itself, or once somebody has made room. */
const awayCodes: ReadonlySet<ErrorCode> = new Set(['database_unavailable', 'disk_full', 'home_unwritable'])
const retryMs = [100, 250, 500, 1_000, 2_000, 5_000]

export type Patience = {
  /** True when nobody can wait any longer: the fault is thrown. */
  readonly over: () => boolean
  readonly failed?: (fault: AppError) => void
  /** Ends a pause early. */
  readonly signal?: AbortSignal
}

/** Does something until the store takes it; `again` is set from the second attempt on. */
export async function untilStored<T>(work: (again: boolean) => Promise<T>, patience: Patience): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work(attempt > 0)
    } catch (error) {
      if (!isAway(error) || patience.over()) throw error
      patience.failed?.(error)
      const ms = retryMs[Math.min(attempt, retryMs.length - 1)]
      await sleep(ms, undefined, patience.signal && { signal: patience.signal }).catch(() => {})
    }
  }
}

/** True for a fault of the store that is not the fault of what was to be stored. */
export function isAway(error: unknown): error is AppError {
  return error instanceof AppError && awayCodes.has(error.code)
}
