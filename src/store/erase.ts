// Erases threads with their turns and items in bounded parts: one that is removed, all of a user, and those that passed.
import { idAt, type UserId, userId } from '#core/ids.ts'
import type { Erased } from '#core/account.ts'
import type { PastPart, PastThreads } from '#core/past-threads.ts'
import type { Turn } from '#core/turn.ts'
import { isReached } from './reachable.ts'
import { turnColumns, turnOf } from './rows.ts'
import { changes, first, type Job, query, type Row, run, type Value } from './sql.ts'
import { rowBytes } from './storage-quota.ts'
import { lockFamily } from './thread-variants.ts'
import { isActive, isQueued } from './turn-status.ts'

/** Bounds of one part of an erasure: others wait for its transaction. */
const maxThreads = 100
/** Turns, points of chains and items together. */
const maxRows = 1_000
/** Queued turns of one thread that are reported. A watcher of any other finds it gone. */
const maxUnfinished = 1_000

type Counts = Pick<Erased, 'threads' | 'turns' | 'items'>
/** `threadIds`: of the threads that are gone. Their words are still in the index over threads. */
type ErasedRows = { readonly erased: Counts; readonly threadIds: string[]; readonly unfinished: Turn[] }

/** The owner of removed threads of which something is left. Nobody has this id. */
const nobody = userId('')

/**
 * Removes a thread and its variants: a bounded part is erased at once, and nobody reaches the rest, which `eraseRemoved`
 * erases. It is marked as temporary and long unused, so that after a crash `eraseTemporary` does. Returns the turns that had
 * not ended; undefined if the user reaches no such thread.
 */
export function* removeThread(user: UserId, threadId: string, lock: string): Job<Turn[] | undefined> {
  const found = `SELECT id, family FROM threads WHERE id = ? AND ${isReached}${lock}`
  const thread = yield* first(found, threadId, user, user)
  if (!thread) return undefined
  const [which, key] = thread['family'] ? ['family = ?', String(thread['family'])] : ['id = ?', threadId]
  if (thread['family']) yield* lockFamily(key, lock)
  const rows = yield* query(`SELECT ${extent} FROM threads WHERE ${which} ORDER BY id`, key)
  for (const { id = null } of rows) yield* eraseSummary(id)
  const { threadIds, unfinished } = yield* eraseRows(rows)
  if (threadIds.length === rows.length) return unfinished
  for (const row of rows) {
    const id = String(row['id'])
    if (threadIds.includes(id)) continue
    unfinished.push(...(yield* unfinishedOf(id)))
    yield* run('DELETE FROM turns WHERE thread_id = ?', id)
    yield* run('DELETE FROM chain_points WHERE thread_id = ?', id)
  }
  // The triggers pass by the index for a temporary thread, and count bytes for the owner that a row then has.
  yield* run(
    `INSERT INTO threads_to_index (thread_id, look_at) SELECT id, 0 FROM threads WHERE ${which} AND temporary = 0
     ON CONFLICT (thread_id) DO UPDATE SET look_at = 0`,
    key,
  )
  yield* run(`UPDATE threads SET bytes = 0 WHERE ${which}`, key)
  yield* run(
    `UPDATE threads SET user_id = ?, operator_reaches = 0, temporary = 1, updated_at = 0, archived = 0, pinned_at = NULL,
       thread_key = NULL, open_call = NULL, family = NULL
     WHERE ${which}`,
    nobody,
    key,
  )
  return unfinished
}

/** The run of a mission tells the beginning of its reply. A fork of its thread has the same first turn. */
function* eraseSummary(threadId: Value): Job<void> {
  yield* run(
    `UPDATE mission_runs SET summary = NULL, origin = NULL, bytes = ?
     WHERE turn_id = (SELECT turn_id FROM items WHERE thread_id = ? AND seq = 1) AND thread_id = ?`,
    rowBytes,
    threadId,
    threadId,
  )
}

/** What a thread and its variants take: so much is deleted with them. */
export function* removedBytes(threadId: string): Job<number> {
  const thread = yield* first('SELECT family, bytes FROM threads WHERE id = ?', threadId)
  if (!thread?.['family']) return Number(thread?.['bytes'] ?? 0)
  const all = yield* first('SELECT sum(bytes) AS bytes FROM threads WHERE family = ?', String(thread['family']))
  return Number(all?.['bytes'])
}

/** Erases a bounded part of the removed threads. True if something may be left. */
export function* eraseRemoved(lock: string): Job<boolean> {
  return (yield* eraseSome(nobody, lock)).more
}

/** Erases some of a user's threads; of a very long one only turns or the oldest items. `more` if something may be left. */
export function* eraseSome(user: UserId, lock: string): Job<ErasedRows & { more: boolean }> {
  const rows = yield* query(
    `SELECT ${extent} FROM threads WHERE user_id = ? ORDER BY temporary, archived, last_turn LIMIT ?${lock}`,
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

type PastParts = { readonly next?: PastThreads; readonly dryRun?: boolean; readonly lock: string }

/**
 * Erases some threads of one user, with their variants, whose last activity was before a time; of a very long one only the
 * oldest items. So are the runs of their missions. A last turn is begun before the last activity, so the index by last turn
 * bounds the search.
 */
export function* erasePast(before: number, { next, dryRun = false, lock }: PastParts): Job<PastPart> {
  const place = next ?? (yield* nextOwner(''))
  if (!place) return { erased: { threads: 0, turns: 0, items: 0 }, threadIds: [] }
  const rows = yield* query(
    `SELECT ${extent}, family, last_turn FROM threads
     WHERE user_id = ? AND temporary = 0 AND archived = ? AND last_turn ${dryRun ? '>' : '>='} ? AND last_turn < ? AND updated_at < ?
       AND NOT EXISTS (SELECT 1 FROM turns WHERE thread_id = threads.id AND ${isActive})
       AND NOT EXISTS (SELECT 1 FROM turns WHERE thread_id = threads.id AND ${isQueued})
       AND NOT EXISTS (SELECT 1 FROM threads variant WHERE variant.family = threads.family AND (variant.updated_at >= ?
         OR EXISTS (SELECT 1 FROM turns WHERE thread_id = variant.id AND ${isActive})
         OR EXISTS (SELECT 1 FROM turns WHERE thread_id = variant.id AND ${isQueued})))
     ORDER BY last_turn LIMIT ?${dryRun ? '' : lock}`,
    place.user,
    place.archived ? 1 : 0,
    place.turn,
    idAt(before),
    before,
    before,
    maxThreads,
  )
  const all = yield* withVariants(rows)
  const { erased, threadIds } = dryRun ? { erased: yield* countRows(all), threadIds: [] } : yield* eraseRows(all)
  // What is counted stays. What is erased is gone, but a very long thread is found again; those before it are not erased.
  const turn = String(rows.at(dryRun ? -1 : 0)?.['last_turn'])
  // Runs of missions go after the threads of their user.
  const runs = dryRun || rows.length > 0 || !place.archived ? 0 : yield* erasePastRuns(place.user, before)
  const follows = rows.length > 0 ? { ...place, turn } : runs === maxRows ? place : yield* nextPlace(place)
  return { erased, threadIds, ...(rows.length > 0 && { user: place.user }), ...(follows && { next: follows }) }
}

/** Not the last one of a mission: its next prompt tells how it ended. */
function* erasePastRuns(user: UserId, before: number): Job<number> {
  return yield* changes(
    `DELETE FROM mission_runs WHERE id IN (
       SELECT r.id FROM mission_runs r WHERE r.user_id = ? AND r.ended_at < ? AND EXISTS (
         SELECT 1 FROM mission_runs later WHERE later.mission_id = r.mission_id AND later.id > r.id
           AND later.turn_id IS NOT NULL AND later.outcome IS NOT NULL)
       LIMIT ?)`,
    user,
    before,
    maxRows,
  )
}

/** Each thread after its variants: while one of them is left, so is the thread by which they are found. */
function* withVariants(rows: readonly Row[]): Job<Row[]> {
  const all: Row[] = []
  for (const row of rows) {
    if (row['family']) {
      const variants = `SELECT ${extent} FROM threads WHERE family = ? AND id <> ?`
      all.push(...(yield* query(variants, String(row['family']), String(row['id']))))
    }
    all.push(row)
  }
  return all
}

/** The index has the archived threads of a user after the others. */
function* nextPlace({ user, archived }: PastThreads): Job<PastThreads | undefined> {
  return archived ? yield* nextOwner(user) : { user, archived: true, turn: '' }
}

function* nextOwner(after: string): Job<PastThreads | undefined> {
  const row = yield* first('SELECT min(user_id) AS user_id FROM threads WHERE user_id > ?', after)
  return row && row['user_id'] !== null
    ? { user: userId(String(row['user_id'])), archived: false, turn: '' }
    : undefined
}

function* countRows(rows: readonly Row[]): Job<Counts> {
  const counts = { threads: rows.length, turns: 0, items: 0 }
  for (const row of rows) {
    const found = yield* first('SELECT count(*) AS count FROM turns WHERE thread_id = ?', String(row['id']))
    counts.turns += Number(found?.['count'])
    counts.items += Number(row['last_seq']) - Number(row['first_seq']) + 1
  }
  return counts
}

/** The seqs of a thread's items. */
const extent = `id, last_seq,
  COALESCE((SELECT min(seq) FROM items WHERE thread_id = threads.id), last_seq + 1) AS first_seq`

function* eraseRows(rows: readonly Row[]): Job<ErasedRows> {
  const unfinished: Turn[] = []
  const threadIds: string[] = []
  const erased = { threads: 0, turns: 0, items: 0 }
  let left = maxRows
  for (const row of rows) {
    if (left <= 0) break
    const threadId = String(row['id'])
    const [from, to] = [Number(row['first_seq']), Number(row['last_seq'])]
    const open = yield* unfinishedOf(threadId)
    unfinished.push(...open)
    // Turns go before items, and those that have not ended before the others: none of them appends another item.
    let turns = open.length > 0 ? yield* eraseUnfinished(threadId) : 0
    if (turns < left) turns += yield* eraseTurns(threadId, left - turns)
    erased.turns += turns
    left -= turns
    if (left > 0) left -= yield* erasePoints(threadId, left)
    if (left <= 0) break
    if (to - from >= left) {
      yield* run('DELETE FROM items WHERE thread_id = ? AND seq < ?', threadId, from + left)
      erased.items += left
      break
    }
    yield* run('DELETE FROM items WHERE thread_id = ?', threadId)
    yield* run('DELETE FROM threads WHERE id = ?', threadId)
    left -= to - from + 1
    erased.items += to - from + 1
    erased.threads++
    threadIds.push(threadId)
  }
  return { erased, threadIds, unfinished }
}

function* eraseUnfinished(threadId: string): Job<number> {
  const active = yield* changes(`DELETE FROM turns WHERE thread_id = ? AND ${isActive}`, threadId)
  const queued = `SELECT id FROM turns WHERE thread_id = ? AND ${isQueued} LIMIT ?`
  return active + (yield* changes(`DELETE FROM turns WHERE id IN (${queued})`, threadId, maxUnfinished))
}

function* eraseTurns(threadId: string, max: number): Job<number> {
  const some = 'SELECT id FROM turns WHERE thread_id = ? LIMIT ?'
  return yield* changes(`DELETE FROM turns WHERE id IN (${some})`, threadId, max)
}

function* erasePoints(threadId: string, max: number): Job<number> {
  const [key, some] = ['thread_id, turn_id, hash', 'FROM chain_points WHERE thread_id = ? LIMIT ?']
  return yield* changes(`DELETE FROM chain_points WHERE (${key}) IN (SELECT ${key} ${some})`, threadId, max)
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
