// Watches a thread: stored entries after a seq, then live events, without gaps or duplicates.
import type { Bus, WatchStart, Subscription, PartialText } from '#core/bus.ts'
import { AppError } from '#core/errors.ts'
import type { Delta, Event } from '#core/event.ts'
import type { UserId } from '#core/ids.ts'
import { isLong } from '#core/json-slices.ts'
import type { Entries, ThreadStore } from '#core/thread-store.ts'
import { isAtRest } from '#core/turn-status.ts'
import type { TakePlace } from './replay-places.ts'

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
  { bus, threads, takePlace }: { bus: Bus; threads: Pick<ThreadStore, 'get' | 'entries'>; takePlace?: TakePlace },
  user: UserId,
  threadId: string,
  { seq: after, turn }: WatchStart,
): Watch {
  const subscription = bus.subscribe(threadId, { seq: after, ...(turn && { turn }) })
  const closed = new AbortController()
  const place = takePlace && (() => takePlace(user, closed.signal))
  const parts = { subscription, threads, user, threadId, after, ...(place && { place }), closed: closed.signal }
  const close = (): void => {
    closed.abort()
    subscription.close()
  }
  return { close, [Symbol.asyncIterator]: () => eventsOfThread(parts) }
}

type ThreadEventsParts = {
  readonly subscription: Subscription
  readonly threads: Pick<ThreadStore, 'get' | 'entries'>
  readonly user: UserId
  readonly threadId: string
  readonly after: number
  /** Waits for a place to read a page. Rejects once the watch is closed. */
  readonly place?: () => Promise<() => void>
  readonly closed: AbortSignal
}

// Not a method of the object above, nor the next one: a generator function that is made anew for each turn costs a hidden
// class, and keeps everything around it in memory until the next full collection.
async function* eventsOfThread(parts: ThreadEventsParts): AsyncGenerator<readonly Watched[]> {
  const { subscription, threads, user, threadId, after, place, closed } = parts
  try {
    if (!(await threads.get(user, threadId))) throw new AppError('not_found', `thread ${threadId} does not exist`)
    const { partial } = subscription
    const seen: Seen = { last: after, stored: new Set(), partialId: partial?.itemId, written: 0 }
    const read = (): Promise<Entries> => threads.entries(user, threadId, { after: seen.last, limit: pageSize })
    yield* replay(read, seen, place)
    if (partial && !seen.stored.has(partial.itemId)) {
      seen.written = partial.text.length
      yield [{ type: 'snapshot', ...partial }]
    }
    for await (const events of subscription) {
      let fresh: Event[] = []
      for (const event of events) {
        if (leavesGap(event, seen.last)) {
          if (fresh.length > 0) yield fresh
          fresh = []
          yield* replay(read, seen, place)
        }
        if (event.type !== 'delta' || continues(event, seen)) fresh.push(...unseen(event, seen))
      }
      if (fresh.length > 0) yield fresh
    }
  } catch (error) {
    if (!closed.aborted) throw error
  } finally {
    subscription.close()
  }
}

/** `written` is the length of the text of the item `partialId` that was sent. */
type Seen = { last: number; readonly stored: Set<string>; partialId: string | undefined; written: number }

/** Stored entries that were not sent yet, page by page. A long page keeps its place until the next one is asked for. */
async function* replay(
  read: () => Promise<Entries>,
  seen: Seen,
  place?: ThreadEventsParts['place'],
): AsyncGenerator<Event[]> {
  for (;;) {
    const release = await place?.()
    try {
      const { entries, more } = await read()
      if (!isLong(entries)) release?.()
      seen.last = entries.at(-1)?.seq ?? seen.last
      for (const { id } of entries) seen.stored.add(id)
      if (entries.length > 0) yield [{ type: 'entries', entries }]
      if (!more) return
    } finally {
      release?.()
    }
  }
}

/**
 * True when entries before this event were not sent: two writers to a thread may publish in either order, and a process that
 * lost a turn learns of its end before it has read what another process wrote in it.
 */
function leavesGap(event: Event, last: number): boolean {
  if (event.type === 'entries') return (event.entries[0]?.seq ?? 0) > last + 1
  return event.type === 'turn' && (event.turn.lastSeq ?? 0) > last
}

/** The part of an event that was not sent yet. Updates `seen`. */
function unseen(event: Event, seen: Seen): Event[] {
  if (event.type === 'entries') {
    const entries = event.entries.filter(({ seq }) => seq > seen.last)
    seen.last = entries.at(-1)?.seq ?? seen.last
    return entries.length > 0 ? [{ type: 'entries', entries }] : []
  }
  const told = (event.type === 'thought' || event.type === 'delta') && seen.stored.has(event.itemId)
  return told ? [] : [event]
}

/**
 * True for text that goes on where the text that was sent ends. Text from the middle of an item is left out: it comes with
 * the stored item. Updates `seen`.
 */
function continues({ itemId, offset, text }: Delta, seen: Seen): boolean {
  if (offset !== (itemId === seen.partialId ? seen.written : 0)) return false
  seen.partialId = itemId
  seen.written = offset + text.length
  return true
}

export type Follow = AsyncIterable<readonly Event[]> & { close(): void }

export type FollowParts = {
  readonly turnId: string
  /** Entries up to this seq are left out. */
  readonly after: number
  /** Reads stored entries of the thread, for what another process wrote in the turn. */
  readonly read: (after: number) => Promise<Entries>
}

/**
 * Follows one turn that was just stored, up to its rest, with all of its entries. The subscription must be made before the
 * turn has any event.
 */
export function followTurn(subscription: Subscription, parts: FollowParts): Follow {
  return { close: () => subscription.close(), [Symbol.asyncIterator]: () => batchesOfTurn(subscription, parts) }
}

/** Passes on the text of the turn, up to the first other event: a generator costs each token as much as the rest of its way. */
function batchesOfTurn(subscription: Subscription, parts: FollowParts): AsyncIterator<readonly Event[]> {
  const batches = subscription[Symbol.asyncIterator]()
  let events: AsyncGenerator<readonly Event[]> | undefined

  function pass(batch: IteratorResult<readonly Event[]>) {
    if (batch.done) subscription.close()
    if (batch.done || isTextOf(batch.value, parts.turnId)) return batch
    events = eventsOfTurn(batch.value, { ...parts, subscription, batches })
    return events.next()
  }

  function fail(error: unknown): never {
    subscription.close()
    throw error
  }

  return {
    next: () => events?.next() ?? batches.next().then(pass, fail),
    async return() {
      subscription.close()
      await events?.return(undefined)
      return { done: true, value: undefined }
    },
  }
}

type TurnEventsParts = FollowParts & {
  readonly subscription: Subscription
  /** Those behind the first. */
  readonly batches: AsyncIterator<readonly Event[]>
}

async function* eventsOfTurn(
  first: readonly Event[],
  { turnId, after, read, subscription, batches }: TurnEventsParts,
): AsyncGenerator<readonly Event[]> {
  try {
    const seen: Seen = { last: after, stored: new Set(), partialId: undefined, written: 0 }
    for (let events: readonly Event[] | undefined = first; events; events = (await batches.next()).value) {
      // Nearly always: the text of the turn, which runs alone in its thread.
      if (seen.stored.size === 0 && isTextOf(events, turnId)) {
        yield events
        continue
      }
      let own: Event[] = []
      for (const event of events.filter((each) => isOf(each, turnId))) {
        // Before the first entry of a turn that was queued come those of earlier turns.
        const from = seen.last === 0 ? firstOf(event) - 1 : seen.last
        if (leavesGap(event, from)) {
          if (own.length > 0) yield own
          own = []
          seen.last = from
          for await (const batch of replay(() => read(seen.last), seen)) {
            const part = batch.flatMap((each) => ownPart(each, turnId))
            if (part.length > 0) yield part
          }
        }
        own.push(...unseen(event, seen).flatMap((each) => ownPart(each, turnId)))
      }
      if (own.length > 0) yield own
      if (own.some((event) => event.type === 'turn' && isAtRest(event.turn.status))) return
    }
  } finally {
    subscription.close()
  }
}

function isTextOf(events: readonly Event[], turnId: string): boolean {
  return events.every((event) => event.type === 'delta' && event.turnId === turnId)
}

function isOf(event: Watched, turnId: string): boolean {
  if (event.type === 'turn') return event.turn.id === turnId
  return event.type === 'entries' ? event.entries.some((entry) => entry.turnId === turnId) : event.turnId === turnId
}

/** The seq of the first entry that an event is about. */
function firstOf(event: Event): number {
  if (event.type === 'entries') return event.entries[0]?.seq ?? 1
  return event.type === 'turn' ? (event.turn.firstSeq ?? (event.turn.lastSeq ?? 0) + 1) : 1
}

/** The part of an event that belongs to the turn. */
export function ownPart<T extends Watched>(event: T, turnId: string): (T | Extract<Event, { type: 'entries' }>)[] {
  if (event.type !== 'entries') return isOf(event, turnId) ? [event] : []
  const entries = event.entries.filter((entry) => entry.turnId === turnId)
  return entries.length > 0 ? [{ type: 'entries', entries }] : []
}
