// Ways of notification and quiet hours. `outbox-store` has what is sent.
import { createHash } from 'node:crypto'
import { AppError } from '#core/errors.ts'
import { type UserId, userId } from '#core/ids.ts'
import type { NewWay, NotificationStore, NotificationWay } from '#core/notification.ts'
import { notify } from './change-signal.ts'
import { goneWayOf, keptValue, keyContext, sealContext, wayOf } from './notification-rows.ts'
import { createOutbox } from './outbox-store.ts'
import { lockAccount } from './secret-store.ts'
import { changes, first, type Job, query, run } from './sql.ts'
import type { StoreBase } from './store-base.ts'

/** Notes about ways that were gone, which a user has not looked at. */
const maxGone = 20
/** Rows of a user that one step of an erasure takes. */
const maxErased = 2_000

const waysChanged = { type: 'notifications', what: 'ways' } as const

export function createNotificationStore({ sql, seal, now, nextId }: StoreBase): NotificationStore {
  function* findWay(condition: string, ...values: string[]): Job<NotificationWay | undefined> {
    const row = yield* first(`SELECT * FROM notification_ways WHERE ${condition} AND gone_at IS NULL`, ...values)
    return row && wayOf(row, seal)
  }

  function* change(before: NotificationWay, after: Omit<NewWay, 'kind'>): Job<NotificationWay> {
    const { id } = before
    // An event that is switched on is told from now on: what came before is old news.
    const more = after.events.some((event) => !before.events.includes(event))
    const row = yield* first(
      `UPDATE notification_ways SET target = COALESCE(?, target), label = ?, events = ?, content = ?,
       events_at = COALESCE(?, events_at) WHERE id = ? RETURNING *`,
      // Sealed under a key that is gone, it is opened again by the new one.
      after.target === before.target ? null : seal.seal(sealContext(id), after.target),
      after.label,
      JSON.stringify(after.events),
      after.content ? 1 : 0,
      more ? now() : null,
      id,
    )
    yield* notify(sql, waysChanged)
    return wayOf(row ?? {}, seal)
  }

  function* add(user: UserId, way: NewWay, { id, max }: { id: string; max: number }): Job<NotificationWay> {
    yield* lockAccount(user, sql.lock)
    const hash = createHash('sha256').update(`${way.kind} ${way.target}`).digest('hex')
    const same = yield* query(`SELECT * FROM notification_ways WHERE target_hash = ?${sql.lock}`, hash)
    const own = same.find((row) => row['user_id'] === user && row['gone_at'] === null)
    const known = own && wayOf(own, seal)
    const { replaces = known?.id } = way
    // An address that the user has already keeps its way: other programs may know its id.
    if (known && replaces === known.id) return yield* change(known, way)
    if (replaces !== undefined) {
      // Messages that are due on it go the new way.
      yield* moveDue(user, replaces, id)
      yield* run('DELETE FROM notification_ways WHERE id = ? AND user_id = ?', replaces, user)
    }
    for (const row of same) {
      const isOwn = row['user_id'] === user
      if (isOwn) yield* moveDue(user, String(row['id']), id)
      if (isOwn || way.kind === 'push') yield* removeWay(String(row['id']))
    }
    const count = yield* first(
      'SELECT count(*) AS n FROM notification_ways WHERE user_id = ? AND gone_at IS NULL',
      user,
    )
    if (Number(count?.['n']) >= max) {
      throw new AppError('invalid_input', `you have ${max} ways to be notified, and may have no more: remove one first`)
    }
    const row = yield* first(
      `INSERT INTO notification_ways (id, user_id, kind, target, target_hash, label, events, content, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *`,
      id,
      user,
      way.kind,
      seal.seal(sealContext(id), way.target),
      hash,
      way.label,
      JSON.stringify(way.events),
      way.content ? 1 : 0,
      now(),
    )
    yield* notify(sql, waysChanged)
    return wayOf(row ?? {}, seal)
  }

  return {
    ...createOutbox({ sql, now, nextId }),
    usersWithWays: () =>
      sql.read(function* () {
        const rows = yield* query('SELECT DISTINCT user_id FROM notification_ways WHERE gone_at IS NULL')
        return rows.map((row) => userId(String(row['user_id'])))
      }),
    ways: (user) =>
      sql.read(function* () {
        const rows = yield* query(
          'SELECT * FROM notification_ways WHERE user_id = ? AND gone_at IS NULL ORDER BY id',
          user,
        )
        return rows.map((row) => wayOf(row, seal))
      }),
    way: (id) => sql.read(() => findWay('id = ?', id)),
    addWay: (user, way, max) => {
      const id = nextId()
      return sql.write(() => add(user, way, { id, max }))
    },
    changeWay: (user, id, given) =>
      sql.write(function* () {
        const before = yield* findWay('id = ? AND user_id = ?', id, user)
        if (!before) return undefined
        return yield* change(before, { ...before, ...given })
      }),
    removeWay: (user, id) =>
      sql.write(function* () {
        const row = yield* first(`SELECT id FROM notification_ways WHERE id = ? AND user_id = ?${sql.lock}`, id, user)
        if (!row) return false
        yield* removeWay(id)
        yield* notify(sql, waysChanged)
        return true
      }),
    removeWays: (user, kind) =>
      sql.write(function* () {
        const rows = yield* query('SELECT id FROM notification_ways WHERE user_id = ? AND kind = ?', user, kind)
        for (const row of rows) yield* removeWay(String(row['id']))
        yield* notify(sql, waysChanged)
        return rows.length
      }),
    removeGone: (id, because) =>
      sql.write(function* () {
        const row = yield* first(
          `UPDATE notification_ways SET gone_at = ?, gone_because = ?, target = '', target_hash = NULL
           WHERE id = ? AND gone_at IS NULL RETURNING user_id`,
          now(),
          because,
          id,
        )
        if (!row) return
        yield* run(
          `UPDATE outbox SET state = 'failed', pending = 0, sender = NULL, at = ?, error = ? WHERE way_id = ? AND pending = 1`,
          now(),
          because,
          id,
        )
        const gone = yield* query(
          'SELECT id FROM notification_ways WHERE user_id = ? AND gone_at IS NOT NULL ORDER BY id DESC',
          String(row['user_id']),
        )
        for (const old of gone.slice(maxGone)) yield* removeWay(String(old['id']))
        yield* notify(sql, waysChanged)
      }),
    goneWays: (user) =>
      sql.read(function* () {
        const rows = yield* query(
          'SELECT * FROM notification_ways WHERE user_id = ? AND gone_at IS NOT NULL ORDER BY id DESC',
          user,
        )
        return rows.map(goneWayOf)
      }),
    quiet: (user) =>
      sql.read(function* () {
        const row = yield* first('SELECT * FROM notification_quiet WHERE user_id = ?', user)
        return row && { from: String(row['from_time']), to: String(row['to_time']), zone: String(row['zone']) }
      }),
    setQuiet: (user, quiet) =>
      sql.write(function* () {
        yield* lockAccount(user, sql.lock)
        yield* run('DELETE FROM notification_quiet WHERE user_id = ?', user)
        if (quiet) {
          yield* run(
            'INSERT INTO notification_quiet (user_id, from_time, to_time, zone) VALUES (?, ?, ?, ?)',
            user,
            quiet.from,
            quiet.to,
            quiet.zone,
          )
        }
        const ways = yield* query('SELECT id FROM notification_ways WHERE user_id = ?', user)
        for (const row of ways) {
          yield* run(
            'UPDATE outbox SET at = ? WHERE way_id = ? AND pending = 1 AND held = 1 AND sender IS NULL',
            now(),
            String(row['id']),
          )
        }
        yield* notify(sql, waysChanged)
      }),
    eraseSome: (user) =>
      sql.write(function* () {
        const ways = yield* changes('DELETE FROM notification_ways WHERE user_id = ?', user)
        yield* run('DELETE FROM notification_quiet WHERE user_id = ?', user)
        const entries = yield* changes(
          'DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE user_id = ? LIMIT ?)',
          user,
          maxErased,
        )
        yield* notify(sql, waysChanged)
        return ways + entries
      }),
    keepOnce: (name, value) =>
      sql.write(function* () {
        yield* run(
          'INSERT INTO notification_keys (name, sealed) VALUES (?, ?) ON CONFLICT (name) DO NOTHING',
          name,
          seal.seal(keyContext(name), value),
        )
        const kept = yield* keptValue(name, seal)
        if (kept !== undefined) return kept
        // It was sealed under a key that is gone.
        yield* run('UPDATE notification_keys SET sealed = ? WHERE name = ?', seal.seal(keyContext(name), value), name)
        return value
      }),
    kept: (name) => sql.read(() => keptValue(name, seal)),
  }
}

/** Moves what is due from a way to another, which gets the same news once. */
function* moveDue(user: UserId, from: string, to: string): Job<void> {
  yield* run(
    `UPDATE outbox SET way_id = ? WHERE way_id = ? AND user_id = ? AND pending = 1
     AND NOT EXISTS (SELECT 1 FROM outbox moved WHERE moved.way_id = ? AND moved.subject = outbox.subject)`,
    to,
    from,
    user,
    to,
  )
}

function* removeWay(id: string): Job<void> {
  yield* run('DELETE FROM outbox WHERE way_id = ? AND pending = 1', id)
  yield* run('DELETE FROM notification_ways WHERE id = ?', id)
}
