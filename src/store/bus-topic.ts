// A thread that is watched in this process: what its watchers know of it, and how the rest is read.
import type { Delta, Event } from '#core/event.ts'
import type { Entry } from '#core/item.ts'
import type { Turn } from '#core/turn.ts'
import { turnColumns, turnOf } from './rows.ts'
import { first, type Job } from './sql.ts'
import { readStretch } from './thread-range.ts'

const pageSize = 500

export type Topic = {
  watchers: number
  /** Entries up to this one have been told to every watcher. */
  seq: number
  /** Turns whose end somebody waits for. */
  readonly awaited: Map<string, { readonly turn: Turn; readonly watchers: number }>
  /** A look is to come; `asked` are further turns it shall see. */
  lookDue: boolean
  readonly asked: Set<string>
  /** The newest message of the turn that was last heard of, and whether it is stored. */
  newest: { readonly turnId: string; readonly itemId: string; readonly stored: boolean } | undefined
  /** When missing text was last asked for. */
  askedAt: number
  /** The text in the making comes from elsewhere. */
  remote: boolean
  order: Promise<void>
}

export function createTopic(seq: number): Topic {
  return {
    watchers: 0,
    seq,
    awaited: new Map(),
    lookDue: false,
    asked: new Set(),
    newest: undefined,
    askedAt: 0,
    remote: false,
    order: Promise.resolve(),
  }
}

/** Remembers the newest message of what is about to be told. */
export function note(topic: Topic, events: readonly Event[]): void {
  for (const event of events) {
    if (event.type === 'delta') {
      if (topic.newest?.itemId !== event.itemId) topic.newest = { ...event, stored: false }
    } else if (event.type === 'entries') {
      for (const { id, turnId, item } of event.entries)
        if (item.type === 'message' && item.role === 'assistant') topic.newest = { turnId, itemId: id, stored: true }
    }
  }
}

/** True for text that a look has overtaken, and for that of an attempt which somebody else has begun anew. */
export function isOutdated({ newest }: Topic, { turnId, itemId }: Delta): boolean {
  if (newest?.turnId !== turnId) return false
  return itemId === newest.itemId ? newest.stored : itemId < newest.itemId
}

/**
 * What was stored after the topic's seq, and how its turns stand. The turns are read first: of one that is found at its
 * end, the entries read after it are complete. A turn that is gone was erased with its thread.
 */
export function* readNews(
  threadId: string,
  { seq, awaited }: Topic,
  asked: readonly string[],
): Job<{ events: Event[]; seq: number }> {
  const turns = new Map<string, Turn>()
  const last = yield* first(
    `SELECT ${turnColumns} FROM turns WHERE id = (SELECT last_turn FROM threads WHERE id = ?)`,
    threadId,
  )
  if (last) turns.set(String(last['id']), turnOf(last))
  for (const id of [...awaited.keys(), ...asked]) {
    if (turns.has(id)) continue
    const row = yield* first(`SELECT ${turnColumns} FROM turns WHERE id = ?`, id)
    const known = awaited.get(id)?.turn
    if (row) turns.set(id, turnOf(row))
    else if (known) turns.set(id, { ...known, status: 'cancelled' })
  }
  const entries: Entry[] = []
  for (;;) {
    const read = yield* readStretch(threadId, { after: entries.at(-1)?.seq ?? seq, limit: pageSize })
    entries.push(...read.entries)
    if (!read.more) break
  }
  return {
    events: [
      ...(entries.length > 0 ? [{ type: 'entries' as const, entries }] : []),
      ...[...turns.values()].map((turn) => ({ type: 'turn' as const, turn })),
    ],
    seq: entries.at(-1)?.seq ?? seq,
  }
}
