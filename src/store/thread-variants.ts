// Variants of a conversation: forks that Retry and Edit made. They are threads of one `family`, the id of the first of them.
// One of them is shown in lists; the others have `archived = 2`, so a list passes by them without reading them.
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import type { FamilyMember } from '#core/variants.ts'
import { isReached } from './reachable.ts'
import { first, type Job, query, type Row, run } from './sql.ts'

/** The value of `archived` for a variant in whose place another one is shown. */
export const hiddenValue = 2

/** Variants of one conversation, without those that failed before any step, and with them. Each read of one reads the places of all. */
const maxVariants = 100
const maxMembers = 500

/** The last turn of a thread if it failed without any step. */
const failedTurn = `FROM turns WHERE turns.id = threads.last_turn AND turns.thread_id = threads.id
  AND turns.status = 'failed' AND turns.first_seq = turns.last_seq`

export function* readFamily(user: UserId, family: string): Job<FamilyMember[]> {
  const rows = yield* query(
    `SELECT id, forked_from, forked_at, last_turn,
            (SELECT first_seq ${failedTurn}) AS failed_at
     FROM threads WHERE family = ? AND ${isReached} ORDER BY id`,
    family,
    user,
    user,
  )
  return rows.map((row) => ({
    id: String(row['id']),
    lastTurn: String(row['last_turn']),
    ...(row['forked_from'] !== null && {
      forkedFrom: { threadId: String(row['forked_from']), beforeSeq: Number(row['forked_at']) },
    }),
    ...(row['failed_at'] !== null && { failedAt: Number(row['failed_at']) }),
  }))
}

/** Keeps others from making variants of a family. One that was made meanwhile is seen by the next look. */
export function* lockFamily(family: string, lock: string): Job<void> {
  if (lock === '') return
  for (let locked = 0, found = -1; locked !== found; ) {
    locked = found
    found = (yield* query(`SELECT id FROM threads WHERE family = ? ORDER BY id${lock}`, family)).length
  }
}

/** Puts the new variant of a thread into the thread's family, in the place of the one that was shown. */
export function* joinFamily(variantId: string, thread: Row, lock: string): Job<void> {
  const family = String(thread['family'] ?? thread['id'])
  const row = yield* first(
    `SELECT count(*) AS members, count(*) - count((SELECT 1 ${failedTurn})) AS variants FROM threads WHERE family = ?`,
    family,
  )
  if (Number(row?.['variants']) >= maxVariants || Number(row?.['members']) >= maxMembers) {
    throw new AppError('too_large', `the thread has ${maxVariants} variants: start a new thread instead`)
  }
  yield* run('UPDATE threads SET family = ? WHERE id IN (?, ?)', family, variantId, String(thread['id']))
  yield* takePlace(variantId, family, lock)
}

/** Shows a variant in lists in place of another one, which is not shown from then on. False if there is no such thread. */
export function* showVariant(user: UserId, threadId: string, lock: string): Job<boolean> {
  const row = yield* first(
    `SELECT id, family, archived FROM threads WHERE id = ? AND ${isReached}${lock}`,
    threadId,
    user,
    user,
  )
  if (row) yield* showHidden(row, lock)
  return row !== undefined
}

/** The same for a row that was read. A thread that is shown stays as it is. */
export function* showHidden(row: Row, lock: string): Job<void> {
  if (Number(row['archived']) === hiddenValue) yield* takePlace(String(row['id']), String(row['family']), lock)
}

/**
 * Gives a variant the place of the one that was shown: whether it is pinned or archived, and the time by which the list
 * is sorted. `last_turn` may then name a turn of another variant. A thread that waits for its caller keeps its own, and so
 * does one whose turn has not ended, which may yet wait for its caller, or failed. `lock` keeps others from doing the same at once:
 * two would be shown.
 */
function* takePlace(id: string, family: string, lock: string): Job<void> {
  yield* first(`SELECT id FROM threads WHERE id = ?${lock}`, family)
  const shown = yield* first(
    `SELECT pinned_at, archived, last_turn, updated_at FROM threads WHERE family = ? AND archived <> ${hiddenValue} AND id <> ?`,
    family,
    id,
  )
  yield* run(
    `UPDATE threads SET archived = ${hiddenValue}, pinned_at = NULL WHERE family = ? AND archived <> ${hiddenValue} AND id <> ?`,
    family,
    id,
  )
  const [pinned, archived] = [shown?.['pinned_at'] ?? null, shown?.['archived'] ?? 0]
  const [lastTurn, updated] = [String(shown?.['last_turn'] ?? ''), Number(shown?.['updated_at'] ?? 0)]
  yield* run(
    `UPDATE threads SET archived = ?, pinned_at = ?,
       last_turn = CASE WHEN open_call IS NULL AND last_turn < ? AND NOT EXISTS (
         SELECT 1 FROM turns WHERE turns.id = threads.last_turn AND turns.thread_id = threads.id AND turns.status NOT IN ('done', 'cancelled')
       ) THEN ? ELSE last_turn END,
       updated_at = CASE WHEN updated_at < ? THEN ? ELSE updated_at END
     WHERE id = ?`,
    archived,
    pinned,
    lastTurn,
    lastTurn,
    updated,
    updated,
    id,
  )
}
