// Grants: permissions beyond one call. There is one per user, tool and target; a later one replaces it.
import { newId, userId } from '#core/ids.ts'
import type { Grant, GrantStore, NewGrant } from '#core/grant.ts'
import { maxSkewMs } from '#core/time.ts'
import type { Turn } from '#core/turn.ts'
import { notify } from './change-signal.ts'
import { lastId } from './list-page.ts'
import { isReached, newestReached, reachValue } from './reachable.ts'
import { first, type Job, query, type Row, run, type Sql } from './sql.ts'

const maxListed = 1_000

export function createGrantStore({ sql, now }: { sql: Sql; now: () => number }): GrantStore {
  return {
    list: (user) =>
      sql.read(function* () {
        const rows = yield* newestReached(user, 'id', maxListed, (condition, who) =>
          query(
            // The clock was set back since a grant that is from later: its hour would last for longer.
            `SELECT * FROM grants WHERE ${condition} AND id < ?
               AND (ends_at IS NULL OR (ends_at > ? AND created_at <= ?)) LIMIT ?`,
            ...who,
            lastId,
            now(),
            now() + maxSkewMs,
            maxListed,
          ),
        )
        return rows.map(grantOf).sort((a, b) => a.createdAt - b.createdAt)
      }),
    used: (id) => sql.write(() => run('UPDATE grants SET uses = uses + 1 WHERE id = ?', id)),
    remove: (user, id) =>
      sql.write(function* () {
        const row = yield* first(`DELETE FROM grants WHERE id = ? AND ${isReached} RETURNING user_id`, id, user, user)
        if (!row) return undefined
        const owner = userId(String(row['user_id']))
        yield* notify(sql, { type: 'grants', user: owner })
        return owner
      }),
  }
}

/** Stores a grant of the turn's user, inside the transaction of the answer that gave it. */
export function* saveGrant(
  { userId, door }: Pick<Turn, 'userId' | 'door'>,
  { tool, target, until, clean, by, createdAt }: NewGrant & Pick<Grant, 'by' | 'createdAt'>,
): Job<void> {
  yield* run('DELETE FROM grants WHERE user_id = ? AND ends_at <= ?', userId, createdAt)
  yield* run(
    `INSERT INTO grants (id, user_id, door, operator_reaches, tool, target, ends_at, clean, granted_by, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (user_id, tool, target) DO UPDATE
     SET id = excluded.id, ends_at = excluded.ends_at, clean = excluded.clean, granted_by = excluded.granted_by,
         created_at = excluded.created_at, uses = 0`,
    newId(),
    userId,
    door,
    reachValue(door),
    tool,
    target ?? '',
    until ?? null,
    clean ? 1 : 0,
    by,
    createdAt,
  )
}

/** Removes the grants of all users for tools that are gone, or are others now, inside the transaction that changes them. */
export function* removeGrantsOf(sql: Sql, tools: readonly string[]): Job<void> {
  if (tools.length === 0) return
  const rows = yield* query(deleteByTools[sql.backend], JSON.stringify(tools))
  const owners = new Set(rows.map((row) => String(row['user_id'])))
  for (const owner of owners) yield* notify(sql, { type: 'grants', user: userId(owner) })
}

const deleteByTools = {
  sqlite: 'DELETE FROM grants WHERE tool IN (SELECT value FROM json_each(?)) RETURNING user_id',
  postgres: 'DELETE FROM grants WHERE tool IN (SELECT json_array_elements_text(?::json)) RETURNING user_id',
} as const

function grantOf(row: Row): Grant {
  return {
    id: String(row['id']),
    userId: userId(String(row['user_id'])),
    tool: String(row['tool']),
    ...(row['target'] !== '' && { target: String(row['target']) }),
    ...(row['ends_at'] !== null && { until: Number(row['ends_at']) }),
    ...(Number(row['clean']) === 1 && { clean: true as const }),
    by: String(row['granted_by']),
    createdAt: Number(row['created_at']),
    uses: Number(row['uses']),
  }
}
