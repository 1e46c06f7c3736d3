// What users have allowed beyond one call, kept at hand while their turns run.
import type { UserId } from '#core/ids.ts'
import type { Grant, GrantStore, NewGrant } from '#core/grant.ts'
import { evictOldest } from '#lib/evict.ts'

/** Users whose grants are remembered; the longest unused are forgotten first. */
const maxKnown = 2_000
/** Read again after this: a process may have missed that one was taken back. */
const maxAgeMs = 3_000
/** Calls that have been counted: one may be judged several times before it has run. */
const maxCounted = 2_000

export interface Grants {
  /** Reads a user's, unless that was done a moment ago. A turn is not run before it. */
  open(user: UserId): Promise<void>
  /** Those that stand now, as far as they are known; the time of their end is looked at where they are used. */
  of(user: UserId): readonly Grant[]
  /** A call runs by one of them: it is counted, once for each call. */
  used(user: UserId, grant: NewGrant, call: string): void
  /** A user's have changed: turns that run see it as soon as they are read. */
  forget(user: UserId): void
}

type Known = { readonly at: number; grants: readonly Grant[]; readonly reading: Promise<void> }

export function createGrants({
  store,
  now = Date.now,
}: {
  store: Pick<GrantStore, 'list' | 'used'>
  now?: () => number
}): Grants {
  const known = new Map<UserId, Known>()
  const counted = new Set<string>()

  function read(user: UserId): Promise<void> {
    const { promise: reading, resolve, reject } = Promise.withResolvers<void>()
    const entry: Known = { at: now(), grants: known.get(user)?.grants ?? [], reading }
    known.delete(user)
    known.set(user, entry)
    evictOldest(known, maxKnown)
    store.list(user).then(
      (grants) => {
        // The operator's list has the channel's as well: each stands for its own user alone.
        entry.grants = grants.filter(({ userId }) => userId === user)
        resolve()
      },
      (error: unknown) => {
        // What may have been taken back is not relied on.
        if (known.get(user) === entry) known.delete(user)
        reject(error)
      },
    )
    return reading
  }

  return {
    async open(user) {
      const found = known.get(user)
      await (found && now() - found.at < maxAgeMs ? found.reading : read(user))
    },
    of: (user) => known.get(user)?.grants ?? [],
    used(user, grant, call) {
      const found = known.get(user)?.grants.find((each) => each === grant)
      if (!found || counted.has(call)) return
      counted.add(call)
      evictOldest(counted, maxCounted)
      // A call does not wait for it, and does not fail by it.
      store.used(found.id).catch(() => {})
    },
    forget(user) {
      if (known.has(user)) read(user).catch(() => {})
    },
  }
}
