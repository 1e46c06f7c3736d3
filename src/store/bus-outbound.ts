// What is told to other processes: of threads that are watched there and lists that are followed there, of nothing else.
import type { Change } from '#core/bus.ts'
import type { Delta, Event } from '#core/event.ts'
import type { LocalBus } from './bus-local.ts'
import { type Message, pieces } from './bus-message.ts'

/** Text in the making is gathered for this long. */
const flushMs = 100

export type TellingParts = {
  readonly local: LocalBus
  readonly send: (message: Message) => void
  /** A watcher or follower that has not been announced again for this long is gone. */
  readonly forgetMs: number
}

export interface Telling {
  /** Something happened here in a thread. */
  tell(threadId: string, events: readonly Event[]): void
  /** Something changed here in the lists of some users. */
  tellChange(users: readonly string[], change: Change): void
  /** When something was last told of a thread; 0 if that is long ago. */
  toldAt(threadId: string): number
  /** A thread is watched elsewhere; whoever has just come is told all. */
  watchedElsewhere(threadId: string): void
  /** A user's lists are followed elsewhere. */
  followedElsewhere(user: string): void
  /** Forgets watchers, followers and threads that have not been heard of. */
  sweep(now: number): void
  close(): void
}

export function createTelling({ local, send, forgetMs }: TellingParts): Telling {
  /** Until when a thread is believed to be watched elsewhere, and a user's lists to be followed. */
  const watched = new Map<string, number>()
  const followed = new Map<string, number>()
  /** When something last happened here in a thread: only then are watchers elsewhere answered. */
  const told = new Map<string, number>()
  const unsent = new Map<string, Delta>()
  let flushTimer: NodeJS.Timeout | undefined

  /** To a watcher who has just come: that something may have been stored, and what is being written. */
  function tellAll(threadId: string): void {
    const partial = local.partialOf(threadId)
    send({ type: 'news', threadId })
    if (!partial) return
    for (const delta of pieces({ type: 'delta', ...partial, offset: 0 })) send({ type: 'text', threadId, delta })
  }

  function keepText(threadId: string, delta: Delta): void {
    const before = unsent.get(threadId)
    const follows = before?.itemId === delta.itemId
    unsent.set(threadId, follows ? { ...before, text: before.text + delta.text } : delta)
    flushTimer ??= setTimeout(flush, flushMs)
  }

  function flush(): void {
    flushTimer = undefined
    for (const [threadId, delta] of unsent) {
      for (const piece of pieces(delta)) send({ type: 'text', threadId, delta: piece })
    }
    unsent.clear()
  }

  return {
    tell(threadId, events) {
      told.set(threadId, Date.now())
      if ((watched.get(threadId) ?? 0) < Date.now()) return
      for (const event of events) if (event.type === 'delta') keepText(threadId, event)
      const stored = events.filter((event) => event.type !== 'delta')
      if (stored.length === 0) return
      // The stored item says it all.
      unsent.delete(threadId)
      const turn = stored.find((event) => event.type === 'turn')?.turn
      send({ type: 'news', threadId, ...(turn && { turnId: turn.id }) })
    },
    tellChange(users, change) {
      if (followed.size === 0) return
      for (const user of users) if ((followed.get(user) ?? 0) >= Date.now()) send({ type: 'change', user, change })
    },
    toldAt: (threadId) => told.get(threadId) ?? 0,
    watchedElsewhere(threadId) {
      watched.set(threadId, Date.now() + forgetMs)
      if (told.has(threadId)) tellAll(threadId)
    },
    followedElsewhere(user) {
      // What changed here before this was known was told to nobody.
      if ((followed.get(user) ?? 0) < Date.now()) send({ type: 'change', user, change: {} })
      followed.set(user, Date.now() + forgetMs)
    },
    sweep(now) {
      for (const [threadId, until] of watched) if (until < now) watched.delete(threadId)
      for (const [user, until] of followed) if (until < now) followed.delete(user)
      for (const [threadId, at] of told) if (at < now - forgetMs) told.delete(threadId)
    },
    close: () => clearTimeout(flushTimer),
  }
}
