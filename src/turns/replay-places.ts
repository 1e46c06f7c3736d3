// Places for replays: a page of stored entries may have megabytes and stays in memory until its reader took it. Watchers of
// one user take turns, however many threads they follow over however many connections.
import type { UserId } from '#core/ids.ts'
import { createSemaphores } from '#lib/semaphore.ts'

/** Long pages that wait for the readers of one user. */
const defaultMaxPlaces = 4

/** Waits for a place, in order. Returns the function that gives it back. Rejects when the signal aborts. */
export type TakePlace = (user: UserId, signal: AbortSignal) => Promise<() => void>

export function createReplayPlaces(maxPlaces = defaultMaxPlaces): TakePlace {
  const places = createSemaphores<UserId>(maxPlaces)
  return (user, signal) => places.take(user, signal)
}
