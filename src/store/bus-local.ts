// The bus of one process: watchers of a thread, and the text that is being written in it.
import type { Bus, Signal, Unfinished } from '#core/bus.ts'
import type { Event } from '#core/event.ts'
import { createQueue, type Queue } from '#lib/queue.ts'

/** Events a watcher may fall behind before it is cut off; it can come back and replay. */
const maxBehind = 50_000

type Topic = { watchers: Set<Queue<Event>>; partial: Unfinished | undefined }

export type LocalBus = Bus & {
  /** What is being written in a thread. */
  partialOf(threadId: string): Unfinished | undefined
  /** Drops what is being written: nobody will hear its end. */
  forget(threadId: string): void
}

export function createLocalBus(): LocalBus {
  const topics = new Map<string, Topic>()
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
      return Promise.resolve()
    },
  }
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
