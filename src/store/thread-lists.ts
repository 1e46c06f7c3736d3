// Lists of threads: the usual one, those that are pinned, and those that are archived.
import type { UserId } from '#core/ids.ts'
import type { Page, PageQuery } from '#core/page.ts'
import type { Shelf, Thread, ThreadPlace } from '#core/turn.ts'
import { keepThread } from './keep-thread.ts'
import { lastId, pageOf } from './list-page.ts'
import { isListed, isReached, newestReached } from './reachable.ts'
import { threadColumns, threadOf } from './rows.ts'
import { changes, first, type Job, query, type Row } from './sql.ts'
import { hiddenValue, showHidden } from './thread-variants.ts'

type ThreadsQuery = PageQuery & { readonly shelf?: Shelf }

export function* listThreads(user: UserId, { limit, cursor, shelf }: ThreadsQuery): Job<Page<Thread>> {
  if (shelf === 'pinned') return { rows: (yield* pinned(user, limit)).map(threadOf) }
  const archived = shelf === 'archived' ? 1 : 0
  const rows = yield* newestReached(user, 'last_turn', limit + 1, (condition, who) =>
    query(
      `SELECT ${threadColumns} FROM threads WHERE ${condition} AND ${isListed} AND archived = ${archived} AND last_turn < ?
       ORDER BY last_turn DESC LIMIT ?`,
      ...who,
      cursor ?? lastId,
      limit + 1,
    ),
  )
  return pageOf(rows, limit, threadOf, 'last_turn')
}

/** A list of one page, last pinned first. */
function* pinned(user: UserId, limit: number): Job<Row[]> {
  return yield* newestReached(user, 'pinned_at', limit, (condition, who) =>
    query(
      `SELECT ${threadColumns} FROM threads WHERE ${condition} AND pinned_at IS NOT NULL ORDER BY pinned_at DESC LIMIT ?`,
      ...who,
      limit,
    ),
  )
}

/** Pins, archives or brings back a thread, and shows it in place of its variants. What is archived is not pinned, and what is pinned is not archived. */
export function* shelve(
  user: UserId,
  threadId: string,
  where: ThreadPlace & { now: number; lock: string },
): Job<boolean> {
  const { pinned: pins, archived: archives, now } = where
  const pin = archives ? false : pins
  const archive = pins ? false : archives
  const hidden = yield* first(
    `SELECT id, family, archived FROM threads WHERE id = ? AND ${isReached} AND archived = ${hiddenValue}`,
    threadId,
    user,
    user,
  )
  if (hidden) yield* showHidden(hidden, where.lock)
  const changed = yield* changes(
    `UPDATE threads SET pinned_at = CASE ? WHEN 'yes' THEN COALESCE(pinned_at, ?) WHEN 'no' THEN NULL ELSE pinned_at END,
                        archived = COALESCE(?, archived)
     WHERE id = ? AND ${isReached}`,
    pin === undefined ? 'same' : pin ? 'yes' : 'no',
    now,
    archive === undefined ? null : Number(archive),
    threadId,
    user,
    user,
  )
  if (changed > 0 && (pin || archive)) yield* keepThread(threadId)
  return changed > 0
}
