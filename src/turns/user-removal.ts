// Removes a user: first the tokens, so that no new request gets in, the missions and the ways of notification, then
// threads with their running turns, documents, files and the account, in batches.
import { setImmediate as pass } from 'node:timers/promises'
import type { Bus } from '#core/bus.ts'
import type { UserId } from '#core/ids.ts'
import type { Erased } from '#core/account.ts'
import type { Store } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import { eraseWords } from './erase-words.ts'

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
 * Erases a user with all their data and returns the counts; undefined when no user has this name. The account row goes
 * last, so that an interrupted removal can be run again.
 */
export async function removeUser({ store, bus, eraseFiles }: RemovalParts, name: string): Promise<Erased | undefined> {
  const user = await store.accounts.shutOut(name)
  if (!user) return undefined
  // Connections of this user check at once whether they are still allowed.
  bus?.publishChange({ userId: user.id }, {})
  let all: Erased = { threads: 0, turns: 0, items: 0, documents: 0, grants: 0, secrets: 0, skills: 0, files: 0 }
  await store.channels.eraseUser(user.id)
  while ((await store.missions.eraseSome(user.id)) > 0) await pass()
  while ((await store.notifications.eraseSome(user.id)) > 0) await pass()
  for (;;) {
    const { erased, threadIds, unfinished, more } = await store.threads.eraseSome(user.id)
    const { threads, turns, items } = erased
    all = { ...all, threads: all.threads + threads, turns: all.turns + turns, items: all.items + items }
    if (bus) for (const turn of unfinished) publishErased(bus, turn)
    await eraseWords(store.threadIndex, threadIds)
    if (!more) break
    // Let other work run between two batches.
    await pass()
  }
  for (let some = 1; some > 0; await pass()) {
    some = await store.documents.eraseSome(user.id)
    all = { ...all, documents: all.documents + some }
  }
  for (let some = 1; some > 0; await pass()) {
    some = await store.skills.eraseSome(user.id)
    all = { ...all, skills: all.skills + some }
  }
  // After the turns were stopped: one that still runs would write to a folder that is gone.
  const files = (await eraseFiles?.(user.id)) ?? 0
  const { grants = 0, secrets = 0 } = (await store.accounts.removeUser(name)) ?? {}
  bus?.signal({ type: 'removed', user: user.id })
  return { ...all, grants, secrets, files }
}

/** Announces that a turn was erased with its thread: its runner stops, and its watchers see it end. */
export function publishErased(bus: Pick<Bus, 'publish' | 'signal' | 'publishChange'>, turn: Turn): void {
  // Without the signal the runner would notice only at its next step, and the model would be paid until then.
  bus.signal({ type: 'stop', turnId: turn.id, code: 'turn_cancelled', message: 'cancelled' })
  bus.publish(turn.threadId, [{ type: 'turn', turn: { ...turn, status: 'cancelled' } }])
}
