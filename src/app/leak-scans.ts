// Leak scans by user: the installation's secrets are searched for in everybody's turns, a user's secrets only in that
// user's own turns.
import { operator, type UserId } from '#core/ids.ts'
import type { SecretStore } from '#core/secret.ts'
import { createLeakScan, joinScans, type LeakScan } from '#safety/leaks.ts'
import { evictOldest } from '#lib/evict.ts'

/** Cached scans of users; the least recently used are evicted. */
const maxKept = 100

export interface Scans {
  /** Reads the stored secrets of one user, or of all. */
  read(owner?: UserId): Promise<void>
  /** The scan for a user's turns, made at first use. */
  readonly of: (user: UserId) => LeakScan
}

export type ScanParts = {
  readonly secrets: Pick<SecretStore, 'values'>
  /** The installation's secrets that are not in the secret store. */
  readonly own: () => readonly string[]
}

export function createScans({ secrets, own }: ScanParts): Scans {
  const values = new Map<UserId, readonly string[]>()
  const kept = new Map<UserId, LeakScan>()
  let common: LeakScan | undefined

  function make(theirs: readonly string[] | undefined): LeakScan {
    common ??= createLeakScan([...own(), ...(values.get(operator) ?? [])])
    return theirs ? joinScans(common, createLeakScan(theirs, [])) : common
  }

  return {
    async read(owner) {
      const found = Map.groupBy(await secrets.values(owner), (each) => each.owner)
      if (owner === undefined) values.clear()
      else values.delete(owner)
      for (const [each, theirs] of found)
        values.set(
          each,
          theirs.map(({ value }) => value),
        )
      if (owner !== undefined && owner !== operator) kept.delete(owner)
      else {
        common = undefined
        kept.clear()
      }
    },
    of(user) {
      const theirs = user === operator ? undefined : values.get(user)
      const scan = (theirs && kept.get(user)) ?? make(theirs)
      if (!theirs) return scan
      kept.delete(user)
      kept.set(user, scan)
      evictOldest(kept, maxKept)
      return scan
    },
  }
}

/** Wraps a secret store: a change resolves only after `changed` has read the secrets again. */
export function watchSecrets(secrets: SecretStore, changed: (owner: UserId) => Promise<void>): SecretStore {
  const then = async <T>(change: Promise<T>, owner: UserId): Promise<T> => {
    const done = await change
    await changed(owner)
    return done
  }
  return {
    ...secrets,
    set: (name, value, more) => then(secrets.set(name, value, more), more?.owner ?? operator),
    remove: (name, owner = operator) => then(secrets.remove(name, owner), owner),
    endRenewal: (secret, outcome) => {
      const ended = secrets.endRenewal(secret, outcome)
      return outcome.type === 'failed' ? ended : then(ended, secret.owner)
    },
  }
}
