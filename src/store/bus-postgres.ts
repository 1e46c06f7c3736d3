// The bus of several processes over one PostgreSQL. What happens here is told here at once; what is watched elsewhere
// goes out as ids (the watcher's process reads the rest) and, for text in the making, as coalesced pieces.
import type { Bus, Known } from '#core/bus.ts'
import type { Delta, Event } from '#core/event.ts'
import { newId } from '#core/ids.ts'
import type { Log } from '#lib/log.ts'
import { createLocalBus } from './bus-local.ts'
import { openLink } from './link-postgres.ts'
import { entryOf, turnOf } from './rows.ts'
import { type Message, pieces } from './bus-message.ts'
import { first, query, type Sql } from './sql.ts'

const announceMs = 4_000
/** A watcher that has not been announced again for this long is gone. */
const watchedMs = 3 * announceMs
const flushMs = 100
const pageSize = 1_000

/** What this process's watchers of a thread know. */
type Topic = { watchers: number; seq: number; readonly turnIds: Map<string, number>; order: Promise<void> }

export async function createPostgresBus({ url, sql, log }: { url: string; sql: Sql; log: Log }): Promise<Bus> {
  const self = newId()
  const local = createLocalBus()
  const topics = new Map<string, Topic>()
  const watchedElsewhere = new Map<string, number>()
  /** Threads in which something happened here lately: only their watchers elsewhere are answered. */
  const spokenHere = new Map<string, number>()
  const unsent = new Map<string, Delta>()
  let flushTimer: NodeJS.Timeout | undefined
  const send = (message: Message): void => link.send({ ...message, from: self })

  /** Reads what happened in a watched thread since its watchers last heard of it. One look at a time, in order. */
  function lookAt(threadId: string, turnId?: string): void {
    inOrder(threadId, async (topic) => {
      const news = await sql.read(function* () {
        const rows = yield* query(
          'SELECT * FROM items WHERE thread_id = ? AND seq > ? ORDER BY seq LIMIT ?',
          threadId,
          topic.seq,
          pageSize,
        )
        const entries = rows.map(entryOf)
        const turnIds = new Set([
          ...topic.turnIds.keys(),
          ...(turnId ? [turnId] : []),
          ...entries.map((each) => each.turnId),
        ])
        const turns = []
        for (const id of turnIds) {
          const row = yield* first('SELECT * FROM turns WHERE id = ?', id)
          if (row) turns.push(turnOf(row))
        }
        return { entries, turns }
      })
      const { entries, turns } = news
      topic.seq = Math.max(topic.seq, entries.at(-1)?.seq ?? 0)
      local.publish(threadId, [
        ...(entries.length > 0 ? [{ type: 'entries' as const, entries }] : []),
        ...turns.map((turn) => ({ type: 'turn' as const, turn })),
      ])
    })
  }

  /** Text from elsewhere: only what follows on what is known here is told; a gap asks for the whole again. */
  function hearText(threadId: string, delta: Delta): void {
    inOrder(threadId, () => {
      const partial = local.partialOf(threadId)
      const known = partial?.itemId === delta.itemId ? partial.text.length : 0
      if (delta.offset > known) send({ type: 'watch', threadId })
      const fresh = delta.offset > known ? '' : delta.text.slice(known - delta.offset)
      if (fresh) local.publish(threadId, [{ ...delta, offset: known, text: fresh }])
      return Promise.resolve()
    })
  }

  function inOrder(threadId: string, work: (topic: Topic) => Promise<void>): void {
    const topic = topics.get(threadId)
    if (!topic) return
    topic.order = topic.order
      .then(() => work(topic))
      .catch((error: unknown) => {
        log.warn({ err: error, thread: threadId }, 'a watched thread could not be read; trying again')
      })
  }

  function lookAtAll(): void {
    for (const threadId of topics.keys()) lookAt(threadId)
  }

  function heard(message: unknown): void {
    const told = message as Message & { from?: string }
    if (told.from === self) return
    switch (told.type) {
      case 'watch': {
        watchedElsewhere.set(told.threadId, Date.now() + watchedMs)
        if (spokenHere.has(told.threadId)) tellAll(told.threadId)
        break
      }
      case 'news':
        lookAt(told.threadId, told.turnId)
        break
      case 'text':
        hearText(told.threadId, told.delta)
        break
      case 'missed':
        lookAtAll()
        break
      case 'signal':
        local.signal(told.signal)
        break
      default:
        told satisfies never
    }
  }

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

  const link = await openLink({ url, heard, missed: lookAtAll, log })
  // Announcing again keeps watchers known to processes that start later; looking again heals what was missed.
  const announcing = setInterval(() => {
    for (const threadId of topics.keys()) send({ type: 'watch', threadId })
    lookAtAll()
    const now = Date.now()
    for (const [threadId, until] of watchedElsewhere) if (until < now) watchedElsewhere.delete(threadId)
    for (const [threadId, at] of spokenHere) if (at < now - watchedMs) spokenHere.delete(threadId)
  }, announceMs)
  announcing.unref()

  function enter(threadId: string, { seq, turnId }: Known): Topic {
    const topic = topics.get(threadId) ?? {
      watchers: 0,
      seq,
      turnIds: new Map<string, number>(),
      order: Promise.resolve(),
    }
    if (topic.watchers === 0) topics.set(threadId, topic)
    topic.watchers++
    topic.seq = Math.min(topic.seq, seq)
    if (turnId) topic.turnIds.set(turnId, (topic.turnIds.get(turnId) ?? 0) + 1)
    return topic
  }

  function leave(threadId: string, topic: Topic, turnId: string | undefined): void {
    topic.watchers--
    if (topic.watchers === 0 && topics.get(threadId) === topic) topics.delete(threadId)
    if (turnId === undefined) return
    const left = (topic.turnIds.get(turnId) ?? 1) - 1
    if (left > 0) topic.turnIds.set(turnId, left)
    else topic.turnIds.delete(turnId)
  }

  return {
    publish(threadId, events) {
      const topic = topics.get(threadId)
      for (const event of events)
        if (topic && event.type === 'entries') topic.seq = Math.max(topic.seq, event.entries.at(-1)?.seq ?? 0)
      spokenHere.set(threadId, Date.now())
      local.publish(threadId, events)
      tellOthers(threadId, events)
    },
    subscribe(threadId, from = { seq: 0 }) {
      const topic = enter(threadId, from)
      const subscription = local.subscribe(threadId, from)
      let open = true
      const close = (): void => {
        if (!open) return
        open = false
        leave(threadId, topic, from.turnId)
        subscription.close()
      }
      if (!from.here) send({ type: 'watch', threadId })
      return {
        partial: subscription.partial,
        close,
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
