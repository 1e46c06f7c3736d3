// Finds the turn that the same request began: by its key, or by its body while the turn waits for a person.
import type { Door } from '#core/doors.ts'
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import type { Idempotency, NewTurn } from '#core/turn-store.ts'
import type { Turn } from '#core/turn.ts'
import { dayMs } from '#core/time.ts'
import { turnColumns, turnOf } from './rows.ts'
import { first, type Job, run } from './sql.ts'

/** An idempotency key is valid for this long. */
const idempotencyMs = dayMs

/** The turn that a key created within the last day. */
export function* findReplay(user: UserId, idempotency: Idempotency, now: number): Job<Turn | undefined> {
  const row = yield* first(
    `SELECT ${turnColumns}, body_hash FROM turns WHERE user_id = ? AND idempotency_key = ?`,
    user,
    idempotency.key,
  )
  if (!row) return undefined
  if (Number(row['created_at']) < now - idempotencyMs) {
    yield* run('UPDATE turns SET idempotency_key = NULL WHERE id = ?', String(row['id']))
    return undefined
  }
  if (row['body_hash'] !== idempotency.bodyHash) {
    throw new AppError('idempotency_conflict', 'this Idempotency-Key was used with another request: use a new key', {
      param: 'Idempotency-Key',
    })
  }
  return turnOf(row)
}

/** The turn that this body began at this door, while it waits for a person. */
export function* findWaiting(user: UserId, door: Door, bodyHash: string): Job<Turn | undefined> {
  const row = yield* first(
    `SELECT ${turnColumns} FROM turns
     WHERE user_id = ? AND body_hash = ? AND status = 'waiting' AND door = ? AND removed_at IS NULL LIMIT 1`,
    user,
    bodyHash,
    door,
  )
  return row && turnOf(row)
}

/** The turn that the same request began. One that begins in a new thread is looked for with its user's room, see `startTurn`. */
export function* findEarlier(request: NewTurn, now: number): Job<Turn | undefined> {
  const { user, door, idempotency, bodyHash, threadId, threadKey, forks } = request
  const known = idempotency && (yield* findReplay(user, idempotency, now))
  if (known || bodyHash === undefined || (threadId ?? threadKey ?? forks) === undefined) return known
  return yield* findWaiting(user, door, bodyHash)
}
