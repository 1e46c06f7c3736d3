// Streams that must not end: each is opened again after a pause, for as long as it takes.
import { setTimeout as pause } from 'node:timers/promises'
import { AppError } from '#core/errors.ts'

/** How long to wait before a stream is opened again, the second time and later. */
const againMs = 1_000

export type Kept<T> = {
  readonly open: (signal: AbortSignal) => AsyncIterable<T>
  readonly take: (batch: T) => void
  /** It ended, or could not be opened: it will be tried again. */
  readonly lost: () => void
  readonly signal: AbortSignal
}

/** Follows a stream until the signal. Throws not_found: what is gone does not come back. */
export async function keepFollowing<T>({ open, take, lost, signal }: Kept<T>): Promise<void> {
  for (let failed = false; !signal.aborted; ) {
    try {
      for await (const batch of open(signal)) {
        failed = false
        take(batch)
      }
      if (!signal.aborted) lost()
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof AppError && error.code === 'not_found') throw error
      lost()
    }
    if (failed) await pause(againMs, undefined, { signal }).catch(() => {})
    failed = true
  }
}
