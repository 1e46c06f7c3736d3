// Rate limits by a sliding window, and their in-memory store, bounded in keys and in entries per key.
import type { LimitStore } from '#core/store.ts'
import { evictOldest } from '#lib/evict.ts'

const maxKeys = 20_000

type Window = { readonly limit: number; readonly windowMs: number; readonly now: number }

/** Entries stored per key. Up to this limit each use has its own entry, and the window is exact. */
const maxEntries = 60

/** One use at a time, or several in the slice of the window that begins at a time (for limits above `maxEntries`). */
export type Use = number | readonly [at: number, uses: number]

/** Decides on one more use of a key, given its earlier uses. Returns the verdict and the uses to store. */
export function usesWithin(before: readonly Use[], { limit, windowMs, now }: Window) {
  const slice = limit > maxEntries ? windowMs / maxEntries : 0
  // A slice counts until its last moment leaves the window: the limit is never exceeded. The clock of another process may be
  // a little ahead; a use that is further ahead is from a time before the clock was set back.
  const uses = before.filter((use) => atOf(use) + slice > now - windowMs && atOf(use) <= now + windowMs)
  const count = uses.reduce<number>((sum, use) => sum + countOf(use), 0)
  const allowed = count < limit
  const retryAfterMs = allowed ? 0 : atOf(uses[0] ?? now) + slice + windowMs - now
  const last = uses.at(-1)
  if (allowed && last !== undefined && now < atOf(last) + slice) uses[uses.length - 1] = [atOf(last), countOf(last) + 1]
  else if (allowed) uses.push(now)
  return { uses, allowed, retryAfterMs }
}

function atOf(use: Use): number {
  return typeof use === 'number' ? use : use[0]
}

function countOf(use: Use): number {
  return typeof use === 'number' ? 1 : use[1]
}

/** Limits in memory. Beyond `maxKeys` the least recently used key is forgotten. */
export function createMemoryLimits(): LimitStore {
  const known = new Map<string, readonly Use[]>()
  return {
    take(key, limit, windowMs, now) {
      const { uses, ...verdict } = usesWithin(known.get(key) ?? [], { limit, windowMs, now })
      known.delete(key)
      known.set(key, uses)
      evictOldest(known, maxKeys)
      return Promise.resolve(verdict)
    },
  }
}
