// What is heard from other processes about the threads that are watched here: news is read from the store, text is joined
// to what is known of it.
import type { Known } from '#core/bus.ts'
import type { Delta, Event } from '#core/event.ts'
import type { Log } from '#lib/log.ts'
import type { LocalBus } from './bus-local.ts'
import type { Message } from './bus-message.ts'
import { createTopic, isOutdated, note, readNews, type Topic } from './bus-topic.ts'
import type { Sql } from './sql.ts'

/** How often text that was missed is asked for again. */
const askMs = 1_000

export type HearingParts = {
  readonly local: LocalBus
  readonly sql: Sql
  readonly send: (message: Message) => void
  readonly log: Log
}

export interface Hearing {
  /** The threads that are watched here. */
  watched(): Iterable<string>
  /** Somebody begins to watch a thread; the answer ends it. */
  enter(threadId: string, from: Known): () => void
  /** Something was told here: watchers elsewhere need not be asked for it. */
  toldHere(threadId: string, events: readonly Event[]): void
  /** Reads what happened in a watched thread since its watchers last heard of it. */
  look(threadId: string, turnId?: string): void
  /** Text from elsewhere: only what follows on what is known here is told; a gap asks for the whole again. */
  text(threadId: string, delta: Delta): void
}

export function createHearing({ local, sql, send, log }: HearingParts): Hearing {
  const topics = new Map<string, Topic>()

  /** What concerns one thread is done one after the other, in the order it was heard. */
  function inOrder(threadId: string, topic: Topic, work: () => void | Promise<void>): void {
    topic.order = topic.order.then(work).catch((error: unknown) => {
      log.warn({ err: error, thread: threadId }, 'a watched thread could not be read; it is looked at again soon')
    })
  }

  function leave(threadId: string, topic: Topic, { turn }: Known): void {
    const awaited = turn && topic.awaited.get(turn.id)
    if (awaited && awaited.watchers > 1)
      topic.awaited.set(turn.id, { turn: awaited.turn, watchers: awaited.watchers - 1 })
    else if (turn) topic.awaited.delete(turn.id)
    if (--topic.watchers > 0) return
    topics.delete(threadId)
    // Nobody here hears the rest of a text from elsewhere: what is kept of it would be stale for the next watcher.
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
    toldHere(threadId, events) {
      const topic = topics.get(threadId)
      if (!topic) return
      note(topic, events)
      topic.remote = false
      for (const event of events)
        if (event.type === 'entries') topic.seq = Math.max(topic.seq, event.entries.at(-1)?.seq ?? 0)
    },
    look(threadId, turnId) {
      const topic = topics.get(threadId)
      if (!topic) return
      if (turnId) topic.asked.add(turnId)
      // Looks that have not begun are one.
      if (topic.lookDue) return
      topic.lookDue = true
      inOrder(threadId, topic, async () => {
        topic.lookDue = false
        const asked = [...topic.asked]
        topic.asked.clear()
        const { events, seq } = await sql.read(() => readNews(threadId, topic, asked))
        topic.seq = Math.max(topic.seq, seq)
        note(topic, events)
        local.publish(threadId, events)
      })
    },
    text(threadId, delta) {
      const topic = topics.get(threadId)
      if (!topic) return
      inOrder(threadId, topic, () => {
        if (isOutdated(topic, delta)) return
        const partial = local.partialOf(threadId)
        const known = partial?.itemId === delta.itemId ? partial.text.length : 0
        if (delta.offset > known) {
          if (topic.askedAt < Date.now() - askMs) send({ type: 'watch', threadId })
          topic.askedAt = Math.max(topic.askedAt, Date.now())
          return
        }
        const text = delta.text.slice(known - delta.offset)
        if (text === '') return
        const fresh = [{ ...delta, offset: known, text }]
        note(topic, fresh)
        topic.remote = true
        local.publish(threadId, fresh)
      })
    },
  }
}
