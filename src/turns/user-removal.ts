// Removing a user: their tokens first, so that nothing new comes in, then what runs, then all that is theirs, part by part.
import { setImmediate as pass } from 'node:timers/promises'
import type { Bus } from '#core/bus.ts'
import type { UserId } from '#core/ids.ts'
import type { Erased } from '#core/account.ts'
import type { Store } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'

export type RemovalParts = {
  readonly store: Pick<Store, 'accounts' | 'threads' | 'documents'>
  /** Reaches what runs. Without it (no service runs here) a turn elsewhere ends at its next step, which finds it gone. */
  readonly bus?: Pick<Bus, 'publish' | 'signal' | 'publishChange'>
  /** Erases the files of a user's workspace, and tells how many. */
  readonly eraseFiles?: (user: UserId) => Promise<number>
}

/**
 * Erases a user with all that is theirs, and tells how much; undefined when nobody has this name. One that was cut off is finished by the next: the name goes last.
 */
export async function removeUser({ store, bus, eraseFiles }: RemovalParts, name: string): Promise<Erased | undefined> {
  const user = await store.accounts.shutOut(name)
  if (!user) return undefined
  // Whoever is connected as this user looks whether they may stay: at once, however little there is to erase.
  bus?.publishChange({ userId: user.id }, {})
  let all: Erased = { threads: 0, turns: 0, items: 0, documents: 0, grants: 0, secrets: 0, files: 0 }
  for (;;) {
    const { erased, unfinished, more } = await store.threads.eraseSome(user.id)
    const { threads, turns, items } = erased
    all = { ...all, threads: all.threads + threads, turns: all.turns + turns, items: all.items + items }
    if (bus) for (const turn of unfinished) tellErased(bus, turn)
    if (!more) break
    // Others have their turn between two parts.
    await pass()
  }
  for (let some = 1; some > 0; await pass()) {
    some = await store.documents.eraseSome(user.id)
    all = { ...all, documents: all.documents + some }
  }
  // What ran has stopped, or writes to a folder that is gone.
  const files = (await eraseFiles?.(user.id)) ?? 0
  const { grants = 0, secrets = 0 } = (await store.accounts.removeUser(name)) ?? {}
  bus?.signal({ type: 'removed', user: user.id })
  return { ...all, grants, secrets, files }
}

/** A turn was erased with its thread: what runs it stops, and what follows it sees an end. */
export function tellErased(bus: Pick<Bus, 'publish' | 'signal' | 'publishChange'>, turn: Turn): void {
  // It would find its turn gone at its next step only; the model need not talk on until then.
  bus.signal({ type: 'stop', turnId: turn.id, code: 'turn_cancelled', message: 'cancelled' })
  bus.publish(turn.threadId, [{ type: 'turn', turn: { ...turn, status: 'cancelled' } }])
}
