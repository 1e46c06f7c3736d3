// Which rows a user reaches: its own. The operator also reaches those of doors whose senders have no account: a column of
// threads, turns and grants says so, since an index that holds only them needs a condition that never changes.
import { type Door, doorOf } from '#core/doors.ts'
import { operator, type UserId } from '#core/ids.ts'
import type { Turn } from '#core/turn.ts'
import { turnColumns, turnOf } from './rows.ts'
import { isActive, isQueued } from './turn-status.ts'
import { first, type Job, type Row, type Value } from './sql.ts'

/** Above every id: where a listing begins. */
export const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Rows of senders without an account. SQLite takes their indexes only where these words stand in a statement. */
export const isOperators = 'operator_reaches = 1'

/** The column of a row that is written. */
export function reachValue(door: Door): 0 | 1 {
  return doorOf(door).operatorReaches ? 1 : 0
}

/** A condition on one row of threads, turns or grants; takes the user twice. */
export const isReached = `(user_id = ? OR (? = 'operator' AND ${isOperators}))`

export type List = (condition: string, who: readonly Value[]) => Job<Row[]>

/**
 * The newest rows a user reaches, by a key that sorts. Each condition has an index that brings its rows in order, which
 * one condition for both would not have: the two lists are merged here.
 */
export function* newestReached(
  user: UserId,
  key: 'id' | 'last_turn' | 'answered_at',
  limit: number,
  list: List,
): Job<Row[]> {
  const own = yield* list('user_id = ?', [user])
  if (user !== operator) return own
  const others = yield* list(isOperators, [])
  // Ids are as long as each other, and so are times.
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

/** The turn that a thread is busy with. */
export function* holdingTurn(user: UserId, threadId: string): Job<Turn | undefined> {
  const conditions = [
    isActive,
    `${isQueued} AND id = (SELECT min(id) FROM turns WHERE thread_id = ? AND ${isQueued})`,
    'id = (SELECT last_turn FROM threads WHERE id = ? AND open_call IS NOT NULL)',
  ]
  for (const condition of conditions) {
    const more = condition.includes('?') ? [threadId] : []
    const row = yield* first(
      `SELECT ${turnColumns} FROM turns WHERE thread_id = ? AND ${isReached} AND ${condition}`,
      threadId,
      user,
      user,
      ...more,
    )
    if (row) return turnOf(row)
  }
  return undefined
}
