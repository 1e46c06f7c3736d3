// Points of replay chains: the histories that API clients have of threads. A history is found by its hash, however many
// threads there are.
import type { UserId } from '#core/ids.ts'
import type { ThreadPoint } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import { first, type Job, run } from './sql.ts'

/** Counted for each point in the storage of its user: the row, and its places in the indexes. */
export const pointBytes = 500

/** Hashes that one search looks up. A history whose known part lies further back counts as unknown. */
const maxHashes = 64

/** The first of the hashes that a thread of the user has. */
export function* findPoint(user: UserId, hashes: readonly string[]): Job<ThreadPoint | undefined> {
  for (const [at, hash] of hashes.slice(0, maxHashes).entries()) {
    const row = yield* first(
      `SELECT thread_id, turn_id, seq, latest FROM chain_points WHERE user_id = ? AND hash = ?
       ORDER BY latest DESC, thread_id DESC LIMIT 1`,
      user,
      hash,
    )
    if (!row) continue
    const point = {
      threadId: String(row['thread_id']),
      turnId: String(row['turn_id']),
      seq: Number(row['seq']),
      latest: Number(row['latest']) === 1,
      hash,
    }
    return at === 0 && point.latest ? point : { ...point, forkAt: yield* forkSeq(point) }
  }
  return undefined
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

type NewPoint = {
  readonly turn: Pick<Turn, 'id' | 'threadId' | 'userId' | 'firstSeq'>
  readonly seq: number
  readonly hash: string
}

/** Adds the point behind an answer. The points of earlier turns are no longer the latest. */
export function* addPoint({ turn, seq, hash }: NewPoint): Job<void> {
  // The first turn of a thread has none before it.
  if (turn.firstSeq !== 1) {
    yield* run(
      'UPDATE chain_points SET latest = 0 WHERE thread_id = ? AND latest = 1 AND turn_id <> ?',
      turn.threadId,
      turn.id,
    )
  }
  yield* run(
    `INSERT INTO chain_points (thread_id, turn_id, hash, user_id, seq, latest) VALUES (?, ?, ?, ?, ?, 1)
     ON CONFLICT (thread_id, turn_id, hash) DO NOTHING`,
    turn.threadId,
    turn.id,
    hash,
    turn.userId,
    seq,
  )
}

/** Adds a point at the end of a thread, behind an answer that stored nothing. */
export function* addPointAtEnd(
  user: UserId,
  { threadId, turnId, hash }: Pick<ThreadPoint, 'threadId' | 'turnId' | 'hash'>,
): Job<void> {
  const known = 'SELECT 1 AS one FROM chain_points WHERE thread_id = ? AND turn_id = ? AND hash = ?'
  if (yield* first(known, threadId, turnId, hash)) return
  const row = yield* first(
    'UPDATE threads SET bytes = bytes + ? WHERE id = ? AND user_id = ? RETURNING last_seq',
    pointBytes,
    threadId,
    user,
  )
  if (row) yield* addPoint({ turn: { id: turnId, threadId, userId: user }, seq: Number(row['last_seq']), hash })
}

type Copy = { readonly from: string; readonly to: string; readonly user: UserId; readonly beforeSeq: number }

/** Gives a fork the points of the entries that it keeps. Returns their number. */
export function* copyPoints({ from, to, user, beforeSeq }: Copy): Job<number> {
  const kept = 'FROM chain_points WHERE thread_id = ? AND seq < ?'
  const row = yield* first(`SELECT count(*) AS points, max(turn_id) AS newest ${kept}`, from, beforeSeq)
  const points = Number(row?.['points'])
  if (points === 0) return 0
  yield* run(
    `INSERT INTO chain_points (thread_id, turn_id, hash, user_id, seq, latest)
     SELECT ?, turn_id, hash, ?, seq, CASE WHEN turn_id = ? THEN 1 ELSE 0 END ${kept}`,
    to,
    user,
    String(row?.['newest']),
    from,
    beforeSeq,
  )
  return points
}
