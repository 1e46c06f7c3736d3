// Notifications as JSON, the same for the gateway and for commands.
import type { GoneWay, NotificationWay, OutboxEntry } from '#core/notification.ts'
import { isoTime } from '#core/time.ts'
import { withoutUndefined } from '#lib/without-undefined.ts'
import type { NotificationsView } from './notifications.ts'
import type { Outcome } from './way.ts'

export function viewWire({ ways, gone, quiet, pushKey }: NotificationsView) {
  return { ways: ways.map(wayWire), removed: gone.map(goneWire), quiet: quiet ?? null, push_key: pushKey }
}

export function wayWire({ id, kind, events, content, label, target, createdAt }: NotificationWay) {
  const url = urlOf(kind, target)
  return {
    id,
    kind,
    events: [...events],
    content,
    label,
    ...(url !== undefined && { url }),
    created_at: isoTime(createdAt),
  }
}

export function testWire(outcome: Outcome) {
  return { outcome: outcome.type, ...(outcome.type !== 'sent' && { error: outcome.why }) }
}

export function entryWire({ id, userId, wayId, event, state, tries, at, createdAt, ...entry }: OutboxEntry) {
  const { threadId, missionId, error } = entry
  return {
    id,
    user: userId,
    way: wayId,
    event,
    state,
    tries,
    at: isoTime(at),
    created_at: isoTime(createdAt),
    ...withoutUndefined({ thread_id: threadId, mission_id: missionId, error }),
  }
}

function goneWire({ id, kind, label, goneAt, because }: GoneWay) {
  return { id, kind, label, removed_at: isoTime(goneAt), because }
}

/** The address of a way, for its own user. */
function urlOf(kind: NotificationWay['kind'], target: string): string | undefined {
  if (target === '') return undefined
  if (kind === 'ntfy') return target
  return kind === 'push' ? (JSON.parse(target) as { endpoint: string }).endpoint : undefined
}
