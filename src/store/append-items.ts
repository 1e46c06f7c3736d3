// Appends items to a thread, inside a transaction.
import { AppError } from '#core/errors.ts'
import type { Draft, Entry } from '#core/item.ts'
import { isLong, jsonInSlices } from '#core/json-slices.ts'
import { mapPacked } from '#lib/map-packed.ts'
import { inPace, nextTurn } from '#lib/pace.ts'
import { entriesOf } from './rows.ts'
import { first, type Job, run } from './sql.ts'
import { bytesOfRows } from './storage-quota.ts'

type Target = {
  readonly threadId: string
  readonly turnId: string
  readonly at: number
  /** The items were counted for the user's storage when their turn was queued. */
  readonly counted?: true
  /** The thread's last seq, if this transaction has read it and locked the row. */
  readonly lastSeq?: number
  /** The texts of the items, if they are made already. */
  readonly bodies?: Bodies | undefined
}

export type Bodies = {
  readonly texts: readonly string[]
  /** Counted for the user's storage. */
  readonly bytes: number
}

/** Writes drafts after the thread's last item and sets its open call. The thread row is the lock that keeps seq gap-free. */
export function* append(target: Target, drafts: readonly Draft[], openCall: string | null): Job<Entry[]> {
  const bodies = target.bodies ?? shortBodiesOf(drafts)
  yield* run(
    `UPDATE threads SET last_seq = last_seq + ?, updated_at = ?, open_call = ?, summarised = COALESCE(?, summarised),
                        bytes = bytes + ?
     WHERE id = ?`,
    drafts.length,
    target.at,
    openCall,
    summarisedIn(drafts),
    target.counted ? 0 : bodies.bytes,
    target.threadId,
  )
  const before = target.lastSeq ?? (yield* lastSeqOf(target.threadId)) - drafts.length
  const entries = entriesOf(drafts, target.turnId, before, target.at)
  yield* insert(target.threadId, entries, bodies.texts)
  return entries
}

function* lastSeqOf(threadId: string): Job<number> {
  const row = yield* first('SELECT last_seq FROM threads WHERE id = ?', threadId)
  if (!row) throw new AppError('lease_lost', `thread ${threadId} is gone`)
  return Number(row['last_seq'])
}

/** The seq up to which a summary among the drafts reaches. */
function summarisedIn(drafts: readonly Draft[]): number | null {
  for (const { item } of drafts) if (item.type === 'summary') return item.upTo
  return null
}

/** The texts of all items: long ones with pauses for the event loop, before the transaction that writes them. */
export function bodiesOf(drafts: readonly Draft[]): Bodies | Promise<Bodies> {
  return isLong(drafts) ? longBodiesOf(drafts) : shortBodiesOf(drafts)
}

/** The same at once, for items of the usual size. */
export function shortBodiesOf(drafts: readonly Draft[]): Bodies {
  return withBytes(mapPacked(drafts, ({ item }) => JSON.stringify(item)))
}

async function longBodiesOf(drafts: readonly Draft[]): Promise<Bodies> {
  const texts = await inPace(bodiesInSlices(drafts))
  await nextTurn()
  return withBytes(texts)
}

function withBytes(texts: readonly string[]): Bodies {
  return { texts, bytes: bytesOfRows(texts) }
}

function* bodiesInSlices(drafts: readonly Draft[]): Generator<void, string[]> {
  const bodies: string[] = []
  for (const { item } of drafts) {
    let body = ''
    for (const slice of jsonInSlices(item)) {
      body += slice
      yield
    }
    bodies.push(body)
  }
  return bodies
}

/** Writes entries that have their seqs. `bodies` are the texts of their items. */
export function* insert(threadId: string, entries: readonly Entry[], bodies: readonly string[]): Job<void> {
  for (const [index, { seq, id, turnId, at, asked }] of entries.entries()) {
    yield* run(
      'INSERT INTO items (thread_id, seq, id, turn_id, at, body, asked) VALUES (?, ?, ?, ?, ?, ?, ?)',
      threadId,
      seq,
      id,
      turnId,
      at,
      bodies[index] ?? '',
      asked ? JSON.stringify(asked) : null,
    )
  }
}

/** Locks the thread's row before its turns change, so that what was read stays true. */
export function* lockThread(threadId: string, lock: string): Job<void> {
  if (lock) yield* run(`SELECT id FROM threads WHERE id = ?${lock}`, threadId)
}
