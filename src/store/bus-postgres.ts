// The bus of several processes over one PostgreSQL. What happens here is told here at once; what is watched elsewhere
// goes out as ids (the watcher's process reads the rest) and, for text in the making, as coalesced pieces.
import type { Bus, Known } from '#core/bus.ts'
import type { Delta, Event } from '#core/event.ts'
import { newId } from '#core/ids.ts'
import type { Log } from '#lib/log.ts'
import { createLocalBus } from './bus-local.ts'
import { type Message, pieces } from './bus-message.ts'
import { createTopic, isOutdated, note, readNews, type Topic } from './bus-topic.ts'
import { openLink } from './link-postgres.ts'
import type { Sql } from './sql.ts'

const announceMs = 4_000
/** A watcher that has not been announced again for this long is gone. */
const watchedMs = 3 * announceMs
const flushMs = 100
/** How often text that was missed is asked for again. */
const askMs = 1_000

export async function createPostgresBus({ url, sql, log }: { url: string; sql: Sql; log: Log }): Promise<Bus> {
  const self = newId()
  const local = createLocalBus()
  /** The threads that are watched here. */
  const topics = new Map<string, Topic>()
  /** The threads that are watched in other processes, and until when that is believed. */
  const watchedElsewhere = new Map<string, number>()
  /** When something last happened here in a thread: only then are watchers elsewhere answered. */
  const toldHere = new Map<string, number>()
  const unsent = new Map<string, Delta>()
  let flushTimer: NodeJS.Timeout | undefined
  const link = await openLink({ url, heard, missed: comeBack, log })
  const announcing = setInterval(announce, announceMs)
  announcing.unref()

  function send(message: Message): void {
    link.send({ ...message, from: self })
  }

  /** Reads what happened in a watched thread since its watchers last heard of it. Looks that have not begun are one. */
  function lookAt(threadId: string, turnId?: string): void {
    const topic = topics.get(threadId)
    if (!topic) return
    if (turnId) topic.asked.add(turnId)
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
  }

  /** Text from elsewhere: only what follows on what is known here is told; a gap asks for the whole again. */
  function hearText(threadId: string, delta: Delta): void {
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
  }

  /** What concerns one thread is done one after the other, in the order it was heard. */
  function inOrder(threadId: string, topic: Topic, work: () => void | Promise<void>): void {
    topic.order = topic.order.then(work).catch((error: unknown) => {
      log.warn({ err: error, thread: threadId }, 'a watched thread could not be read; it is looked at again soon')
    })
  }

  function heard(message: unknown): void {
    const told = message as Message & { from?: string }
    if (told.from === self) return
    switch (told.type) {
      case 'watch':
        watchedElsewhere.set(told.threadId, Date.now() + watchedMs)
        if (toldHere.has(told.threadId)) tellAll(told.threadId)
        break
      case 'news':
        lookAt(told.threadId, told.turnId)
        break
      case 'text':
        hearText(told.threadId, told.delta)
        break
      case 'missed':
        catchUp()
        break
      case 'signal':
        local.signal(told.signal)
        break
      default:
        told satisfies never
    }
  }

  /** Whatever may have been said unheard: news of threads, turns that wait, settings. A stop is repeated by force. */
  function catchUp(): void {
    for (const threadId of topics.keys()) lookAt(threadId)
    local.signal({ type: 'queued' })
    local.signal({ type: 'settings' })
  }

  /** The link was down: others missed what was said here, and this process what was said there. */
  function comeBack(): void {
    send({ type: 'missed' })
    for (const threadId of topics.keys()) send({ type: 'watch', threadId })
    catchUp()
  }

  /** To a watcher who has just come: that something may have been stored, and what is being written. */
  function tellAll(threadId: string): void {
    const partial = local.partialOf(threadId)
    send({ type: 'news', threadId })
    if (!partial) return
    for (const delta of pieces({ type: 'delta', ...partial, offset: 0 })) send({ type: 'text', threadId, delta })
  }

  function tellOthers(threadId: string, events: readonly Event[]): void {
    if ((watchedElsewhere.get(threadId) ?? 0) < Date.now()) return
    for (const event of events) if (event.type === 'delta') keepText(threadId, event)
    const stored = events.filter((event) => event.type !== 'delta')
    if (stored.length === 0) return
    // The stored item says it all.
    unsent.delete(threadId)
    const turn = stored.find((event) => event.type === 'turn')?.turn
    send({ type: 'news', threadId, ...(turn && { turnId: turn.id }) })
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

  /**
   * Makes watchers known to processes that begin to speak of their thread later, and looks for what was missed. Where
   * something has just been told here there is nobody to ask: a busy process says nothing for its own watchers.
   */
  function announce(): void {
    const now = Date.now()
    for (const [threadId, until] of watchedElsewhere) if (until < now) watchedElsewhere.delete(threadId)
    for (const [threadId, at] of toldHere) if (at < now - watchedMs) toldHere.delete(threadId)
    for (const threadId of topics.keys()) {
      if ((toldHere.get(threadId) ?? 0) > now - announceMs) continue
      send({ type: 'watch', threadId })
      lookAt(threadId)
    }
  }

  function enter(threadId: string, { seq, turn }: Known): Topic {
    const topic = topics.get(threadId) ?? createTopic(seq)
    topics.set(threadId, topic)
    topic.watchers++
    topic.seq = Math.min(topic.seq, seq)
    if (turn) topic.awaited.set(turn.id, { turn, watchers: (topic.awaited.get(turn.id)?.watchers ?? 0) + 1 })
    return topic
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
    publish(threadId, events) {
      const topic = topics.get(threadId)
      if (topic) {
        note(topic, events)
        topic.remote = false
        for (const event of events)
          if (event.type === 'entries') topic.seq = Math.max(topic.seq, event.entries.at(-1)?.seq ?? 0)
      }
      toldHere.set(threadId, Date.now())
      local.publish(threadId, events)
      tellOthers(threadId, events)
    },
    subscribe(threadId, from = { seq: 0 }) {
      const topic = enter(threadId, from)
      const subscription = local.subscribe(threadId, from)
      let open = true
      if (!from.here) send({ type: 'watch', threadId })
      return {
        partial: subscription.partial,
        close() {
          if (open) leave(threadId, topic, from)
          open = false
          subscription.close()
        },
        [Symbol.asyncIterator]: () => subscription[Symbol.asyncIterator](),
      }
    },
    signal(signal) {
      local.signal(signal)
      send({ type: 'signal', signal })
    },
    onSignal: (listener) => local.onSignal(listener),
    async close() {
      clearInterval(announcing)
      clearTimeout(flushTimer)
      await link.close()
      await local.close()
    },
  }
}
