// Removes a user: first the tokens, so that no new request gets in, the missions and the ways of notification, then
// threads with their running turns, documents, files and the account, in batches.
import { setImmediate } from 'node:timers/promises'
import type { Bus } from '#core/bus.ts'
import type { UserId } from '#core/ids.ts'
import type { AccountStore, Erased, Removal } from '#core/account.ts'
import type { Lease } from '#core/lease.ts'
import type { Store } from '#core/store.ts'
import { hourMs } from '#core/time.ts'
import type { Clock } from '#lib/clock.ts'
import type { Log } from '#lib/log.ts'
import { publishErased } from './announce.ts'
import { eraseWords } from './erase-words.ts'

/** A request that was accepted before the removal may store something for so long. */
const lateMs = hourMs
/** Delay of the first look, so that short commands end without one. */
const firstLookMs = 2_000
const lookMs = 10 * 60_000
/** Before another try for the duty where another process has it: the duty is free once that process is gone. */
const takeOverMs = 15_000
/** The duty is held from look to look. */
const dutyMs = 2 * lookMs

export type RemovalParts = {
  readonly store: Pick<
    Store,
    'accounts' | 'threads' | 'threadIndex' | 'documents' | 'skills' | 'missions' | 'channels' | 'notifications'
  >
  /** Stops running turns. Without a bus (no service in this process) a turn elsewhere ends at its next step: its row is gone. */
  readonly bus?: Pick<Bus, 'publish' | 'signal' | 'publishChange'>
  /** Erases the files of a user's workspace and returns their number. */
  readonly eraseFiles?: (user: UserId) => Promise<number>
}

/**
 * Erases a user with all their data and returns the counts; undefined when no user has this name. A removal that is
 * interrupted goes on with `watchRemovals`, or when it is asked for again: the account row goes last.
 */
export async function removeUser(parts: RemovalParts, name: string): Promise<Erased | undefined> {
  const user = await parts.store.accounts.shutOut(name)
  return user && eraseUser(parts, user.id)
}

export type WatchParts = RemovalParts & {
  readonly store: { readonly leases: Pick<Store['leases'], 'takeDuty'> }
  readonly lease: Pick<Lease, 'owner'>
  readonly clock: Pick<Clock, 'now' | 'at'>
  readonly log: Log
}

/**
 * Goes on with removals that were interrupted, and repeats each for an hour, for what was stored late. One of all processes
 * does so. The result ends it.
 */
export function watchRemovals(parts: WatchParts): () => void {
  const { store, lease, clock, log } = parts
  const end = new AbortController()
  const look = async (): Promise<void> => {
    let nextMs = lookMs
    try {
      if (!(await store.leases.takeDuty('removals', lease.owner, dutyMs))) {
        nextMs = takeOverMs
        return
      }
      for await (const { user, at } of allRemovals(store.accounts)) {
        try {
          await eraseUser(parts, user, end.signal)
          if (clock.now() - at > lateMs) await store.accounts.forgetRemoval(user)
        } catch (error) {
          if (end.signal.aborted) return
          log.error({ err: error }, 'could not erase all of a removed user: it is tried again')
        }
      }
    } finally {
      if (!end.signal.aborted) clock.at(clock.now() + nextMs, 'removals of users', look)
    }
  }
  clock.at(clock.now() + firstLookMs, 'removals of users', look)
  return () => end.abort()
}

/** Page by page: those that fail again and again keep no other one back. */
async function* allRemovals(accounts: Pick<AccountStore, 'removals'>): AsyncGenerator<Removal> {
  let last: UserId | undefined
  do {
    const page = await accounts.removals(last)
    yield* page
    last = page.at(-1)?.user
  } while (last !== undefined)
}

async function eraseUser(
  { store, bus, eraseFiles }: RemovalParts,
  user: UserId,
  signal?: AbortSignal,
): Promise<Erased> {
  // Lets other work run between two batches.
  const pass = (): Promise<void> => setImmediate(undefined, { ...(signal && { signal }) })
  // Connections of this user check at once whether they are still allowed.
  bus?.publishChange({ userId: user }, {})
  const eraseAll = async (of: { eraseSome(user: UserId): Promise<number> }): Promise<number> => {
    let all = 0
    for (let some = 1; some > 0; await pass()) {
      some = await of.eraseSome(user)
      all += some
    }
    return all
  }
  await store.channels.eraseUser(user)
  await eraseAll(store.missions)
  await eraseAll(store.notifications)
  const sum = { threads: 0, turns: 0, items: 0 }
  for (;;) {
    const { erased, threadIds, unfinished, more } = await store.threads.eraseSome(user)
    sum.threads += erased.threads
    sum.turns += erased.turns
    sum.items += erased.items
    if (bus) for (const turn of unfinished) publishErased(bus, turn)
    await eraseWords(store.threadIndex, threadIds)
    if (!more) break
    await pass()
  }
  const documents = await eraseAll(store.documents)
  const skills = await eraseAll(store.skills)
  // After the turns were stopped: one that still runs would write to a folder that is gone.
  const files = (await eraseFiles?.(user)) ?? 0
  const { grants, secrets } = await store.accounts.removeUser(user)
  bus?.signal({ type: 'removed', user })
  return { ...sum, documents, skills, grants, secrets, files }
}
