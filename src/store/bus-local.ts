// The bus within one process: watchers of each thread and the text being written in it, and followers of users' lists.
import type { Bus, ListChange, ListOwner, Signal, PartialText } from '#core/bus.ts'
import { doorOf } from '#core/doors.ts'
import type { Event } from '#core/event.ts'
import { operator, type UserId } from '#core/ids.ts'
import { GrowingText } from '#lib/growing-text.ts'
import { createQueue, type Queue } from '#lib/queue.ts'

/** A watcher this many events behind is cut off; it can subscribe again and replay. */
const maxEventsBehind = 50_000
const maxChangesBehind = 1_000

/** The text grows in place: a copy for each delta would cost more than the rest of publishing it. */
type Partial = Omit<PartialText, 'text'> & { readonly text: GrowingText }
type Topic = { watchers: Set<Queue<Event>>; partial: Partial | undefined }

export type LocalBus = Bus & {
  /** The text that is being written in a thread. */
  partialOf(threadId: string): PartialText | undefined
  /** The length of the text so far of an item that is being written in a thread. */
  writtenOf(threadId: string, itemId: string): number
  /** Notifies the followers of one user's lists. */
  pushChange(user: string, change: ListChange): void
  /** The users whose lists are followed here. */
  followed(): Iterable<string>
}

export function createLocalBus(): LocalBus {
  const topics = new Map<string, Topic>()
  const followers = new Map<string, Set<Queue<ListChange>>>()
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

  function pushChange(user: string, change: ListChange): void {
    for (const follower of followers.get(user) ?? []) follower.push([change])
  }

  function follow(user: UserId): Queue<ListChange> {
    const own = followers.get(user) ?? new Set()
    followers.set(user, own)
    const queue = createQueue<ListChange>(maxChangesBehind, () => {
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
      const queue = createQueue<Event>(maxEventsBehind, () => {
        topic.watchers.delete(queue)
        dropIfEmpty(threadId, topic)
      })
      topic.watchers.add(queue)
      return {
        partial: partialText(topic.partial),
        close: () => queue.close(),
        [Symbol.asyncIterator]: () => queue[Symbol.asyncIterator](),
      }
    },
    publishChange(owner, change) {
      if (followers.size > 0) for (const user of affectedUsers(owner)) pushChange(user, change)
    },
    subscribeChanges: follow,
    pushChange,
    followed: () => followers.keys(),
    signal(signal) {
      for (const listener of listeners) listener(signal)
    },
    onSignal(listener) {
      listeners.add(listener)
    },
    partialOf: (threadId) => partialText(topics.get(threadId)?.partial),
    writtenOf(threadId, itemId) {
      const partial = topics.get(threadId)?.partial
      return partial?.itemId === itemId ? partial.text.length : 0
    },
    forget(threadId, turnId) {
      const topic = topics.get(threadId)
      if (!topic || (turnId !== undefined && topic.partial?.turnId !== turnId)) return
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

/** The users whose lists show a turn or thread: its own user, and the operator if it reaches the door. */
export function affectedUsers({ userId, door }: ListOwner): UserId[] {
  const operatorToo = door !== undefined && doorOf(door).operatorReaches && userId !== operator
  return operatorToo ? [userId, operator] : [userId]
}

function partialText(partial: Partial | undefined): PartialText | undefined {
  return partial && { ...partial, text: partial.text.toString() }
}

/** The partial text after an event: deltas extend it; the stored item, or a turn that no longer runs, clears it. */
function partialAfter(partial: Partial | undefined, event: Event): Partial | undefined {
  if (event.type === 'delta') {
    if (partial?.itemId === event.itemId) {
      partial.text.add(event.text)
      return partial
    }
    // The beginning was forgotten, as the turn is no longer this process's: the rest alone would read as a whole text.
    if (event.offset > 0) return undefined
    const { type: _, offset: __, text: begun, ...unfinished } = event
    const text = new GrowingText()
    text.add(begun)
    return { ...unfinished, text }
  }
  if (!partial || event.type === 'progress' || event.type === 'thought') return partial
  if (event.type === 'entries') return event.entries.some(({ id }) => id === partial.itemId) ? undefined : partial
  return event.turn.id === partial.turnId && event.turn.status !== 'running' ? undefined : partial
}
