// Watching a thread: what is stored after a seq, then what happens, without a gap or a double.
import type { Bus, Subscription } from '#core/bus.ts'
import type { Event } from '#core/event.ts'
import type { UserId } from '#core/ids.ts'
import type { Entry } from '#core/item.ts'
import type { ThreadStore } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'

const pageSize = 500

export type Watched =
  | Event
  /** The text written so far of an item that is not stored yet; deltas go on from its end. */
  | { readonly type: 'snapshot'; readonly turnId: string; readonly itemId: string; readonly text: string }

export type Watch = AsyncIterable<readonly Watched[]> & { close(): void }

/**
 * Follows a thread from after a seq. The subscription stands before the store is read, so that nothing falls between;
 * what was read is not told again. Ends when the reader closes it or falls too far behind.
 */
export function watchThread(
  parts: { bus: Bus; threads: ThreadStore },
  user: UserId,
  threadId: string,
  after: number,
): Watch {
  const subscription = parts.bus.subscribe(threadId)
  return {
    close: () => subscription.close(),
    async *[Symbol.asyncIterator]() {
      try {
        let last = after
        const stored = new Set<string>()
        for (;;) {
          const entries = await parts.threads.entries(user, threadId, { after: last, limit: pageSize })
          last = entries.at(-1)?.seq ?? last
          for (const { id } of entries) stored.add(id)
          if (entries.length > 0) yield [{ type: 'entries', entries }]
          if (entries.length < pageSize) break
        }
        const { partial } = subscription
        let written = 0
        if (partial && !stored.has(partial.itemId)) {
          written = partial.text.length
          yield [{ type: 'snapshot', ...partial }]
        }
        for await (const events of subscription) {
          const fresh = events.flatMap((event) => unseen(event, { last, stored, partialId: partial?.itemId, written }))
          for (const event of fresh) if (event.type === 'entries') last = event.entries.at(-1)?.seq ?? last
          if (fresh.length > 0) yield fresh
        }
      } finally {
        subscription.close()
      }
    },
  }
}

type Seen = { last: number; stored: ReadonlySet<string>; partialId: string | undefined; written: number }

/** The part of an event that the replay has not told. */
function unseen(event: Event, { last, stored, partialId, written }: Seen): Event[] {
  if (event.type === 'entries') {
    const entries = event.entries.filter(({ seq }) => seq > last)
    return entries.length > 0 ? [{ type: 'entries', entries }] : []
  }
  if (event.type !== 'delta') return [event]
  const inSnapshot = event.itemId === partialId && event.offset < written
  return stored.has(event.itemId) || inSnapshot ? [] : [event]
}

export type Follow = AsyncIterable<readonly Event[]> & { close(): void }

/** Follows one turn that has just been stored, up to its rest, by a subscription made before it could say anything. */
export function followTurn(subscription: Subscription, turnId: string): Follow {
  return {
    close: () => subscription.close(),
    async *[Symbol.asyncIterator]() {
      try {
        for await (const events of subscription) {
          const own = events.filter((event) => belongsTo(event, turnId))
          if (own.length > 0) yield own
          if (own.some((event) => event.type === 'turn' && atRest(event.turn))) return
        }
      } finally {
        subscription.close()
      }
    },
  }
}

function atRest({ status }: Turn): boolean {
  return status !== 'queued' && status !== 'running'
}

function belongsTo(event: Event, turnId: string): boolean {
  if (event.type === 'turn') return event.turn.id === turnId
  return event.type === 'delta'
    ? event.turnId === turnId
    : event.entries.some((entry: Entry) => entry.turnId === turnId)
}
