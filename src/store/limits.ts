// Rate limits: an exact sliding window, and its memory for one process, bounded in keys.
import type { LimitStore } from '#core/store.ts'

const maxKeys = 20_000

type Window = { readonly limit: number; readonly windowMs: number; readonly now: number }

/** One more use of a key whose earlier uses are known: whether it is let through, and the uses to remember. */
export function usesWithin(before: readonly number[], { limit, windowMs, now }: Window) {
  const uses = before.filter((at) => at > now - windowMs)
  const allowed = uses.length < limit
  const retryAfterMs = allowed ? 0 : (uses[0] ?? now) + windowMs - now
  if (allowed) uses.push(now)
  return { uses, allowed, retryAfterMs }
}

/** Remembers the times of the last uses of each key; the longest unused key is forgotten first. */
export function createMemoryLimits(): LimitStore {
  const known = new Map<string, readonly number[]>()
  return {
    take(key, limit, windowMs, now) {
      const { uses, ...verdict } = usesWithin(known.get(key) ?? [], { limit, windowMs, now })
      known.delete(key)
      known.set(key, uses)
      if (known.size > maxKeys) known.delete(known.keys().next().value ?? '')
      return Promise.resolve(verdict)
    },
  }
}
