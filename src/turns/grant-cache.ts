// In-memory cache of users' grants (permissions beyond one call), used while their turns run.
import type { UserId } from '#core/ids.ts'
import type { Grant, GrantStore, NewGrant } from '#core/grant.ts'
import { evictOldest } from '#lib/evict.ts'

/** Cached users; the least recently read are evicted first. */
const maxUsers = 2_000
/** Grants are read again after this: this process may have missed that one was revoked. */
const maxAgeMs = 3_000
/** Calls remembered as counted: a call may be judged several times before it runs, and is counted once. */
const maxCountedCalls = 2_000

export interface Grants {
  /** Reads a user's grants, unless they were read a moment ago. Must be awaited before a turn runs. */
  open(user: UserId): Promise<void>
  /** The cached grants. They may have expired: the place of use checks `until`. */
  of(user: UserId): readonly Grant[]
  /** Counts a call that runs by a grant, once for each call. */
  used(user: UserId, grant: NewGrant, call: string): void
  /** Reads a user's grants again after a change, if they are cached: running turns see it once they are read. */
  forget(user: UserId): void
  /** The same for all cached users: grants for a tool have ended. */
  forgetAll(): void
}

type Known = { readonly at: number; grants: readonly Grant[]; readonly reading: Promise<void> }

export function createGrants({
  store,
  now = () => performance.now(),
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
    evictOldest(known, maxUsers)
    store.list(user).then(
      (grants) => {
        // The operator's list also has those of channel senders: a grant counts for its own user alone.
        entry.grants = grants.filter(({ userId }) => userId === user)
        resolve()
      },
      (error: unknown) => {
        // A grant that may have been revoked must not be used.
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
      evictOldest(counted, maxCountedCalls)
      // The call neither waits for the count nor fails with it.
      store.used(found.id).catch(() => {})
    },
    forget(user) {
      if (known.has(user)) read(user).catch(() => {})
    },
    forgetAll() {
      for (const user of known.keys().toArray()) read(user).catch(() => {})
    },
  }
}
