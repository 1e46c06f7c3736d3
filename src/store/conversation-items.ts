// Items that an API client adds to its conversation, or removes from it, beside turns.
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import type { Entry } from '#core/item.ts'
import type { ItemRef, NewThread } from '#core/thread-store.ts'
import { append, type Bodies } from './append-items.ts'
import { removedBody } from './rows.ts'
import { first, type Job, type Row, run, type Sql } from './sql.ts'
import { checkAtRest } from './start-turn.ts'
import { checkQuota, storedBytes } from './storage-quota.ts'
import { eraseWordsOf } from './thread-index-store.ts'

type AddParts = {
  readonly now: number
  readonly lock: string
  readonly bodies: Bodies
  /** The storage quota of a user; 0 means none. */
  readonly maxUserBytes: number
}

/** The items belong to no turn: like those that a thread is made with, they have the thread's id for one. */
export function* addItems(
  user: UserId,
  threadId: string,
  { title, drafts }: Pick<NewThread, 'title' | 'drafts'>,
  { now, lock, bodies, maxUserBytes }: AddParts,
): Job<Entry[]> {
  const thread = yield* first(
    `SELECT id, title, last_seq, open_call, ${storedBytes} AS stored FROM threads WHERE id = ? AND user_id = ?${lock}`,
    user,
    threadId,
    user,
  )
  if (!thread) throw new AppError('not_found', `thread ${threadId} does not exist`)
  yield* checkAtRest(thread)
  checkQuota({ stored: Number(thread['stored']), added: bodies.bytes, max: maxUserBytes })
  if (thread['title'] === '') yield* run('UPDATE threads SET title = ? WHERE id = ?', title, threadId)
  const target = { threadId, turnId: threadId, at: now, lastSeq: Number(thread['last_seq']), bodies }
  return yield* append(target, drafts, null)
}

export function* removeItem(
  sql: Sql,
  user: UserId,
  { threadId, itemId, title }: ItemRef & { readonly title: string },
): Job<'removed' | 'missing' | 'read'> {
  const thread = yield* first(`SELECT title FROM threads WHERE id = ? AND user_id = ?${sql.lock}`, threadId, user)
  if (!thread) return 'missing'
  const item = yield* findItem(threadId, itemId)
  if (!item || item['body'] === removedBody) return 'missing'
  const seq = Number(item['seq'])
  const later = 'SELECT 1 AS one FROM items WHERE thread_id = ? AND seq >= ? AND turn_id <> ? LIMIT 1'
  if (yield* first(later, threadId, seq, threadId)) return 'read'
  yield* run('UPDATE items SET body = ?, shared = NULL WHERE thread_id = ? AND seq = ?', removedBody, threadId, seq)
  const shared = item['shared'] ?? null
  if (shared !== null) {
    yield* run('UPDATE shared_bodies SET refs = refs - 1 WHERE id = ?', shared)
    yield* run('DELETE FROM shared_bodies WHERE id = ? AND refs = 0', shared)
  }
  const freed = (shared === null ? Number(item['bytes']) : 0) - Buffer.byteLength(removedBody)
  yield* run('UPDATE threads SET bytes = bytes - ? WHERE id = ?', freed, threadId)
  yield* eraseWordsOf(sql, threadId, seq)
  if (thread['title'] === title) {
    yield* run(`UPDATE threads SET title = '' WHERE id = ?`, threadId)
    // The title is indexed as the seq 0.
    yield* eraseWordsOf(sql, threadId, 0)
  }
  return 'removed'
}

/** The index of ids, `items_by_id`, leaves out the first items of each thread. */
function* findItem(threadId: string, itemId: string): Job<Row | undefined> {
  const columns = `seq, shared, octet_length(body) AS bytes, substr(body, 1, ${removedBody.length + 1}) AS body`
  const byId = (range: string): string => `SELECT ${columns} FROM items WHERE thread_id = ? AND id = ? AND ${range}`
  return (yield* first(byId('seq > 32'), threadId, itemId)) ?? (yield* first(byId('seq <= 32'), threadId, itemId))
}
