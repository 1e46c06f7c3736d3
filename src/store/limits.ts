// Rate limits of one process: an exact sliding window per key, bounded in keys.
import type { LimitStore } from '#core/store.ts'

const maxKeys = 20_000

/** Remembers the times of the last uses of each key; the longest unused key is forgotten first. */
export function createMemoryLimits(): LimitStore {
  const uses = new Map<string, number[]>()
  return {
    take(key, limit, windowMs, now) {
      const recent = (uses.get(key) ?? []).filter((at) => at > now - windowMs)
      const allowed = recent.length < limit
      if (allowed) recent.push(now)
      uses.delete(key)
      uses.set(key, recent)
      if (uses.size > maxKeys) uses.delete(uses.keys().next().value ?? '')
      const retryAfterMs = allowed ? 0 : (recent[0] ?? now) + windowMs - now
      return Promise.resolve({ allowed, retryAfterMs })
    },
  }
}
