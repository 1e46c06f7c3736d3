// Forks a thread: a new thread gets the entries before a message. Entries keep their ids, seqs and turns, so a receipt can
// be found from either thread. In a fork of another sender's thread their words are marked as untrusted. Both threads share
// large bodies: they are moved into `shared_bodies` before the fork, and triggers delete one with the last item that refers
// to it.
import type { Door } from '#core/doors.ts'
import { AppError, wrongField } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import { maxThreadTitleChars } from '#core/page-limits.ts'
import type { ForkPoint } from '#core/thread-store.ts'
import type { Thread } from '#core/turn.ts'
import { copyPoints, pointBytes } from './chain-points.ts'
import { isReached, reachValue } from './reachable.ts'
import { headerChars } from './item-headers.ts'
import { markForeign } from './mark-foreign.ts'
import { itemOf, threadColumns, threadOf, wholeBody, wholeItems } from './rows.ts'
import { first, type Job, query, type Row, run, type Sql } from './sql.ts'
import { checkRoom, ownBytes, rowBytes } from './storage-quota.ts'
import { joinFamily } from './thread-variants.ts'

/** Smaller bodies are copied: a reference and a header take nearly as much. */
const minSharedBytes = 1024
/** Bounds of what is copied: other writers wait for its transaction. */
const maxItems = 20_000
const defaultMaxBytes = 64 * 1024 * 1024

const isLarge = `(shared IS NULL AND octet_length(body) >= ${minSharedBytes})`

/** `id` is the new thread's. `lock` keeps the old one from being erased meanwhile. */
type ForkParts = {
  readonly id: string
  readonly threadId: string
  readonly beforeSeq: number
  readonly door: Door
  readonly now: number
  readonly lock: string
  readonly temporary?: boolean | undefined
  /** A variant of the thread, for Retry and Edit. Of another user's thread and of a temporary one there is none. */
  readonly variant?: boolean | undefined
  /** Another title for the variant and its conversation, if that still has this one. */
  readonly retitle?: { readonly from: string; readonly to: string } | undefined
  readonly maxBytes?: number | undefined
  /** The storage quota of a user; 0 means none. */
  readonly maxUserBytes: number
}

export function* forkThread(user: UserId, parts: ForkParts): Job<Thread | undefined> {
  const {
    id,
    threadId,
    beforeSeq,
    door,
    now,
    lock,
    temporary = false,
    maxBytes = defaultMaxBytes,
    maxUserBytes,
  } = parts
  const row = yield* first(
    `SELECT ${threadColumns} FROM threads WHERE id = ? AND ${isReached}${lock}`,
    threadId,
    user,
    user,
  )
  if (!row) return undefined
  const old = threadOf(row)
  const openCall = yield* checkForkPoint(old, beforeSeq, parts.variant === true)
  const bytes = yield* bytesBefore(threadId, beforeSeq, maxBytes)
  const points = yield* copyPoints({ from: threadId, to: id, user, beforeSeq })
  const copied = bytes + points * pointBytes
  yield* checkRoom(user, { added: copied, max: maxUserBytes })
  const upTo = beforeSeq - 1
  const isVariant = parts.variant === true && old.userId === user && !old.temporary
  const titleOfVariant = parts.retitle?.from === old.title ? parts.retitle.to : old.title
  const thread: Thread = {
    id,
    userId: user,
    door,
    title: isVariant ? titleOfVariant : yield* numberedTitle(row),
    createdAt: now,
    updatedAt: now,
    lastSeq: upTo,
    state: 'idle',
    ...(old.model !== undefined && { model: old.model }),
    ...(openCall !== undefined && { openCall }),
    ...(temporary && { temporary }),
    forkedFrom: { threadId, beforeSeq },
  }
  yield* run(
    `INSERT INTO threads (id, user_id, door, operator_reaches, title, created_at, updated_at, last_seq, last_turn, summarised,
                          bytes, open_call, temporary, model, forked_from, forked_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    thread.id,
    user,
    door,
    reachValue(door),
    thread.title,
    now,
    now,
    upTo,
    // `last_turn` is the sort key of the list. No turn has this id.
    thread.id,
    Number(row['summarised']) > 0 ? yield* summarisedBefore(threadId, beforeSeq) : 0,
    copied,
    openCall ?? null,
    Number(temporary),
    old.model ?? null,
    threadId,
    beforeSeq,
  )
  yield* run(
    `INSERT INTO items (thread_id, seq, id, turn_id, at, body, asked, shared)
     SELECT ?, seq, id, turn_id, at, body, asked, shared FROM items WHERE thread_id = ? AND seq < ?`,
    thread.id,
    threadId,
    beforeSeq,
  )
  if (old.userId !== user) {
    const added = yield* markForeign(thread.id, maxBytes)
    yield* checkRoom(user, { added, max: maxUserBytes })
    yield* run('UPDATE threads SET bytes = bytes + ? WHERE id = ?', added, thread.id)
  }
  yield* run(
    `UPDATE shared_bodies SET refs = refs + 1
     WHERE id IN (SELECT shared FROM items WHERE thread_id = ? AND shared IS NOT NULL)`,
    thread.id,
  )
  if (!isVariant) return thread
  const family = old.family ?? old.id
  yield* joinFamily(thread.id, row, lock)
  if (thread.title !== old.title) yield* run('UPDATE threads SET title = ? WHERE family = ?', thread.title, family)
  return { ...thread, family }
}

/** Names the thread and the number of its fork, in front: a list shows the beginning of a title. */
function* numberedTitle(thread: Row): Job<string> {
  const firstId = String(thread['family'] ?? thread['id'])
  const row = yield* first('UPDATE threads SET forks = forks + 1 WHERE id = ? RETURNING forks', firstId)
  const title = String(thread['title'])
  const number = Number(row?.['forks'] ?? 1)
  if (title === '') return ''
  return `Fork ${number > 1 ? `${number} ` : ''}of ${title}`.slice(0, maxThreadTitleChars).toWellFormed()
}

/** Bytes that are moved in one transaction: others wait for it. */
const sliceBytes = 1024 * 1024
/** Items that are looked at for a slice. */
const sliceItems = 200

/** A fork takes as long as storing this much for each of its items. */
const itemBytes = 2 * 1024

/**
 * Moves all large bodies before a seq out of their items, in short transactions. Call it before a fork. Returns the size of
 * the fork's own transaction: much where there are many or large items, or where it marks a sender's messages.
 */
export async function shareAll(
  sql: Sql,
  user: UserId,
  { threadId, beforeSeq }: ForkPoint,
): Promise<{ readonly bytes: number }> {
  const thread = await sql.read(() => first('SELECT user_id, bytes FROM threads WHERE id = ?', threadId))
  // One item may have megabytes.
  const size = { bytes: Number(thread?.['bytes'] ?? 0) }
  for (let after: number | undefined = 0; after !== undefined; ) {
    const slice: Slice = { threadId, beforeSeq, after, lock: sql.lock }
    after = await sql.write(() => shareSome(user, slice), size)
  }
  if (thread?.['user_id'] !== user) return { bytes: defaultMaxBytes }
  return { bytes: beforeSeq * itemBytes + (await sql.read(() => sharedBytes(threadId, beforeSeq))) }
}

/** The size of the first bodies that a fork shares: SQLite writes each of them anew to count its references. */
function* sharedBytes(threadId: string, beforeSeq: number): Job<number> {
  const firstShared =
    'SELECT shared FROM items WHERE thread_id = ? AND seq < ? AND shared IS NOT NULL ORDER BY seq LIMIT 1000'
  const sum = `SELECT COALESCE(sum(bytes), 0) AS bytes FROM shared_bodies WHERE id IN (${firstShared})`
  return Number((yield* first(sum, threadId, beforeSeq))?.['bytes'])
}

/** `lock` keeps others from moving the same bodies. */
type Slice = {
  readonly threadId: string
  readonly beforeSeq: number
  readonly after: number
  readonly lock: string
}

/**
 * Moves some large bodies out of their items, which keep the part that headers are read from. Returns the seq to go on
 * after; undefined at the end.
 */
function* shareSome(user: UserId, { threadId, beforeSeq, after, lock }: Slice): Job<number | undefined> {
  const thread = yield* first(`SELECT user_id FROM threads WHERE id = ? AND ${isReached}${lock}`, threadId, user, user)
  if (!thread) return undefined
  const rows = yield* query(
    `SELECT seq, octet_length(body) AS bytes FROM items WHERE thread_id = ? AND seq > ? AND seq < ? AND ${isLarge}
     ORDER BY seq LIMIT ${sliceItems}`,
    threadId,
    after,
    beforeSeq,
  )
  let moved = 0
  let last: number | undefined
  for (const { seq, bytes } of rows) {
    if (moved > 0 && moved + Number(bytes) > sliceBytes) break
    moved += Number(bytes)
    last = Number(seq)
  }
  if (last === undefined) return undefined
  const large = `thread_id = ? AND seq > ? AND seq <= ? AND ${isLarge}`
  yield* run(
    `INSERT INTO shared_bodies (id, user_id, refs, bytes, body)
     SELECT thread_id || ':' || seq, ?, 1, octet_length(body), body FROM items WHERE ${large}`,
    String(thread['user_id']),
    threadId,
    after,
    last,
  )
  yield* run(
    `UPDATE items SET shared = thread_id || ':' || seq, body = substr(body, 1, ${headerChars}) WHERE ${large}`,
    threadId,
    after,
    last,
  )
  // They count for the same user as before, but by themselves: the thread may go before them.
  yield* run('UPDATE threads SET bytes = bytes - ? WHERE id = ?', moved, threadId)
  return last
}

/**
 * A fork must not have open calls of ours: there are none before a user message or the output of a caller's function, nor
 * at the end of a thread that is at rest. A variant begins with a user message. Returns the caller's call that the fork
 * waits for.
 */
function* checkForkPoint(
  { id, lastSeq, state, openCall }: Thread,
  beforeSeq: number,
  variant: boolean,
): Job<string | undefined> {
  const row = yield* first(
    `SELECT ${wholeBody} AS body FROM ${wholeItems} WHERE thread_id = ? AND seq = ?
       AND (items.body LIKE '{"type":"message","role":"user",%' OR items.body LIKE '{"type":"answer",%')`,
    id,
    beforeSeq,
  )
  const item = row && itemOf(row)
  if (item?.type === 'message') return undefined
  if (!variant && item?.type === 'answer' && item.decision === 'output') return item.callId
  const rests = !variant && (state === 'idle' || state === 'failed') && openCall === undefined
  if (beforeSeq === lastSeq + 1 && rests) return undefined
  throw wrongField('before_seq', 'must be the seq of a user message')
}

/** The bytes that the entries before a seq count in a fork: what it shares counts once. Throws too_large. */
function* bytesBefore(id: string, beforeSeq: number, maxBytes: number): Job<number> {
  const size = yield* first(
    `SELECT count(*) AS items, COALESCE(sum(${ownBytes}), 0) AS bytes FROM items WHERE thread_id = ? AND seq < ?`,
    id,
    beforeSeq,
  )
  const [items, bytes] = [Number(size?.['items']), Number(size?.['bytes'])]
  if (items > maxItems || bytes > maxBytes) {
    throw new AppError(
      'too_large',
      `more than ${maxItems} items or ${maxBytes} bytes would be written: start a new thread instead`,
    )
  }
  return bytes + items * rowBytes
}

/** The seq up to which the latest copied summary reaches. */
function* summarisedBefore(threadId: string, beforeSeq: number): Job<number> {
  const row = yield* first(
    `SELECT ${wholeBody} AS body FROM ${wholeItems} WHERE thread_id = ? AND seq < ? AND items.body LIKE '{"type":"summary",%'
     ORDER BY seq DESC LIMIT 1`,
    threadId,
    beforeSeq,
  )
  const item = row && itemOf(row)
  return item?.type === 'summary' ? item.upTo : 0
}
