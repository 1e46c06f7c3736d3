// Browser sessions and the one-time codes that open them. Of both only a hash is stored.
import { operator, userId } from '#core/ids.ts'
import type { CodeTime, Session, SessionStore } from '#core/account.ts'
import { maxSkewMs } from '#core/time.ts'
import { expiredMs, toolsIn } from './account-store.ts'
import { first, query, type Row, run, type Sql } from './sql.ts'

/** Sessions per user. A further one replaces the oldest, so that frequent sign-ins still work. */
const maxSessions = 100
/** Unused codes. Beyond this the oldest are deleted. */
const maxCodes = 20
/** Rows that one clean-up deletes at most. */
const maxSwept = 1_000

export function createSessionStore({ sql, now }: { sql: Sql; now: () => number }): SessionStore {
  return {
    open: ({ hash, user, token, endsAt }) =>
      sql.write(function* () {
        const at = now()
        yield* run('DELETE FROM sessions WHERE ends_at < ?', at - expiredMs)
        yield* run(
          'INSERT INTO sessions (hash, user_id, token, created_at, seen_at, ends_at) VALUES (?, ?, ?, ?, ?, ?)',
          hash,
          user,
          token ?? null,
          at,
          at,
          endsAt,
        )
        const surplus = yield* query(
          'SELECT hash FROM sessions WHERE user_id = ? ORDER BY created_at DESC LIMIT ? OFFSET ?',
          user,
          maxSwept,
          maxSessions,
        )
        for (const row of surplus) yield* run('DELETE FROM sessions WHERE hash = ?', String(row['hash']))
      }),
    find: (hash, idleMs) =>
      sql.read(function* () {
        const row = yield* first(
          `SELECT s.*, u.name, (SELECT t.tools FROM tokens t WHERE t.hash = s.token) AS tools FROM sessions s LEFT JOIN users u ON u.id = s.user_id
           WHERE s.hash = ? AND s.ends_at > ? AND s.seen_at > ? AND (s.user_id = 'operator' OR (u.id IS NOT NULL AND (
             s.token IS NULL OR EXISTS (SELECT 1 FROM tokens t WHERE t.hash = s.token AND (t.expires_at IS NULL OR t.expires_at > ?)))))`,
          hash,
          now(),
          now() - idleMs,
          now(),
        )
        return row && sessionOf(row)
      }),
    touch: (hash) => sql.write(() => run('UPDATE sessions SET seen_at = ? WHERE hash = ?', now(), hash)),
    close: (hash) => sql.write(() => run('DELETE FROM sessions WHERE hash = ?', hash)),
    closeAll: (user) => sql.write(() => run('DELETE FROM sessions WHERE user_id = ?', user)),
    addCode: ({ hash, token, endsAt }) =>
      sql.write(function* () {
        // Codes that end later are from before the clock was set back: they would count as the newest.
        yield* run('DELETE FROM login_codes WHERE ends_at > ?', endsAt + maxSkewMs)
        yield* run('INSERT INTO login_codes (hash, token, ends_at) VALUES (?, ?, ?)', hash, token, endsAt)
        yield* run(
          `DELETE FROM login_codes WHERE hash IN (SELECT hash FROM login_codes ORDER BY ends_at DESC LIMIT ? OFFSET ?)`,
          maxSwept,
          maxCodes,
        )
      }),
    hasCode: (hash, left) =>
      sql.read(function* () {
        const row = yield* first('SELECT ends_at FROM login_codes WHERE hash = ?', hash)
        return row !== undefined && isWithin(row, left)
      }),
    takeCode: (hash, maxMs) =>
      sql.write(function* () {
        const [row] = yield* query('DELETE FROM login_codes WHERE hash = ? RETURNING token, ends_at', hash)
        return row && isWithin(row, { minMs: 0, maxMs }) ? { token: String(row['token']) } : undefined
      }),
  }

  /** More time than a code is given means that the clock was set back since: it would work for longer. */
  function isWithin(row: Row, { minMs, maxMs }: CodeTime): boolean {
    const leftMs = Number(row['ends_at']) - now()
    return leftMs > minMs && leftMs <= maxMs + maxSkewMs
  }
}

function sessionOf(row: Row): Session {
  const user = userId(String(row['user_id']))
  return {
    user,
    name: user === operator ? 'operator' : String(row['name']),
    ...(row['token'] !== null && { token: String(row['token']) }),
    seenAt: Number(row['seen_at']),
    endsAt: Number(row['ends_at']),
    ...toolsIn(row),
  }
}
