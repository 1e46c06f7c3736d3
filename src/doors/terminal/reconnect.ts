// Keeps a stream open: when it ends or fails it is opened again, until the signal aborts.
import { setTimeout as pause } from 'node:timers/promises'
import { AppError } from '#core/errors.ts'

/** Wait before the second and later attempts to open a stream again; the first is immediate. */
const defaultRetryMs = 1_000

export type Following<T> = {
  readonly open: (signal: AbortSignal) => AsyncIterable<T>
  readonly take: (batch: T) => void
  /** Called when the stream ended or could not be opened, before the next attempt. */
  readonly lost?: () => void
  readonly signal: AbortSignal
  readonly retryMs?: number
}

/** Follows a stream until the signal aborts. Throws not_found, since retrying a deleted thread is useless. */
export async function keepFollowing<T>(following: Following<T>): Promise<void> {
  const { open, take, lost, signal, retryMs = defaultRetryMs } = following
  for (let failed = false; !signal.aborted; ) {
    try {
      for await (const batch of open(signal)) {
        failed = false
        take(batch)
      }
      if (!signal.aborted) lost?.()
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof AppError && error.code === 'not_found') throw error
      lost?.()
    }
    if (failed) await pause(retryMs, undefined, { signal }).catch(() => {})
    failed = true
  }
}
