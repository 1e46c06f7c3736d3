// The bus of one process: watchers of a thread, and the text that is being written in it.
import type { Bus, Change, Concerned, Signal, Unfinished } from '#core/bus.ts'
import { doorOf } from '#core/doors.ts'
import type { Event } from '#core/event.ts'
import { operator, type UserId } from '#core/ids.ts'
import { createQueue, type Queue } from '#lib/queue.ts'

/** Events a watcher may fall behind before it is cut off; it can come back and replay. */
const maxBehind = 50_000
const maxChangesBehind = 1_000

type Topic = { watchers: Set<Queue<Event>>; partial: Unfinished | undefined }

export type LocalBus = Bus & {
  /** What is being written in a thread. */
  partialOf(threadId: string): Unfinished | undefined
  /** Drops what is being written: nobody will hear its end. */
  forget(threadId: string): void
  /** Tells the followers of one user. */
  tellUser(user: string, change: Change): void
  /** The users whose lists are followed here. */
  followed(): Iterable<string>
}

export function createLocalBus(): LocalBus {
  const topics = new Map<string, Topic>()
  const followers = new Map<string, Set<Queue<Change>>>()
  const listeners = new Set<(signal: Signal) => void>()

  function topicOf(threadId: string): Topic {
    let topic = topics.get(threadId)
    if (!topic) {
      topic = { watchers: new Set(), partial: undefined }
      topics.set(threadId, topic)
    }
    return topic
  }

  function dropIfEmpty(threadId: string, topic: Topic): void {
    if (topic.watchers.size === 0 && !topic.partial) topics.delete(threadId)
  }

  function tellUser(user: string, change: Change): void {
    for (const follower of followers.get(user) ?? []) follower.push([change])
  }

  function follow(user: UserId): Queue<Change> {
    const own = followers.get(user) ?? new Set()
    followers.set(user, own)
    const queue = createQueue<Change>(maxChangesBehind, () => {
      own.delete(queue)
      if (own.size === 0) followers.delete(user)
    })
    own.add(queue)
    return queue
  }

  return {
    publish(threadId, events) {
      const topic = topicOf(threadId)
      for (const event of events) topic.partial = partialAfter(topic.partial, event)
      for (const watcher of topic.watchers) watcher.push(events)
      dropIfEmpty(threadId, topic)
    },
    subscribe(threadId) {
      const topic = topicOf(threadId)
      const queue = createQueue<Event>(maxBehind, () => {
        topic.watchers.delete(queue)
        dropIfEmpty(threadId, topic)
      })
      topic.watchers.add(queue)
      return {
        partial: topic.partial,
        close: () => queue.close(),
        [Symbol.asyncIterator]: () => queue[Symbol.asyncIterator](),
      }
    },
    changed(whose, change) {
      if (followers.size > 0) for (const user of concernedBy(whose)) tellUser(user, change)
    },
    changes: follow,
    tellUser,
    followed: () => followers.keys(),
    signal(signal) {
      for (const listener of listeners) listener(signal)
    },
    onSignal(listener) {
      listeners.add(listener)
    },
    partialOf: (threadId) => topics.get(threadId)?.partial,
    forget(threadId) {
      const topic = topics.get(threadId)
      if (!topic) return
      topic.partial = undefined
      dropIfEmpty(threadId, topic)
    },
    close() {
      for (const { watchers } of topics.values()) for (const watcher of watchers) watcher.close()
      topics.clear()
      for (const own of followers.values()) for (const follower of own) follower.close()
      return Promise.resolve()
    },
  }
}

/** Whose lists a turn or thread stands in. */
export function concernedBy({ userId, door }: Concerned): UserId[] {
  const operatorToo = door !== undefined && doorOf(door).operatorReaches && userId !== operator
  return operatorToo ? [userId, operator] : [userId]
}

/** What is being written after an event: deltas grow it, the stored item clears it, and so does a turn that no longer runs. */
function partialAfter(partial: Unfinished | undefined, event: Event): Unfinished | undefined {
  if (event.type === 'delta') {
    const { type: _, offset: __, ...unfinished } = event
    return partial?.itemId === event.itemId ? { ...partial, text: partial.text + event.text } : unfinished
  }
  if (!partial) return undefined
  if (event.type === 'entries') return event.entries.some(({ id }) => id === partial.itemId) ? undefined : partial
  return event.turn.id === partial.turnId && event.turn.status !== 'running' ? undefined : partial
}
