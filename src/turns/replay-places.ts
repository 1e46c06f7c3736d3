// Places for replays: a page of stored entries may have megabytes and stays in memory until its reader took it. Watchers of
// one user take turns, however many threads they follow over however many connections.
import type { UserId } from '#core/ids.ts'
import { createSemaphore, type Semaphore } from '#lib/semaphore.ts'

/** Long pages that wait for the readers of one user. */
const defaultMaxPlaces = 4

/** Waits for a place, in order. Returns the function that gives it back. Rejects when the signal aborts. */
export type TakePlace = (user: UserId, signal: AbortSignal) => Promise<() => void>

export function createReplayPlaces(maxPlaces = defaultMaxPlaces): TakePlace {
  const places = new Map<UserId, Semaphore>()
  return async (user, signal) => {
    const own = places.get(user) ?? createSemaphore(maxPlaces)
    places.set(user, own)
    const release = await own.take(signal)
    return () => {
      release()
      // A second call must not remove the places that were opened since.
      if (own.taken === 0 && places.get(user) === own) places.delete(user)
    }
  }
}
