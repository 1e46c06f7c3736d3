// Rate limits: a sliding window, and its memory for one process, bounded in keys and in what a key takes.
import type { LimitStore } from '#core/store.ts'
import { evictOldest } from '#lib/evict.ts'

const maxKeys = 20_000

type Window = { readonly limit: number; readonly windowMs: number; readonly now: number }

/** Entries that are remembered of a key. Up to so many uses each has one of its own, and the window is exact. */
const maxEntries = 60

/** Uses at a time: a time alone is one. Those of a busy key are counted by the slice of the window they fell into. */
export type Use = number | readonly [at: number, uses: number]

/** One more use of a key whose earlier uses are known: whether it is let through, and the uses to remember. */
export function usesWithin(before: readonly Use[], { limit, windowMs, now }: Window) {
  const slice = limit > maxEntries ? windowMs / maxEntries : 0
  // A slice ends with its last moment: never are more let through than the limit says.
  const uses = before.filter((use) => atOf(use) + slice > now - windowMs)
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

/** Remembers the times of the last uses of each key; the longest unused key is forgotten first. */
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
