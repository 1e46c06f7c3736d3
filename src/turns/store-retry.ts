// Retries work while the store is unavailable: the database may come back, and a full disk may be cleared.
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, type ErrorCode } from '#core/errors.ts'

/** Faults that pass by themselves, or once somebody has freed disk space. */
const awayCodes: ReadonlySet<ErrorCode> = new Set(['database_unavailable', 'disk_full', 'home_unwritable'])
const retryMs = [100, 250, 500, 1_000, 2_000, 5_000]

export type Patience = {
  /** When true, there are no more retries and the fault is thrown. */
  readonly over: () => boolean
  readonly failed?: (fault: AppError) => void
  /** Ends a pause early. */
  readonly signal?: AbortSignal
}

/** Repeats the work until the store accepts it; `again` is true from the second attempt on. */
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

/** True when the store is unavailable, as opposed to refusing the data. */
export function isAway(error: unknown): error is AppError {
  return error instanceof AppError && awayCodes.has(error.code)
}
