// Watching a thread: what is stored after a seq, then what happens, without a gap or a double.
import type { Bus, WatchStart, Subscription, PartialText } from '#core/bus.ts'
import { AppError } from '#core/errors.ts'
import type { Event } from '#core/event.ts'
import type { UserId } from '#core/ids.ts'
import type { Entries, ThreadStore } from '#core/store.ts'
import { atRest } from '#core/turn.ts'

const pageSize = 500

export type Watched =
  | Event
  /** The text written so far of an item that is not stored yet; deltas go on from its end. */
  | ({ readonly type: 'snapshot' } & PartialText)

export type Watch = AsyncIterable<readonly Watched[]> & { close(): void }

/**
 * Follows a thread from after a seq. The subscription stands before the store is read, so that nothing falls between;
 * what was read is not told again. Ends when the reader closes it or falls too far behind. Throws not_found when the
 * thread is not this user's: the bus knows no users.
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

/** All that is stored and not told yet, page by page. */
async function* replay(read: () => Promise<Entries>, seen: Seen): AsyncGenerator<Watched[]> {
  for (;;) {
    const { entries, more } = await read()
    seen.last = entries.at(-1)?.seq ?? seen.last
    for (const { id } of entries) seen.stored.add(id)
    if (entries.length > 0) yield [{ type: 'entries', entries }]
    if (!more) return
  }
}

/** True when entries before these were not told: two who write to a thread may tell of it in either order. */
function leavesGap(event: Event, { last }: Seen): boolean {
  return event.type === 'entries' && (event.entries[0]?.seq ?? 0) > last + 1
}

/** The part of an event that has not been told; what is told now is remembered. */
function unseen(event: Event, seen: Seen): Event[] {
  if (event.type === 'entries') {
    const entries = event.entries.filter(({ seq }) => seq > seen.last)
    seen.last = entries.at(-1)?.seq ?? seen.last
    return entries.length > 0 ? [{ type: 'entries', entries }] : []
  }
  if (event.type !== 'delta') return [event]
  const inSnapshot = event.itemId === seen.partialId && event.offset < seen.written
  return seen.stored.has(event.itemId) || inSnapshot ? [] : [event]
}

export type Follow = AsyncIterable<readonly Event[]> & { close(): void }

/**
 * Follows one turn that has just been stored, up to its rest, by a subscription made before it could say anything.
 * Entries up to `told` are known already.
 */
export function followTurn(subscription: Subscription, turnId: string, told: number): Follow {
  return {
    close: () => subscription.close(),
    async *[Symbol.asyncIterator]() {
      try {
        let last = told
        for await (const events of subscription) {
          const own = events.flatMap((event) => ownPart(event, turnId, last))
          for (const event of own) if (event.type === 'entries') last = event.entries.at(-1)?.seq ?? last
          if (own.length > 0) yield own
          if (own.some((event) => event.type === 'turn' && atRest(event.turn.status))) return
        }
      } finally {
        subscription.close()
      }
    },
  }
}

/** What of an event is about a turn and has not been told yet. */
function ownPart(event: Event, turnId: string, last: number): Event[] {
  if (event.type === 'turn') return event.turn.id === turnId ? [event] : []
  if (event.type === 'delta') return event.turnId === turnId ? [event] : []
  const entries = event.entries.filter((entry) => entry.turnId === turnId && entry.seq > last)
  return entries.length > 0 ? [{ type: 'entries', entries }] : []
}
