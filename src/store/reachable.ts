// The rows that a user reaches: their own. The operator also reaches those of doors whose senders have no account. That is a
// column of threads, turns and grants, because a partial index needs a condition that never changes.
import { type Door, doorOf } from '#core/doors.ts'
import { operator, type UserId } from '#core/ids.ts'
import type { Turn } from '#core/turn.ts'
import { turnColumns, turnOf } from './rows.ts'
import { isActive, isQueued } from './turn-status.ts'
import { first, type Job, type Row, type Value } from './sql.ts'

/** Rows of senders without an account. SQLite uses their partial indexes only if a statement has exactly this condition. */
export const isOperatorReached = 'operator_reaches = 1'

/** Threads and turns that are in lists. */
export const isListed = 'temporary = 0'

/** The value of `operator_reaches` for a row of a door. */
export function reachValue(door: Door): 0 | 1 {
  return doorOf(door).operatorReaches ? 1 : 0
}

/** A condition on threads, turns or grants. It has two parameters, both the user. */
export const isReached = `(user_id = ? OR (? = 'operator' AND ${isOperatorReached}))`

export type List = (condition: string, who: readonly Value[]) => Job<Row[]>

/**
 * The newest rows that a user reaches, by a sortable key. The operator's two conditions are queried separately and merged:
 * each has an index in the order of the key, but a condition with OR would have none.
 */
export function* newestReached(
  user: UserId,
  key: 'id' | 'last_turn' | 'answered_at' | 'pinned_at',
  limit: number,
  list: List,
): Job<Row[]> {
  const own = yield* list('user_id = ?', [user])
  if (user !== operator) return own
  const others = yield* list(isOperatorReached, [])
  // Ids all have the same length, and so do times: they can be compared as text.
  const newestFirst = (a: Row, b: Row): number => (String(a[key]) < String(b[key]) ? 1 : -1)
  return [...own, ...others].sort(newestFirst).slice(0, limit)
}

/** A turn that the user reaches and has not removed. */
export function* getTurn(user: UserId, turnId: string): Job<Turn | undefined> {
  const row = yield* first(
    `SELECT ${turnColumns} FROM turns WHERE id = ? AND ${isReached} AND removed_at IS NULL`,
    turnId,
    user,
    user,
  )
  return row && turnOf(row)
}

/** The turn that occupies a thread: active, else queued first, else with an open output gate. */
export function* currentTurn(user: UserId, threadId: string): Job<Turn | undefined> {
  const conditions = [
    isActive,
    `${isQueued} AND id = (SELECT min(id) FROM turns WHERE thread_id = ? AND ${isQueued})`,
    'id = (SELECT last_turn FROM threads WHERE id = ? AND open_call IS NOT NULL)',
  ]
  for (const condition of conditions) {
    const subqueryValues = condition.includes('?') ? [threadId] : []
    const row = yield* first(
      `SELECT ${turnColumns} FROM turns WHERE thread_id = ? AND ${isReached} AND ${condition}`,
      threadId,
      user,
      user,
      ...subqueryValues,
    )
    if (row) return turnOf(row)
  }
  return undefined
}
