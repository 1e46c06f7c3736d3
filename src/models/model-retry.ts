// When to try a model call again, and the wait until then.
import { setTimeout as timer } from 'node:timers/promises'

/** Attempts for one call, the first included. */
export const maxAttempts = 4
const firstDelayMs = 500
const maxDelayMs = 8_000
/** A longer Retry-After is cut to this, since the user is waiting. */
const maxRetryAfterMs = 30_000

/** Waits. Throws the signal's reason as soon as it is aborted. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

export const sleep: Sleep = async (ms, signal) => {
  try {
    await timer(ms, undefined, { signal })
  } catch (error) {
    signal.throwIfAborted()
    throw error
  }
}

/** True for a status that may go away by itself. */
export function isTransient(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500
}

/** The pause after a failed attempt (counted from 1): the server's Retry-After, else exponential with jitter. */
export function retryDelay(attempt: number, random: number, retryAfterMs?: number): number {
  if (retryAfterMs !== undefined) return Math.min(retryAfterMs, maxRetryAfterMs)
  const full = Math.min(firstDelayMs * 2 ** (attempt - 1), maxDelayMs)
  return Math.round(full * (0.5 + random / 2))
}

/** Reads a Retry-After header: seconds or a date. Undefined if it is missing or unreadable. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  const text = header.trim()
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
