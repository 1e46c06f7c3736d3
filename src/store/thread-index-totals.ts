// What the full-text index over threads has of each user. The number is the prefix of the user's terms.
import type { UserId } from '#core/ids.ts'
import { first, type Job, run, type Sql } from './sql.ts'
import type { IndexTotals } from './term-index.ts'

/** Advisory lock key. It is arbitrary, but the same in every Atrium and in no other lock. */
const numbersLockKey = 4_728_301_197

/** The totals of a user; undefined if nothing of theirs is indexed. */
export function* totalsOf(user: UserId, lock = ''): Job<IndexTotals | undefined> {
  const row = yield* first(`SELECT number, chunks, terms FROM thread_index_owners WHERE user_id = ?${lock}`, user)
  return row && { number: Number(row['number']), chunks: Number(row['chunks']), terms: Number(row['terms']) }
}

/** Locks the user's row and creates it if needed. */
export function* lockTotals(sql: Sql, user: UserId): Job<IndexTotals> {
  const known = yield* totalsOf(user, sql.lock)
  if (known) return known
  if (sql.backend === 'postgres') yield* run('SELECT pg_advisory_xact_lock(?)', numbersLockKey)
  yield* run(
    `INSERT INTO thread_index_owners (user_id, number, chunks, terms)
     SELECT ?, COALESCE(MAX(number), 0) + 1, 0, 0 FROM thread_index_owners WHERE true ON CONFLICT (user_id) DO NOTHING`,
    user,
  )
  return (yield* totalsOf(user, sql.lock)) ?? { number: 0, chunks: 0, terms: 0 }
}

export function* addTotals(user: UserId, chunks: number, terms: number): Job<void> {
  if (chunks === 0 && terms === 0) return
  yield* run(
    'UPDATE thread_index_owners SET chunks = chunks + ?, terms = terms + ? WHERE user_id = ?',
    chunks,
    terms,
    user,
  )
}
