// Leak scans by user: the installation's secrets are searched for in everybody's turns, a user's secrets only in that
// user's own turns. A user who sees which of their guesses a scan finds could guess a secret. So in turns
// of others than the operator, a scan looks only for secrets of the installation that nobody can guess, and text that they
// send is compared with none.
import { operator, type UserId } from '#core/ids.ts'
import type { SecretStore } from '#core/secret.ts'
import { isUnguessable } from '#safety/leak-checks.ts'
import { createLeakScan, joinScans, type LeakScan, type OwnSecret } from '#safety/leaks.ts'
import { evictOldest } from '#lib/evict.ts'

/** Cached scans of users; the least recently used are evicted. */
const maxKept = 100
/** Former secrets of the installation that are still searched for, the latest ones. */
const maxFormer = 100

export interface Scans {
  /** Reads the stored secrets of one user, or of all. */
  read(owner?: UserId): Promise<void>
  /** The scan for a user's turns, made at first use. */
  readonly of: (user: UserId) => LeakScan
  /** The scan for text that a user sends: files, outputs of their functions. */
  readonly ofSent: (user: UserId) => LeakScan
}

export type ScanParts = {
  readonly secrets: Pick<SecretStore, 'values'>
  /** The installation's secrets that are not in the secret store. */
  readonly own: () => readonly OwnSecret[]
}

export function createScans({ secrets, own }: ScanParts): Scans {
  const values = new Map<UserId, readonly string[]>()
  /** The process of an MCP server, or a call under way, may still have a secret that was removed or replaced. */
  let former: readonly string[] = []
  const kept = new Map<UserId, UserScans>()
  let common: { readonly operators: UserScans; readonly users: UserScans } | undefined

  /** The scans without secrets of a user; each is made at first use. */
  function commonScans(): NonNullable<typeof common> {
    const all = [...own(), ...(values.get(operator) ?? []), ...former]
    const known = once(() => createLeakScan(all))
    const hard = once(() => createLeakScan(all.filter((each) => typeof each !== 'string' || isUnguessable(each))))
    return {
      operators: { turns: known, sent: known },
      users: { turns: hard, sent: once(() => createLeakScan()) },
    }
  }

  function scansOf(user: UserId): UserScans {
    common ??= commonScans()
    if (user === operator) return common.operators
    const theirs = values.get(user)
    if (!theirs) return common.users
    const scans = kept.get(user) ?? withSecrets(common.users, theirs)
    kept.delete(user)
    kept.set(user, scans)
    evictOldest(kept, maxKept)
    return scans
  }

  return {
    async read(owner) {
      const found = Map.groupBy(await secrets.values(owner), (each) => each.owner)
      const before = values.get(operator) ?? []
      if (owner === undefined) values.clear()
      else values.delete(owner)
      for (const [each, theirs] of found)
        values.set(
          each,
          theirs.map(({ value }) => value),
        )
      const now = values.get(operator) ?? []
      former = [...new Set([...before, ...former])].filter((each) => !now.includes(each)).slice(0, maxFormer)
      if (owner !== undefined && owner !== operator) kept.delete(owner)
      else {
        common = undefined
        kept.clear()
      }
    },
    of: (user) => scansOf(user).turns(),
    ofSent: (user) => scansOf(user).sent(),
  }
}

type UserScans = { readonly turns: () => LeakScan; readonly sent: () => LeakScan }

/** The scans of a user who has secrets. */
function withSecrets({ turns, sent }: UserScans, theirs: readonly string[]): UserScans {
  const more = once(() => createLeakScan(theirs, []))
  return { turns: once(() => joinScans(turns(), more())), sent: once(() => joinScans(sent(), more())) }
}

function once<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
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
    setTogether: (together, owner) => then(secrets.setTogether(together, owner), owner),
    remove: (name, owner = operator) => then(secrets.remove(name, owner), owner),
    endRenewal: (secret, outcome) => {
      const ended = secrets.endRenewal(secret, outcome)
      return outcome.type === 'failed' ? ended : then(ended, secret.owner)
    },
  }
}
