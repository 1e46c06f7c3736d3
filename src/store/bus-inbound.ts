// The inbound half of the bus: messages of other processes about threads that are watched here. On news the store is read;
// text is appended to the text received so far.
import type { WatchStart } from '#core/bus.ts'
import type { Delta, Event } from '#core/event.ts'
import type { Log } from '#lib/log.ts'
import type { LocalBus } from './bus-local.ts'
import type { Message } from './bus-message.ts'
import { createTopic, isOutdated, readNews, type Topic, updateNewest } from './bus-topic.ts'
import type { Sql } from './sql.ts'

/** Minimum time between two requests for missed text. */
const requestMs = 1_000

export type InboundParts = {
  readonly local: LocalBus
  readonly sql: Sql
  readonly send: (message: Message) => void
  readonly log: Log
}

export interface Inbound {
  /** The threads that are watched here. */
  watched(): Iterable<string>
  /** Registers a watcher of a thread; the returned function removes it. */
  enter(threadId: string, from: WatchStart): () => void
  /** Events were published in this process: they need not be read from the store. */
  publishedHere(threadId: string, events: readonly Event[]): void
  /** Reads what was stored in a watched thread since its last events, and publishes it to the watchers here. */
  read(threadId: string, turnId?: string): void
  /** Text from another process: publishes what continues the text received so far; after a gap it requests all of it again. */
  text(threadId: string, delta: Delta): void
}

export function createInbound({ local, sql, send, log }: InboundParts): Inbound {
  const topics = new Map<string, Topic>()

  /** The work of one thread is done sequentially, in the order of the messages. */
  function inOrder(threadId: string, topic: Topic, work: () => void | Promise<void>): void {
    topic.order = topic.order.then(work).catch((error: unknown) => {
      log.warn({ err: error, thread: threadId }, 'a watched thread could not be read; it will be read again soon')
    })
  }

  function leave(threadId: string, topic: Topic, { turn }: WatchStart): void {
    const awaited = turn && topic.awaited.get(turn.id)
    if (awaited && awaited.watchers > 1)
      topic.awaited.set(turn.id, { turn: awaited.turn, watchers: awaited.watchers - 1 })
    else if (turn) topic.awaited.delete(turn.id)
    if (--topic.watchers > 0) return
    topics.delete(threadId)
    // The rest of a text from another process no longer arrives here: its beginning would be stale for the next watcher.
    if (topic.remote) local.forget(threadId)
  }

  return {
    watched: () => topics.keys(),
    enter(threadId, from) {
      const { seq, turn } = from
      const topic = topics.get(threadId) ?? createTopic(seq)
      topics.set(threadId, topic)
      topic.watchers++
      topic.seq = Math.min(topic.seq, seq)
      if (turn) topic.awaited.set(turn.id, { turn, watchers: (topic.awaited.get(turn.id)?.watchers ?? 0) + 1 })
      return () => leave(threadId, topic, from)
    },
    publishedHere(threadId, events) {
      const topic = topics.get(threadId)
      if (!topic) return
      updateNewest(topic, events)
      for (const event of events) {
        if (event.type === 'entries') topic.seq = Math.max(topic.seq, event.entries.at(-1)?.seq ?? 0)
        // Only text: this process may also queue a message behind a turn that another one runs.
        if (event.type === 'delta') topic.remote = false
      }
    },
    read(threadId, turnId) {
      const topic = topics.get(threadId)
      if (!topic) return
      if (turnId) topic.readTurns.add(turnId)
      if (topic.readDue) return
      topic.readDue = true
      inOrder(threadId, topic, async () => {
        topic.readDue = false
        const moreTurns = [...topic.readTurns]
        topic.readTurns.clear()
        const { events, seq } = await sql.read(() => readNews(threadId, topic, moreTurns))
        topic.seq = Math.max(topic.seq, seq)
        updateNewest(topic, events)
        local.publish(threadId, events)
      })
    },
    text(threadId, delta) {
      const topic = topics.get(threadId)
      if (!topic) return
      inOrder(threadId, topic, () => {
        if (isOutdated(topic, delta)) return
        const known = local.writtenOf(threadId, delta.itemId)
        if (delta.offset > known) {
          if (topic.requestedAt < performance.now() - requestMs) send({ type: 'watch', threadId })
          topic.requestedAt = performance.now()
          return
        }
        const text = delta.text.slice(known - delta.offset)
        if (text === '') return
        const fresh = [{ ...delta, offset: known, text }]
        updateNewest(topic, fresh)
        topic.remote = true
        local.publish(threadId, fresh)
      })
    },
  }
}
