// Points of replay chains: the histories that API clients have of threads. A history is found by its hash, however many
// threads there are. A turn has the point after its answer in its row. `chain_points` has the rest: answers that stored
// nothing, and the points that a fork took over.
import type { UserId } from '#core/ids.ts'
import type { Entry, Item } from '#core/item.ts'
import { pointAfter, pointInSlices } from '#core/replay-chain.ts'
import type { Outcome, Step } from '#core/turn-store.ts'
import type { ChainEnd, NewChainPoints, ThreadPoint } from '#core/thread-store.ts'
import { ended } from '#core/turn-status.ts'
import type { Turn } from '#core/turn.ts'
import { inPace } from '#lib/pace.ts'
import { entryColumns, entryOf, listColumns, turnOf, wholeItems } from './rows.ts'
import { changes, first, type Job, query, type Row, run } from './sql.ts'

/** Counted for each point in the storage of its user: the columns, and its places in the indexes. */
export const pointBytes = 500

/** Hashes that one search looks up. A history whose known part lies further back counts as unknown. */
const maxHashes = 64

/** The part of a hash that is stored: 132 bits. */
const keyChars = 22

/** Threads with one history that are looked at for one where nothing came after it. */
const maxThreads = 20
/** Turns without a point that the end of a chain is looked for behind: they failed, or are of another door. */
const maxPassed = 16

/** The hash of what no client has sent. Real ones are longer. */
export const unknownHistory = 'unknown'

/** The first of the hashes that a thread of the user has. */
export function* findPoint(user: UserId, hashes: readonly string[]): Job<ThreadPoint | undefined> {
  const [hash, ...shorter] = hashes.slice(0, maxHashes)
  if (hash === undefined) return undefined
  const found = yield* findByHash(user, hash)
  if (found?.latest) return found
  const point = found ?? (yield* findShorter(user, shorter))
  return point && { ...point, forkAt: yield* forkSeq(point) }
}

const shorterRows = Array.from({ length: maxHashes - 1 }, (_, at) => `(?, ${at})`).join(', ')

/** One statement for all: a history that was rewritten at its end may be known at any point. */
function* findShorter(user: UserId, hashes: readonly string[]): Job<ThreadPoint | undefined> {
  if (hashes.length === 0) return undefined
  const keys = Array.from({ length: maxHashes - 1 }, (_, at) => keyOf(hashes[at] ?? ''))
  const row = yield* first(
    `WITH history (hash, at) AS (VALUES ${shorterRows})
     SELECT min(at) AS at FROM history
     WHERE EXISTS (SELECT 1 FROM turns WHERE user_id = ? AND chain = history.hash)
        OR EXISTS (SELECT 1 FROM chain_points p WHERE p.user_id = ? AND p.hash = history.hash)`,
    ...keys,
    user,
    user,
  )
  const hash = row && row['at'] !== null ? hashes[Number(row['at'])] : undefined
  return hash === undefined ? undefined : yield* findByHash(user, hash)
}

/** The point with a hash that is the latest of its thread, else any: of the newest thread. */
function* findByHash(user: UserId, hash: string): Job<ThreadPoint | undefined> {
  const key = keyOf(hash)
  const answered = yield* query(
    `SELECT thread_id, id AS turn_id, last_seq AS seq FROM turns
     WHERE user_id = ? AND chain = ? ORDER BY id DESC LIMIT ${maxThreads}`,
    user,
    key,
  )
  // The column `latest` is of an earlier version.
  const alone = yield* query(
    `SELECT thread_id, turn_id, seq FROM chain_points
     WHERE user_id = ? AND hash = ? ORDER BY latest DESC, thread_id DESC LIMIT ${maxThreads}`,
    user,
    key,
  )
  const places = [...answered, ...alone].map(placeOf).toSorted((a, b) => (a.threadId < b.threadId ? 1 : -1))
  for (const place of places) if (!(yield* hasGoneOn(place))) return { ...place, latest: true, hash }
  return places[0] && { ...places[0], latest: false, hash }
}

/** True if a later turn of the thread has a point, runs or is queued. */
export function* hasGoneOn({ threadId, turnId }: Pick<ThreadPoint, 'threadId' | 'turnId'>): Job<boolean> {
  if (yield* notedSince(threadId, turnId)) return true
  const later = yield* first(
    `SELECT 1 AS one FROM turns WHERE thread_id = ? AND (chain IS NOT NULL OR status IN ('running', 'queued')) AND id > ? LIMIT 1`,
    threadId,
    turnId,
  )
  return later !== undefined
}

/** True if a later turn of the thread has a point that is not in its row. */
function* notedSince(threadId: string, turnId: string): Job<boolean> {
  const note = 'SELECT 1 AS one FROM chain_points WHERE thread_id = ? AND turn_id > ? LIMIT 1'
  return (yield* first(note, threadId, turnId)) !== undefined
}

type Place = Pick<ThreadPoint, 'threadId' | 'turnId' | 'seq'>

function placeOf(row: Row): Place {
  return { threadId: String(row['thread_id']), turnId: String(row['turn_id']), seq: Number(row['seq']) }
}

function keyOf(hash: string): string {
  return hash.slice(0, keyChars)
}

/**
 * Where to fork a thread after a point: at the next message or output of a client, else at its end. A turn that waited at
 * a gate went on after the point; the fork keeps its outcome.
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
 * The point after the answer of a turn, as it is stored. `history` is the hash of what its client sent. Null for a
 * turn that was stopped before its first word: its client has seen no answer.
 */
export function* pointBehind(turn: Turn, history: string, step: Step): Job<string | null> {
  const answer = answerOf(yield* itemsBehindInput(turn, step.earlier ?? []), step)
  return hasSeen(answer, step) ? keyOf(pointAfter(history, answer)) : null
}

/** The same for a long answer, with pauses for the event loop; undefined if the turn's items have to be read for it. */
export async function pointInPace(turn: Turn, history: string, step: Step): Promise<string | undefined> {
  const known = knownBehindInput(turn, step.earlier ?? [])
  const answer = known && answerOf(known, step)
  return answer && hasSeen(answer, step) ? keyOf(await inPace(pointInSlices(history, answer))) : undefined
}

/** The history that a client has sent, if it has the text of the turn as its answer now. */
export function chainAsked({ options }: Turn, { outcome }: Step): string | undefined {
  return outcome && isAnswer(outcome) ? options.chain : undefined
}

/** True if a client has the text of the turn as its answer: also one that was stopped, or that the provider's filter cut. */
function isAnswer(outcome: Outcome): boolean {
  if (outcome.status === 'failed') return outcome.error.code === 'model_filtered'
  return outcome.status === 'completed' || outcome.status === 'cancelled'
}

function answerOf(stored: readonly Item[], { drafts }: Step): Item[] {
  return [...stored, ...drafts.map(({ item }) => item)]
}

function hasSeen(answer: readonly Item[], { outcome }: Step): boolean {
  return outcome?.status !== 'cancelled' || answer.some(({ type }) => type === 'message')
}

/**
 * The latest point of a thread. Only a part of a hash is stored: the whole one is made again, from the answer. Of the thread
 * only the items of that turn are read, and the rows of turns without a point that came after it.
 */
export function* readChainEnd(user: UserId, threadId: string): Job<ChainEnd | undefined> {
  const thread = yield* first('SELECT last_seq FROM threads WHERE id = ? AND user_id = ?', threadId, user)
  const lastSeq = Number(thread?.['last_seq'] ?? 0)
  let seq = lastSeq
  for (let passed = 0; passed <= maxPassed && seq > 0; passed++) {
    const row = yield* first(
      `SELECT ${listColumns}, CASE WHEN chain IS NOT NULL THEN options END AS options FROM turns
       WHERE thread_id = ? AND id = (SELECT turn_id FROM items WHERE thread_id = ? AND seq = ?)`,
      threadId,
      threadId,
      seq,
    )
    // The item was copied from another thread, or is of none.
    if (!row) return undefined
    const turn = turnOf(row)
    // What the client of a turn will have of its answer is not known yet, and it may end without another item.
    if (!ended(turn.status)) return { turnId: turn.id, hash: unknownHistory, lastSeq }
    const { chain: history, instructions } = turn.options
    if (history !== undefined) {
      if (passed > 0 && (yield* notedSince(threadId, turn.id))) return undefined
      const hash = pointAfter(history, yield* itemsBehindInput(turn, []))
      return { turnId: turn.id, hash, lastSeq, ...(instructions !== undefined && { instructions }) }
    }
    seq = (turn.firstSeq ?? 1) - 1
  }
  return undefined
}

/** The beginning of an item, with its type. */
const itemStart = 'substr(items.body, 1, 20)'

/**
 * The messages and gates that a turn has stored after its input. If `known` begins with its first entry, nothing is read,
 * and all items are returned. Else PostgreSQL reads only the beginnings of other items; SQLite has to read them whole.
 */
function* itemsBehindInput(turn: Turn, known: readonly Entry[]): Job<Item[]> {
  const { firstSeq = 1, lastSeq = Number.MAX_SAFE_INTEGER } = turn
  const inputs = turn.options.inputs ?? 1
  const items = knownBehindInput(turn, known)
  if (items) return items
  const rows = yield* query(
    `SELECT ${entryColumns} FROM ${wholeItems} WHERE thread_id = ? AND seq BETWEEN ? AND ? AND turn_id = ?
       AND (${itemStart} LIKE '{"type":"message",%' OR ${itemStart} LIKE '{"type":"gate",%') ORDER BY seq`,
    turn.threadId,
    firstSeq + inputs,
    lastSeq,
    turn.id,
  )
  return rows.map((row) => entryOf(row).item)
}

/** Undefined if `known` does not begin with the turn's first entry. */
function knownBehindInput({ firstSeq = 1, options }: Turn, known: readonly Entry[]): Item[] | undefined {
  return known[0]?.seq === firstSeq ? known.slice(options.inputs ?? 1).map(({ item }) => item) : undefined
}

/** Adds points at the end of a thread, after an answer that stored nothing. */
export function* addPointsAtEnd(user: UserId, { hashes, ...at }: NewChainPoints): Job<void> {
  for (const hash of hashes) yield* addPointAtEnd(user, { ...at, hash })
}

function* addPointAtEnd(
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
  return yield* changes(
    `INSERT INTO chain_points (thread_id, turn_id, hash, user_id, seq, latest)
     SELECT ?, id, chain, ?, last_seq, 0 FROM turns WHERE thread_id = ? AND chain IS NOT NULL AND last_seq < ?
     UNION ALL SELECT ?, turn_id, hash, ?, seq, 0 FROM chain_points WHERE thread_id = ? AND seq < ?
     ON CONFLICT (thread_id, turn_id, hash) DO NOTHING`,
    ...values,
    ...values,
  )
}
