// The outbox of notifications: one row for each news and way. An entry that a process is sending has its name; what such
// a process leaves behind when it ends may have arrived or not.
import { userId } from '#core/ids.ts'
import type { NewsEvent, NotificationStore, OutboxEntry, OutboxState } from '#core/notification.ts'
import { withoutUndefined } from '#lib/without-undefined.ts'
import { enqueueNews } from './enqueue-news.ts'
import { lastId, pageOf } from './list-page.ts'
import { changes, first, inList, query, type Row, run } from './sql.ts'
import type { StoreBase } from './store-base.ts'

/** Rows that one step of pruning takes. */
const maxPruned = 1_000

type OutboxVerbs = Pick<
  NotificationStore,
  | 'enqueue'
  | 'outbox'
  | 'recoverSending'
  | 'due'
  | 'dueOn'
  | 'nextDue'
  | 'claim'
  | 'settle'
  | 'putOff'
  | 'pauseWay'
  | 'takeBack'
  | 'fail'
  | 'drop'
  | 'prune'
>

export function createOutbox({ sql, now, nextId }: Pick<StoreBase, 'sql' | 'now' | 'nextId'>): OutboxVerbs {
  /** The entries of a JSON list of ids: thousands of one way may become one message. */
  const listed = `id ${inList[sql.backend]}`
  const waits = 'pending = 1 AND sender IS NULL'

  return {
    enqueue: (user, news) => sql.write(() => enqueueNews(user, news, { at: now(), nextId })),
    outbox: (user, { limit, cursor = lastId }) =>
      sql.read(function* () {
        const rows = yield* query(
          'SELECT * FROM outbox WHERE user_id = ? AND id < ? ORDER BY id DESC LIMIT ?',
          user,
          cursor,
          limit + 1,
        )
        return pageOf(rows, limit, entryOf)
      }),
    recoverSending: (sender, isSending) =>
      sql.write(function* () {
        const rows = yield* query('SELECT id, sender FROM outbox WHERE sender IS NOT NULL')
        const left = rows.filter((row) => row['sender'] !== sender || !isSending(String(row['id'])))
        for (const row of left) {
          yield* run(
            `UPDATE outbox SET pending = CASE state WHEN 'due' THEN 1 ELSE 0 END, state = 'unknown', sender = NULL, at = ?
             WHERE id = ? AND sender = ?`,
            now(),
            String(row['id']),
            String(row['sender']),
          )
        }
        return left.length
      }),
    due: (until, limit, { ways, users } = { ways: [], users: [] }) =>
      sql.read(function* () {
        const rows = yield* query(
          `SELECT * FROM outbox WHERE pending = 1 AND at <= ? AND sender IS NULL
           ${noneOf('way_id', ways)} ${noneOf('user_id', users)} ORDER BY at, id LIMIT ?`,
          until,
          ...ways,
          ...users,
          limit,
        )
        return rows.map(entryOf)
      }),
    dueOn: (wayId, until, limit) =>
      sql.read(function* () {
        const rows = yield* query(
          'SELECT * FROM outbox WHERE way_id = ? AND pending = 1 AND at <= ? AND sender IS NULL ORDER BY at, id LIMIT ?',
          wayId,
          until,
          limit,
        )
        return rows.map(entryOf)
      }),
    nextDue: () =>
      sql.read(function* () {
        const row = yield* first('SELECT at FROM outbox WHERE pending = 1 ORDER BY at, id LIMIT 1')
        return row && Number(row['at'])
      }),
    claim: (ids, sender) =>
      sql.write(function* () {
        const claimed = yield* query(
          `UPDATE outbox SET sender = ?, tries = tries + 1 WHERE ${listed} AND ${waits} RETURNING id`,
          sender,
          JSON.stringify(ids),
        )
        return claimed.map(({ id }) => String(id))
      }),
    settle: (ids, sender, settlement) => {
      const { state } = settlement
      const at = 'at' in settlement ? settlement.at : now()
      const error = 'error' in settlement ? settlement.error : null
      // An entry that was unknown before has had its one more try.
      const pending = { sent: '0', failed: '0', due: '1', unknown: `CASE state WHEN 'due' THEN 1 ELSE 0 END` }[state]
      // A message that may have arrived at an earlier try stays unknown.
      const next = state === 'due' ? 'state' : `'${state}'`
      return sql.write(() =>
        run(
          `UPDATE outbox SET pending = ${pending}, state = ${next}, at = ?, error = ?, sender = NULL WHERE ${listed} AND sender = ?`,
          at,
          error,
          JSON.stringify(ids),
          sender,
        ),
      )
    },
    putOff: (ids, at, held) =>
      sql.write(() =>
        run(
          `UPDATE outbox SET at = ?${held ? ', held = 1' : ''} WHERE ${listed} AND ${waits}`,
          at,
          JSON.stringify(ids),
        ),
      ),
    pauseWay: (wayId, until) =>
      sql.write(function* () {
        yield* run('UPDATE notification_ways SET paused_until = ? WHERE id = ?', until, wayId)
        yield* run(
          'UPDATE outbox SET at = ? WHERE way_id = ? AND pending = 1 AND sender IS NULL AND at < ?',
          until,
          wayId,
          until,
        )
      }),
    takeBack: (at, maxMs) =>
      sql.write(function* () {
        yield* run('UPDATE notification_ways SET paused_until = NULL WHERE paused_until > ?', at + maxMs)
        yield* run('UPDATE outbox SET at = ? WHERE pending = 1 AND sender IS NULL AND at > ?', at, at + maxMs)
      }),
    fail: (ids, error) =>
      sql.write(() =>
        run(
          `UPDATE outbox SET state = 'failed', pending = 0, at = ?, error = ? WHERE ${listed} AND ${waits}`,
          now(),
          error,
          JSON.stringify(ids),
        ),
      ),
    drop: (ids) => sql.write(() => run(`DELETE FROM outbox WHERE ${listed} AND ${waits}`, JSON.stringify(ids))),
    prune: (before) =>
      sql.write(function* () {
        return yield* changes(
          'DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE pending = 0 AND at < ? ORDER BY at LIMIT ?)',
          before,
          maxPruned,
        )
      }),
  }
}

function noneOf(column: string, values: readonly string[]): string {
  return values.length === 0 ? '' : `AND ${column} NOT IN (${values.map(() => '?').join(', ')})`
}

function entryOf(row: Row): OutboxEntry {
  const text = (name: string): string | undefined => (row[name] === null ? undefined : String(row[name]))
  const [threadId, turnId, callId] = [text('thread_id'), text('turn_id'), text('call_id')]
  const [missionId, error] = [text('mission_id'), text('error')]
  return {
    id: String(row['id']),
    userId: userId(String(row['user_id'])),
    wayId: String(row['way_id']),
    event: String(row['event']) as NewsEvent,
    ...withoutUndefined({ threadId, turnId, callId, missionId, error }),
    state: String(row['state']) as OutboxState,
    tries: Number(row['tries']),
    at: Number(row['at']),
    createdAt: Number(row['created_at']),
    held: Number(row['held']) === 1,
  }
}
