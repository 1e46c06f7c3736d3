// Threads and their items, read for doors and for the loop.
import type { ThreadStore } from '#core/store.ts'
import { isReached, lastId, newestReached } from './reach.ts'
import { entryOf, itemOf, threadOf } from './rows.ts'
import { first, query, type Sql } from './sql.ts'

export function createThreadStore({ sql }: { sql: Sql }): ThreadStore {
  return {
    get: (user, threadId) =>
      sql.read(function* () {
        const row = yield* first(`SELECT * FROM threads WHERE id = ? AND ${isReached}`, threadId, user, user)
        return row && threadOf(row)
      }),
    list: (user, { limit, cursor }) =>
      sql.read(function* () {
        const rows = yield* newestReached(user, 'last_turn', limit + 1, (condition, who) =>
          query(
            `SELECT * FROM threads WHERE ${condition} AND last_turn < ? ORDER BY last_turn DESC LIMIT ?`,
            ...who,
            cursor ?? lastId,
            limit + 1,
          ),
        )
        const more = rows.length > limit ? rows[limit - 1] : undefined
        return { rows: rows.slice(0, limit).map(threadOf), ...(more && { nextCursor: String(more['last_turn']) }) }
      }),
    entries: (user, threadId, { after, upTo, limit }) =>
      sql.read(function* () {
        const owned = yield* first(`SELECT id FROM threads WHERE id = ? AND ${isReached}`, threadId, user, user)
        if (!owned) return []
        const rows = yield* query(
          'SELECT * FROM items WHERE thread_id = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?',
          threadId,
          after,
          upTo ?? Number.MAX_SAFE_INTEGER,
          limit,
        )
        return rows.map(entryOf)
      }),
    findByOpenCall: (user, callId) =>
      sql.read(function* () {
        const row = yield* first('SELECT * FROM threads WHERE open_call = ? AND user_id = ?', callId, user)
        return row && threadOf(row)
      }),
    history: ({ threadId }) =>
      sql.read(function* () {
        const rows = yield* query('SELECT body FROM items WHERE thread_id = ? ORDER BY seq', threadId)
        return rows.map(itemOf)
      }),
    remove: (user, threadId) =>
      sql.write(function* () {
        const row = yield* first(`DELETE FROM threads WHERE id = ? AND ${isReached} RETURNING id`, threadId, user, user)
        if (!row) return false
        yield* query('DELETE FROM turns WHERE thread_id = ?', threadId)
        yield* query('DELETE FROM items WHERE thread_id = ?', threadId)
        return true
      }),
  }
}
