// Watches a thread: stored entries after a seq, then live events, without gaps or duplicates.
import type { Bus, WatchStart, Subscription, PartialText } from '#core/bus.ts'
import { AppError } from '#core/errors.ts'
import type { Event } from '#core/event.ts'
import type { UserId } from '#core/ids.ts'
import type { Entries, ThreadStore } from '#core/thread-store.ts'
import { isAtRest } from '#core/turn-status.ts'

const pageSize = 500

export type Watched =
  | Event
  /** The text written so far of an item that is not stored yet; deltas go on from its end. */
  | ({ readonly type: 'snapshot' } & PartialText)

export type Watch = AsyncIterable<readonly Watched[]> & { close(): void }

/**
 * Follows a thread from after a seq. It subscribes before it reads the store, so that no event is missed; events of
 * entries that were read are dropped. Ends when the reader closes it or falls too far behind. Throws not_found when the
 * thread is not this user's: the bus does not check users.
 */
export function watchThread(
  { bus, threads }: { bus: Bus; threads: ThreadStore },
  user: UserId,
  threadId: string,
  { seq: after, turn }: WatchStart,
): Watch {
  const subscription = bus.subscribe(threadId, { seq: after, ...(turn && { turn }) })
  return {
    close: () => subscription.close(),
    async *[Symbol.asyncIterator]() {
      try {
        if (!(await threads.get(user, threadId))) throw new AppError('not_found', `thread ${threadId} does not exist`)
        const { partial } = subscription
        const seen: Seen = { last: after, stored: new Set(), partialId: partial?.itemId, written: 0 }
        const read = (): Promise<Entries> => threads.entries(user, threadId, { after: seen.last, limit: pageSize })
        yield* replay(read, seen)
        if (partial && !seen.stored.has(partial.itemId)) {
          seen.written = partial.text.length
          yield [{ type: 'snapshot', ...partial }]
        }
        for await (const events of subscription) {
          let fresh: Event[] = []
          for (const event of events) {
            if (leavesGap(event, seen)) {
              if (fresh.length > 0) yield fresh
              fresh = []
              yield* replay(read, seen)
            }
            fresh.push(...unseen(event, seen))
          }
          if (fresh.length > 0) yield fresh
        }
      } finally {
        subscription.close()
      }
    },
  }
}

type Seen = { last: number; readonly stored: Set<string>; readonly partialId: string | undefined; written: number }

/** Stored entries that were not sent yet, page by page. */
async function* replay(read: () => Promise<Entries>, seen: Seen): AsyncGenerator<Watched[]> {
  for (;;) {
    const { entries, more } = await read()
    seen.last = entries.at(-1)?.seq ?? seen.last
    for (const { id } of entries) seen.stored.add(id)
    if (entries.length > 0) yield [{ type: 'entries', entries }]
    if (!more) return
  }
}

/** True when entries before these were not sent: two writers to a thread may publish in either order. */
function leavesGap(event: Event, { last }: Seen): boolean {
  return event.type === 'entries' && (event.entries[0]?.seq ?? 0) > last + 1
}

/** The part of an event that was not sent yet. Updates `seen`. */
function unseen(event: Event, seen: Seen): Event[] {
  if (event.type === 'entries') {
    const entries = event.entries.filter(({ seq }) => seq > seen.last)
    seen.last = entries.at(-1)?.seq ?? seen.last
    return entries.length > 0 ? [{ type: 'entries', entries }] : []
  }
  if (event.type === 'thought') return seen.stored.has(event.itemId) ? [] : [event]
  if (event.type !== 'delta') return [event]
  const inSnapshot = event.itemId === seen.partialId && event.offset < seen.written
  return seen.stored.has(event.itemId) || inSnapshot ? [] : [event]
}

export type Follow = AsyncIterable<readonly Event[]> & { close(): void }

/**
 * Follows one turn that was just stored, up to its rest. The subscription must be made before the turn has any event.
 * Entries up to the seq `after` are left out.
 */
export function followTurn(subscription: Subscription, turnId: string, after: number): Follow {
  return {
    close: () => subscription.close(),
    async *[Symbol.asyncIterator]() {
      try {
        let last = after
        for await (const events of subscription) {
          // Nearly always: the text of the turn, which runs alone in its thread.
          if (events.every((event) => event.type === 'delta' && event.turnId === turnId)) {
            yield events
            continue
          }
          const own = events.flatMap((event) => ownPart(event, turnId, last))
          for (const event of own) if (event.type === 'entries') last = event.entries.at(-1)?.seq ?? last
          if (own.length > 0) yield own
          if (own.some((event) => event.type === 'turn' && isAtRest(event.turn.status))) return
        }
      } finally {
        subscription.close()
      }
    },
  }
}

/** The part of an event that belongs to the turn and was not sent yet. */
function ownPart(event: Event, turnId: string, last: number): Event[] {
  if (event.type === 'turn') return event.turn.id === turnId ? [event] : []
  if (event.type === 'delta' || event.type === 'thought' || event.type === 'progress')
    return event.turnId === turnId ? [event] : []
  const entries = event.entries.filter((entry) => entry.turnId === turnId && entry.seq > last)
  return entries.length > 0 ? [{ type: 'entries', entries }] : []
}
