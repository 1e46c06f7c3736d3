// The state of a thread that is watched in this process, and the query for what its watchers have not seen yet.
import type { Delta, Event } from '#core/event.ts'
import { type Entry, isAssistantMessage } from '#core/item.ts'
import type { Turn } from '#core/turn.ts'
import { turnColumns, turnOf } from './rows.ts'
import { first, type Job } from './sql.ts'
import { readRange } from './thread-range.ts'

const pageSize = 500

export type Topic = {
  watchers: number
  /** Every watcher has the entries up to this one. */
  seq: number
  /** Turns whose end a watcher waits for. */
  readonly awaited: Map<string, { readonly turn: Turn; readonly watchers: number }>
  /** A read is scheduled; it includes the turns in `readTurns`. */
  readDue: boolean
  readonly readTurns: Set<string>
  /** The newest message of the latest active turn, and whether it is stored. */
  newest: { readonly turnId: string; readonly itemId: string; readonly stored: boolean } | undefined
  /** When missing text was last requested. */
  requestedAt: number
  /** The text being written comes from another process. */
  remote: boolean
  /** The tail of the thread's work, which is done in order. */
  order: Promise<void>
}

export function createTopic(seq: number): Topic {
  return {
    watchers: 0,
    seq,
    awaited: new Map(),
    readDue: false,
    readTurns: new Set(),
    newest: undefined,
    requestedAt: -Infinity,
    remote: false,
    order: Promise.resolve(),
  }
}

/** Updates the newest message from events that are about to be published. */
export function updateNewest(topic: Topic, events: readonly Event[]): void {
  for (const event of events) {
    if (event.type === 'delta') {
      if (topic.newest?.itemId !== event.itemId) topic.newest = { ...event, stored: false }
    } else if (event.type === 'entries') {
      for (const { id, turnId, item } of event.entries)
        if (isAssistantMessage(item)) topic.newest = { turnId, itemId: id, stored: true }
    }
  }
}

/** True for text of a message that is stored already, and for text of an attempt that was started over. */
export function isOutdated({ newest }: Topic, { turnId, itemId }: Delta): boolean {
  if (newest?.turnId !== turnId) return false
  return itemId === newest.itemId ? newest.stored : itemId < newest.itemId
}

/**
 * Reads the entries stored after the topic's seq, and the status of its turns. The turns are read first: if a turn has
 * ended, the entries read after it are complete. A missing turn was erased with its thread and is reported as cancelled.
 */
export function* readNews(
  threadId: string,
  { seq, awaited }: Topic,
  moreTurns: readonly string[],
): Job<{ events: Event[]; seq: number }> {
  const turns = new Map<string, Turn>()
  const last = yield* first(
    `SELECT ${turnColumns} FROM turns WHERE id = (SELECT last_turn FROM threads WHERE id = ?) AND thread_id = ?`,
    threadId,
    threadId,
  )
  if (last) turns.set(String(last['id']), turnOf(last))
  for (const id of [...awaited.keys(), ...moreTurns]) {
    if (turns.has(id)) continue
    const row = yield* first(`SELECT ${turnColumns} FROM turns WHERE id = ?`, id)
    const known = awaited.get(id)?.turn
    if (row) turns.set(id, turnOf(row))
    else if (known) turns.set(id, { ...known, status: 'cancelled' })
  }
  const entries: Entry[] = []
  for (;;) {
    const read = yield* readRange(threadId, { after: entries.at(-1)?.seq ?? seq, limit: pageSize })
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
