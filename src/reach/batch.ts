// Decides what is sent of the entries that are due on one way, and when a failed one is tried again. Pure.
import type { NewsEvent, OutboxEntry } from '#core/notification.ts'
import { dayMs } from '#core/time.ts'
import type { Outcome } from './way.ts'

/** More entries than this that are due on one way become one summary. */
const maxSingle = 5
const maxTries = 10
/** News that is older is not sent any more. */
export const maxAgeMs = dayMs
const firstRetryMs = 1_000
const maxRetryMs = 600_000
/** The factor between two waits: ten tries take about half an hour. */
const retryFactor = 3

/** True if the entries that are due on one way become one message. Those that were held for quiet hours do. */
export function isSummarized(entries: readonly Pick<OutboxEntry, 'held'>[]): boolean {
  return entries.length > maxSingle || (entries.length > 1 && entries.some(({ held }) => held))
}

/** How many of each event there are. */
export function countEvents(entries: readonly Pick<OutboxEntry, 'event'>[]): Partial<Record<NewsEvent, number>> {
  const counts: Partial<Record<NewsEvent, number>> = {}
  for (const { event } of entries) counts[event] = (counts[event] ?? 0) + 1
  return counts
}

/** The wait after a try that failed, the first being 1. */
export function retryMs(tries: number): number {
  return Math.min(firstRetryMs * retryFactor ** (tries - 1), maxRetryMs)
}

/** When an entry is tried again; undefined if it was tried often enough, or is too old by then. */
export function nextTry(
  { tries, createdAt }: Pick<OutboxEntry, 'tries' | 'createdAt'>,
  outcome: Outcome & { readonly type: 'later' },
  now: number,
): number | undefined {
  const at = now + Math.max(retryMs(tries), outcome.retryAfterMs ?? 0)
  return tries >= maxTries || at > createdAt + maxAgeMs ? undefined : at
}
