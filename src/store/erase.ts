// Erasing: a thread with all that stands in it, and, in bounded parts, everything of a user's.
import type { UserId } from '#core/ids.ts'
import type { Erased } from '#core/account.ts'
import type { Turn } from '#core/turn.ts'
import { isReached } from './reachable.ts'
import { turnColumns, turnOf } from './rows.ts'
import { first, type Job, query, run } from './sql.ts'
import { isActive, isQueued } from './turn-status.ts'

/** What one part of an erasure takes at most: it must not hold up what others do. */
const partThreads = 100
const partItems = 2_000
/** Unfinished turns of one thread that are told of: whoever waits for a further one finds it gone. */
const maxUnfinished = 1_000

/** The turns of the erased thread that had not ended; undefined when the user reaches no such thread. */
export function* eraseThread(user: UserId, threadId: string): Job<Turn[] | undefined> {
  const unfinished = yield* unfinishedOf(threadId)
  const row = yield* first(`DELETE FROM threads WHERE id = ? AND ${isReached} RETURNING id`, threadId, user, user)
  if (!row) return undefined
  yield* run('DELETE FROM turns WHERE thread_id = ?', threadId)
  yield* run('DELETE FROM items WHERE thread_id = ?', threadId)
  return unfinished
}

/** Erases some of a user's threads, of a very long one only its oldest items; `more` tells that something is left. */
export function* eraseSome(
  user: UserId,
  lock: string,
): Job<{ erased: Pick<Erased, 'threads' | 'turns' | 'items'>; unfinished: Turn[]; more: boolean }> {
  const rows = yield* query(
    `SELECT id, last_seq, COALESCE((SELECT min(seq) FROM items WHERE thread_id = threads.id), last_seq + 1) AS first_seq
     FROM threads WHERE user_id = ? ORDER BY last_turn LIMIT ?${lock}`,
    user,
    partThreads,
  )
  const unfinished: Turn[] = []
  const erased = { threads: 0, turns: 0, items: 0 }
  for (const row of rows) {
    const threadId = String(row['id'])
    const [from, to] = [Number(row['first_seq']), Number(row['last_seq'])]
    const room = partItems - erased.items
    if (room <= 0) break
    unfinished.push(...(yield* unfinishedOf(threadId)))
    if (to - from >= room) {
      // Its turns go with its first items: none of them can write another one.
      erased.turns += yield* countOf('DELETE FROM turns WHERE thread_id = ? RETURNING 1 AS one', threadId)
      yield* run('DELETE FROM items WHERE thread_id = ? AND seq < ?', threadId, from + room)
      erased.items += room
      break
    }
    erased.turns += yield* countOf('DELETE FROM turns WHERE thread_id = ? RETURNING 1 AS one', threadId)
    yield* run('DELETE FROM items WHERE thread_id = ?', threadId)
    yield* run('DELETE FROM threads WHERE id = ?', threadId)
    erased.items += to - from + 1
    erased.threads++
  }
  return { erased, unfinished, more: rows.length > 0 }
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
