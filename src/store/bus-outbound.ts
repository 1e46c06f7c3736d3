// The outbound half of the bus: sends events of threads and lists to other processes, but only if they watch or follow them.
import type { ListChange } from '#core/bus.ts'
import type { Delta, Event, Thought } from '#core/event.ts'
import type { LocalBus } from './bus-local.ts'
import { type Message, pieces } from './bus-message.ts'

/** Text being written is collected for this long before it is sent. */
const flushMs = 100

export type OutboundParts = {
  readonly local: LocalBus
  readonly send: (message: Message) => void
  /** A watcher or follower that is not announced again within this time is forgotten. */
  readonly forgetMs: number
}

export interface Outbound {
  /** Sends events of a thread that happened in this process. */
  publish(threadId: string, events: readonly Event[]): void
  /** Sends a change in the lists of some users. */
  publishChange(users: readonly string[], change: ListChange): void
  /** When this process last published to a thread, by the monotonic clock; -Infinity if that is long ago. */
  publishedAt(threadId: string): number
  /** Another process watches a thread; if this one published to it lately, it sends the current state. */
  watchedElsewhere(threadId: string): void
  /** Another process follows a user's lists. */
  followedElsewhere(user: string): void
  /** Forgets expired watchers, followers and threads. */
  sweep(now: number): void
  close(): void
}

export function createOutbound({ local, send, forgetMs }: OutboundParts): Outbound {
  /** Expiry times: of threads that are watched by other processes, and of users whose lists are followed. */
  const watched = new Map<string, number>()
  const followed = new Map<string, number>()
  /** When this process last published to a thread. Only for these threads are watchers answered. */
  const lastPublished = new Map<string, number>()
  const unsent = new Map<string, Delta>()
  const unsentThoughts = new Map<string, Thought>()
  let flushTimer: NodeJS.Timeout | undefined

  /** Sends the state to a new watcher: a hint to read the store, and the text being written. */
  function sendCurrent(threadId: string): void {
    const partial = local.partialOf(threadId)
    send({ type: 'news', threadId })
    if (!partial) return
    for (const delta of pieces({ type: 'delta', ...partial, offset: 0 })) send({ type: 'text', threadId, delta })
  }

  function buffer<Piece extends Delta | Thought>(texts: Map<string, Piece>, threadId: string, piece: Piece): void {
    const before = texts.get(threadId)
    texts.set(threadId, before?.itemId === piece.itemId ? { ...before, text: before.text + piece.text } : piece)
    flushTimer ??= setTimeout(flush, flushMs)
  }

  function flush(): void {
    flushTimer = undefined
    for (const [threadId, thought] of unsentThoughts) {
      for (const piece of pieces(thought)) send({ type: 'thought', threadId, thought: piece })
    }
    unsentThoughts.clear()
    for (const [threadId, delta] of unsent) {
      for (const piece of pieces(delta)) send({ type: 'text', threadId, delta: piece })
    }
    unsent.clear()
  }

  return {
    publish(threadId, events) {
      lastPublished.set(threadId, performance.now())
      if ((watched.get(threadId) ?? 0) < performance.now()) return
      for (const event of events) {
        if (event.type === 'delta') buffer(unsent, threadId, event)
        if (event.type === 'thought') buffer(unsentThoughts, threadId, event)
        if (event.type === 'progress') send({ type: 'progress', threadId, progress: event })
      }
      const stored = events.filter(({ type }) => type === 'entries' || type === 'turn')
      if (stored.length === 0) return
      // What is stored of the turn has its whole text. A message that is queued behind it has nothing of it.
      for (const texts of [unsent, unsentThoughts]) {
        const turnId = texts.get(threadId)?.turnId
        if (stored.some((event) => isOf(event, turnId))) texts.delete(threadId)
      }
      const turn = stored.find((event) => event.type === 'turn')?.turn
      send({ type: 'news', threadId, ...(turn && { turnId: turn.id }) })
    },
    publishChange(users, change) {
      if (followed.size === 0) return
      for (const user of users)
        if ((followed.get(user) ?? 0) >= performance.now()) send({ type: 'change', user, change })
    },
    publishedAt: (threadId) => lastPublished.get(threadId) ?? -Infinity,
    watchedElsewhere(threadId) {
      watched.set(threadId, performance.now() + forgetMs)
      if (lastPublished.has(threadId)) sendCurrent(threadId)
    },
    followedElsewhere(user) {
      // Changes before this announcement were not sent.
      if ((followed.get(user) ?? 0) < performance.now()) send({ type: 'change', user, change: {} })
      followed.set(user, performance.now() + forgetMs)
    },
    sweep(now) {
      for (const [threadId, until] of watched) if (until < now) watched.delete(threadId)
      for (const [user, until] of followed) if (until < now) followed.delete(user)
      for (const [threadId, at] of lastPublished) if (at < now - forgetMs) lastPublished.delete(threadId)
    },
    close: () => clearTimeout(flushTimer),
  }
}

function isOf(event: Event, turnId: string | undefined): boolean {
  if (event.type === 'turn') return event.turn.id === turnId
  return event.type === 'entries' && event.entries.some((entry) => entry.turnId === turnId)
}
