// Puts news into the outbox, one row for each way: within the transaction of what the news is about, or by itself.
import type { UserId } from '#core/ids.ts'
import type { NewNews } from '#core/notification.ts'
import { changes, type Job, query } from './sql.ts'

/** Returns how many rows were added: a way gets the same news once. */
export function* enqueueNews(
  user: UserId,
  news: NewNews,
  { at, nextId }: { readonly at: number; readonly nextId: () => string },
): Job<number> {
  const ways = yield* query(
    `SELECT id, kind, events, COALESCE(events_at, created_at) AS since FROM notification_ways
     WHERE user_id = ? AND gone_at IS NULL ORDER BY id`,
    user,
  )
  let added = 0
  for (const way of ways) {
    const events = JSON.parse(String(way['events'])) as string[]
    if (!events.includes(news.event) || way['kind'] === news.door) continue
    if (news.at !== undefined && news.at < Number(way['since'])) continue
    added += yield* changes(
      `INSERT INTO outbox (id, user_id, way_id, event, subject, thread_id, turn_id, call_id, mission_id, state, at, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'due', ?, ?) ON CONFLICT (way_id, subject) DO NOTHING`,
      nextId(),
      user,
      String(way['id']),
      news.event,
      news.subject,
      news.threadId ?? null,
      news.turnId ?? null,
      news.callId ?? null,
      news.missionId ?? null,
      at,
      at,
    )
  }
  return added
}
