// Points of replay chains: the histories that API clients have of threads. A history is found by its hash, however many
// threads there are. A turn has the point behind its answer in its row. `chain_points` has the rest: answers that stored
// nothing, and the points that a fork took over.
import type { UserId } from '#core/ids.ts'
import type { Entry, Item } from '#core/item.ts'
import { pointAfter } from '#core/replay-chain.ts'
import type { Step, ThreadPoint } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import { first, type Job, query, type Row, run } from './sql.ts'
import { readRange } from './thread-range.ts'

/** Counted for each point in the storage of its user: the columns, and its places in the indexes. */
export const pointBytes = 500

/** Hashes that one search looks up. A history whose known part lies further back counts as unknown. */
const maxHashes = 64

/** The part of a hash that is stored: 132 bits. */
const keyChars = 22

/** Items that are read at once. */
const pageRows = 500
/** Threads with one history that are looked at for one where nothing came behind it. */
const maxThreads = 100

/** The first of the hashes that a thread of the user has. */
export function* findPoint(user: UserId, hashes: readonly string[]): Job<ThreadPoint | undefined> {
  for (const [at, hash] of hashes.slice(0, maxHashes).entries()) {
    const key = keyOf(hash)
    const found = yield* findByKey(user, key)
    if (!found) continue
    const point = { ...found, hash }
    return at === 0 && point.latest ? point : { ...point, forkAt: yield* forkSeq(point) }
  }
  return undefined
}

/** Points with one hash, the newest first: of answered turns, and those that stand alone (`latest` is of an earlier version). */
const byHash = [
  `SELECT thread_id, id AS turn_id, last_seq AS seq FROM turns
   WHERE user_id = ? AND chain = ? ORDER BY id DESC LIMIT ${maxThreads}`,
  `SELECT thread_id, turn_id, seq FROM chain_points
   WHERE user_id = ? AND hash = ? ORDER BY latest DESC, thread_id DESC LIMIT ${maxThreads}`,
]

/** The newest point that is the latest of its thread, else the newest. */
function* findByKey(user: UserId, key: string): Job<Omit<ThreadPoint, 'hash' | 'forkAt'> | undefined> {
  let newest: Place | undefined
  for (const sql of byHash) {
    for (const row of yield* query(sql, user, key)) {
      const place = placeOf(row)
      if (!(yield* answeredSince(place))) return { ...place, latest: true }
      newest ??= place
    }
  }
  return newest && { ...newest, latest: false }
}

/** True if a later turn of the thread has a point. */
function* answeredSince({ threadId, turnId, seq }: Place): Job<boolean> {
  const point =
    (yield* first('SELECT 1 AS one FROM chain_points WHERE thread_id = ? AND turn_id > ? LIMIT 1', threadId, turnId)) ??
    (yield* first(
      `SELECT 1 AS one FROM items i JOIN turns t ON t.id = i.turn_id
       WHERE i.thread_id = ? AND i.seq > ? AND i.turn_id <> ? AND t.chain IS NOT NULL LIMIT 1`,
      threadId,
      seq,
      turnId,
    ))
  return point !== undefined
}

type Place = Pick<ThreadPoint, 'threadId' | 'turnId' | 'seq'>

function placeOf(row: Row): Place {
  return { threadId: String(row['thread_id']), turnId: String(row['turn_id']), seq: Number(row['seq']) }
}

function keyOf(hash: string): string {
  return hash.slice(0, keyChars)
}

/**
 * Where to fork a thread behind a point: at the next message or output of a client, else at its end. A turn that waited at
 * a gate went on behind the point; the fork keeps its outcome.
 */
function* forkSeq({ threadId, seq }: Pick<ThreadPoint, 'threadId' | 'seq'>): Job<number> {
  const next = yield* first(
    `SELECT seq FROM items WHERE thread_id = ? AND seq > ?
       AND (body LIKE '{"type":"message","role":"user",%' OR body LIKE '{"type":"answer",%"decision":"output",%')
     ORDER BY seq LIMIT 1`,
    threadId,
    seq,
  )
  const end = next ?? (yield* first('SELECT last_seq + 1 AS seq FROM threads WHERE id = ?', threadId))
  return Number(end?.['seq'] ?? seq + 1)
}

/**
 * The point behind the answer of a turn, as it is stored. `asked` is the hash of the history that its client sent. Null for a
 * turn that was stopped before its first word: its client has seen no answer.
 */
export function* pointBehind(turn: Turn, asked: string, { drafts, earlier = [], outcome }: Step): Job<string | null> {
  const items = [...(yield* itemsOf(turn, earlier)), ...drafts.map(({ item }) => item)]
  const answer = items.slice(turn.options.inputs ?? 1)
  if (outcome?.status === 'cancelled' && !answer.some(({ type }) => type === 'message')) return null
  return keyOf(pointAfter(asked, answer))
}

/** The stored items of a turn. If `known` begins with its first entry, nothing is read. */
function* itemsOf({ id, threadId, firstSeq = 1 }: Turn, known: readonly Entry[]): Job<Item[]> {
  if (known[0]?.seq === firstSeq) return known.map(({ item }) => item)
  const items: Item[] = []
  for (let after = firstSeq - 1, more = true; more; ) {
    const page = yield* readRange(threadId, { after, limit: pageRows })
    for (const { turnId, item } of page.entries) if (turnId === id) items.push(item)
    after = page.entries.at(-1)?.seq ?? after
    more = page.more
  }
  return items
}

/** Adds a point at the end of a thread, behind an answer that stored nothing. */
export function* addPointAtEnd(
  user: UserId,
  { threadId, turnId, hash }: Pick<ThreadPoint, 'threadId' | 'turnId' | 'hash'>,
): Job<void> {
  const key = keyOf(hash)
  const known = 'SELECT 1 AS one FROM chain_points WHERE thread_id = ? AND turn_id = ? AND hash = ?'
  if (yield* first(known, threadId, turnId, key)) return
  const row = yield* first(
    'UPDATE threads SET bytes = bytes + ? WHERE id = ? AND user_id = ? RETURNING last_seq',
    pointBytes,
    threadId,
    user,
  )
  if (!row) return
  yield* run(
    'INSERT INTO chain_points (thread_id, turn_id, hash, user_id, seq, latest) VALUES (?, ?, ?, ?, ?, 0)',
    threadId,
    turnId,
    key,
    user,
    Number(row['last_seq']),
  )
}

type Copy = { readonly from: string; readonly to: string; readonly user: UserId; readonly beforeSeq: number }

/** Gives a fork the points of the entries that it keeps. Returns their number. */
export function* copyPoints({ from, to, user, beforeSeq }: Copy): Job<number> {
  const values = [to, user, from, beforeSeq]
  const rows = yield* query(
    `INSERT INTO chain_points (thread_id, turn_id, hash, user_id, seq, latest)
     SELECT ?, id, chain, ?, last_seq, 0 FROM turns WHERE thread_id = ? AND chain IS NOT NULL AND last_seq < ?
     UNION ALL SELECT ?, turn_id, hash, ?, seq, 0 FROM chain_points WHERE thread_id = ? AND seq < ?
     ON CONFLICT (thread_id, turn_id, hash) DO NOTHING RETURNING 1 AS one`,
    ...values,
    ...values,
  )
  return rows.length
}
