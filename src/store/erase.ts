// Erases a thread with its turns and items, and all threads of a user in bounded parts.
import type { UserId } from '#core/ids.ts'
import type { Erased } from '#core/account.ts'
import type { Turn } from '#core/turn.ts'
import { isReached } from './reachable.ts'
import { turnColumns, turnOf } from './rows.ts'
import { first, type Job, query, type Row, run } from './sql.ts'
import { isActive, isQueued } from './turn-status.ts'

/** Bounds of one part of an erasure: others wait for its transaction. */
const maxThreads = 100
const maxItems = 2_000
/** Queued turns of one thread that are reported. A watcher of any other finds it gone. */
const maxUnfinished = 1_000

type Counts = Pick<Erased, 'threads' | 'turns' | 'items'>

/** Erases a thread. Returns its turns that had not ended; undefined if the user reaches no such thread. */
export function* eraseThread(user: UserId, threadId: string): Job<Turn[] | undefined> {
  const unfinished = yield* unfinishedOf(threadId)
  const row = yield* first(`DELETE FROM threads WHERE id = ? AND ${isReached} RETURNING id`, threadId, user, user)
  if (!row) return undefined
  yield* run('DELETE FROM turns WHERE thread_id = ?', threadId)
  yield* run('DELETE FROM items WHERE thread_id = ?', threadId)
  yield* run('DELETE FROM chain_points WHERE thread_id = ?', threadId)
  return unfinished
}

/** Erases some of a user's threads; of a very long one only the oldest items. `more` if something may be left. */
export function* eraseSome(user: UserId, lock: string): Job<{ erased: Counts; unfinished: Turn[]; more: boolean }> {
  const rows = yield* query(
    `SELECT ${extent} FROM threads WHERE user_id = ? ORDER BY temporary, last_turn LIMIT ?${lock}`,
    user,
    maxThreads,
  )
  return { ...(yield* eraseRows(rows)), more: rows.length > 0 }
}

/** Erases some temporary threads whose last turn ended before a time; of a very long one only the oldest items. */
export function* eraseTemporary(before: number, lock: string): Job<number> {
  const rows = yield* query(
    `SELECT ${extent} FROM threads WHERE temporary = 1 AND updated_at < ?
       AND NOT EXISTS (SELECT 1 FROM turns WHERE thread_id = threads.id AND ${isActive})
       AND NOT EXISTS (SELECT 1 FROM turns WHERE thread_id = threads.id AND ${isQueued})
       AND COALESCE((SELECT ended_at FROM turns WHERE id = threads.last_turn), 0) < ?
     ORDER BY updated_at LIMIT ?${lock}`,
    before,
    before,
    maxThreads,
  )
  yield* eraseRows(rows)
  return rows.length
}

/** The seqs of a thread's items. */
const extent = `id, last_seq,
  COALESCE((SELECT min(seq) FROM items WHERE thread_id = threads.id), last_seq + 1) AS first_seq`

function* eraseRows(rows: readonly Row[]): Job<{ erased: Counts; unfinished: Turn[] }> {
  const unfinished: Turn[] = []
  const erased = { threads: 0, turns: 0, items: 0 }
  for (const row of rows) {
    const threadId = String(row['id'])
    const [from, to] = [Number(row['first_seq']), Number(row['last_seq'])]
    const itemsLeft = maxItems - erased.items
    if (itemsLeft <= 0) break
    unfinished.push(...(yield* unfinishedOf(threadId)))
    // The turns are erased with the first items, so that none of them can append another item.
    erased.turns += yield* countOf('DELETE FROM turns WHERE thread_id = ? RETURNING 1 AS one', threadId)
    if (to - from >= itemsLeft) {
      yield* run('DELETE FROM items WHERE thread_id = ? AND seq < ?', threadId, from + itemsLeft)
      erased.items += itemsLeft
      break
    }
    yield* run('DELETE FROM items WHERE thread_id = ?', threadId)
    yield* run('DELETE FROM chain_points WHERE thread_id = ?', threadId)
    yield* run('DELETE FROM threads WHERE id = ?', threadId)
    erased.items += to - from + 1
    erased.threads++
  }
  return { erased, unfinished }
}

function* unfinishedOf(threadId: string): Job<Turn[]> {
  const active = yield* query(`SELECT ${turnColumns} FROM turns WHERE thread_id = ? AND ${isActive}`, threadId)
  const queued = yield* query(
    `SELECT ${turnColumns} FROM turns WHERE thread_id = ? AND ${isQueued} LIMIT ?`,
    threadId,
    maxUnfinished,
  )
  return [...active, ...queued].map(turnOf)
}

function* countOf(sql: string, threadId: string): Job<number> {
  return (yield* query(sql, threadId)).length
}
