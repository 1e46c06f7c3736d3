// The rate limit of routes that search, or change something without sending a message: calls per user in 60 seconds. It
// protects this process, so it is counted in memory.
import { evictOldest } from '#lib/evict.ts'
import type { WriteLimit } from './caller.ts'
import { rateLimited } from './chat-rate.ts'

const windowMs = 60_000
/** A larger body counts once more for each further share of this size. */
const shareBytes = 64 * 1024
const maxUsers = 20_000

export type WriteLimitParts = {
  /** 0 means no limit. */
  readonly perMinute: number
  readonly now?: () => number
}

/** All operator tokens count as one user. */
export function createWriteLimit({ perMinute, now = () => performance.now() }: WriteLimitParts): WriteLimit {
  const windows = new Map<string, { readonly since: number; writes: number }>()
  return {
    take({ user }, bodyBytes = 0) {
      if (perMinute === 0) return
      const at = now()
      let own = windows.get(user)
      if (!own || at - own.since >= windowMs) {
        own = { since: at, writes: 0 }
        windows.delete(user)
        windows.set(user, own)
        evictOldest(windows, maxUsers)
      }
      // A single write is never too large for a small limit.
      const writes = Math.min(perMinute, Math.max(1, Math.ceil(bodyBytes / shareBytes)))
      if (own.writes + writes > perMinute) {
        const reason = `at most ${perMinute} changes and searches are accepted in 60 seconds, a large body counts as several`
        throw rateLimited(reason, own.since + windowMs - at)
      }
      own.writes += writes
    },
  }
}
