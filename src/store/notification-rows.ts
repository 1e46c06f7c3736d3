// Rows of notifications as domain values, and how their secrets are sealed.
import { userId } from '#core/ids.ts'
import type { GoneWay, NewsEvent, NotificationWay, WayKind } from '#core/notification.ts'
import type { Seal } from '#lib/seal.ts'
import { first, type Job, query, type Row, run } from './sql.ts'

/** Seals what the tables of notifications hold under another key. Inside the transaction that reseals all secrets. */
export function* resealNotifications(seal: Seal, to: Pick<Seal, 'seal'>, lock: string): Job<void> {
  for (const row of yield* query(`SELECT * FROM notification_ways WHERE gone_at IS NULL${lock}`)) {
    const { id, target } = wayOf(row, seal)
    if (target === '') continue
    yield* run('UPDATE notification_ways SET target = ? WHERE id = ?', to.seal(sealContext(id), target), id)
  }
  for (const row of yield* query(`SELECT name FROM notification_keys${lock}`)) {
    const name = String(row['name'])
    const value = yield* keptValue(name, seal)
    if (value === undefined) continue
    yield* run('UPDATE notification_keys SET sealed = ? WHERE name = ?', to.seal(keyContext(name), value), name)
  }
}

/** A value that is kept once for the installation; undefined if its key is gone. */
export function* keptValue(name: string, seal: Seal): Job<string | undefined> {
  const row = yield* first('SELECT sealed FROM notification_keys WHERE name = ?', name)
  return row && openOr(undefined, () => seal.open(keyContext(name), String(row['sealed'])))
}

export function wayOf(row: Row, seal: Seal): NotificationWay {
  const id = String(row['id'])
  return {
    id,
    userId: userId(String(row['user_id'])),
    kind: String(row['kind']) as WayKind,
    events: JSON.parse(String(row['events'])) as NewsEvent[],
    content: Number(row['content']) === 1,
    target: openOr('', () => seal.open(sealContext(id), String(row['target']))),
    label: String(row['label']),
    createdAt: Number(row['created_at']),
    ...(row['paused_until'] !== null && { pausedUntil: Number(row['paused_until']) }),
  }
}

export function goneWayOf(row: Row): GoneWay {
  return {
    id: String(row['id']),
    kind: String(row['kind']) as WayKind,
    label: String(row['label']),
    goneAt: Number(row['gone_at']),
    because: String(row['gone_because']),
  }
}

/** A value sealed under a key that is gone cannot be opened: a restored home goes on without it. */
function openOr<T>(otherwise: T, open: () => string): string | T {
  try {
    return open()
  } catch {
    return otherwise
  }
}

/** The context that a way's target is sealed with. */
export function sealContext(wayId: string): string {
  return `notification way/${wayId}`
}

export function keyContext(name: string): string {
  return `notification key/${name}`
}
