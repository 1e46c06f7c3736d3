// Claims queued turns fairly: users with the fewest running turns come first. A claim reads only the head of each user's
// queue, so its cost does not grow with the length of the queue.
import type { Entry } from '#core/item.ts'
import type { Lease } from '#core/lease.ts'
import type { StartedTurn } from '#core/turn-store.ts'
import type { Turn } from '#core/turn.ts'
import { append } from './append-items.ts'
import { type LongInput, maxShortInput, shortInput } from './long-input.ts'
import { inputIn, turnColumns, turnOf } from './rows.ts'
import { first, type Job, query, type Row, run, type Sql } from './sql.ts'
import { isActive, isQueued, isRunning } from './turn-status.ts'

/** A claim stops after this many bytes of input and leaves the rest to the next one. A long input is claimed by itself. */
const maxClaimBytes = 2 * 1024 * 1024

/**
 * A user with queued turns, the number of running ones, and the id of the oldest queued one. `served` is the place in the
 * order of the last claims; 0 for a user who got nothing lately.
 */
export type Queue = {
  readonly user: string
  readonly running: number
  readonly oldest: string
  readonly served: number
}

type ClaimParts = {
  readonly limit: number
  readonly now: number
  readonly backend: Sql['backend']
  readonly served: ReadonlySet<string>
  /** The long input that an earlier attempt asked for. */
  readonly long?: LongInput | undefined
}

/** What was started. `long`: nothing, because the first turn needs its long input read before. */
export type Claimed = { readonly started: StartedTurn[]; readonly long?: string }

/** Users whose turns were started last by this process, the last one at the end. */
export type Served = Set<string>

const maxServed = 1_000

/** Starts up to `limit` queued turns whose thread is free. */
export function* claimTurns(lease: Lease, { limit, now, backend, served, long }: ClaimParts): Job<Claimed> {
  let queues = yield* queuesOfUsers(served)
  const started: StartedTurn[] = []
  let bytes = 0
  while (started.length < limit && queues.length > 0) {
    const { users, each } = nextShare(queues, limit - started.length)
    const rows = yield* query(heads[backend], JSON.stringify(users), each)
    for (const { id = null } of rows) {
      // Read after the lock: an edit of the message may have been committed while the heads were looked up.
      const columns = `${turnColumns}, ${shortInput}, octet_length(input) AS bytes`
      const row = yield* first(`SELECT ${columns} FROM turns WHERE id = ?`, id)
      if (!row) continue
      bytes += Number(row['bytes'])
      if (started.length > 0 && bytes > maxClaimBytes) return { started }
      const isLong = Number(row['bytes']) > maxShortInput
      if (isLong && !(yield* isRead(String(id), long)))
        return started.length > 0 ? { started } : { started, long: String(id) }
      started.push(yield* startClaimed(row, lease, { now, long: isLong ? long : undefined }))
    }
    queues = afterShare(queues, users, { each, taken: rows.map((row) => String(row['user_id'])) })
  }
  return { started }
}

/** False if the input was not read, or was changed since. */
function* isRead(turnId: string, long: LongInput | undefined): Job<boolean> {
  if (long?.turnId !== turnId) return false
  return (yield* first('SELECT 1 AS one FROM turns WHERE id = ? AND input = ?', turnId, long.text)) !== undefined
}

/** A turn of this user was started. Not for use inside a job, which may be run again. */
export function noteServed(served: Served, user: string): void {
  served.delete(user)
  served.add(user)
  const [oldest] = served
  if (served.size > maxServed && oldest !== undefined) served.delete(oldest)
}

/**
 * The users to serve next: those with the fewest running turns, each with as many as keep them level with the others. Of
 * equals, those come first who got nothing for the longest time: else a long queue would go before every later turn.
 */
export function nextShare(queues: readonly Queue[], limit: number): { users: string[]; each: number } {
  const inOrder = queues.toSorted(
    (a, b) => a.running - b.running || a.served - b.served || (a.oldest < b.oldest ? -1 : 1),
  )
  const fewest = inOrder[0]?.running ?? 0
  const next = inOrder.find(({ running }) => running > fewest)?.running ?? Number.POSITIVE_INFINITY
  const users = inOrder
    .filter(({ running }) => running === fewest)
    .slice(0, limit)
    .map(({ user }) => user)
  return { users, each: Math.min(next - fewest, Math.floor(limit / users.length)) }
}

/** The queues after a share was taken. A user who had fewer turns than the share has nothing more to claim. */
function afterShare(
  queues: readonly Queue[],
  users: readonly string[],
  { each, taken }: { each: number; taken: readonly string[] },
): Queue[] {
  const counts = new Map(users.map((user) => [user, 0]))
  for (const user of taken) counts.set(user, (counts.get(user) ?? 0) + 1)
  return queues
    .filter(({ user }) => (counts.get(user) ?? each) >= each)
    .map((queue) => ({ ...queue, running: queue.running + (counts.get(queue.user) ?? 0) }))
}

function* queuesOfUsers(served: ReadonlySet<string>): Job<Queue[]> {
  // The recursion jumps from user to user, however many turns each has queued. Running turns are grouped by `user_id || ''`,
  // which no index covers: by `user_id` the planner would walk an index of all turns instead of the few that run.
  const rows = yield* query(
    `WITH RECURSIVE waiting (user_id) AS (
       SELECT min(user_id) FROM turns WHERE ${isQueued}
       UNION ALL
       SELECT (SELECT min(user_id) FROM turns WHERE ${isQueued} AND user_id > w.user_id)
       FROM waiting w WHERE w.user_id IS NOT NULL
     )
     SELECT w.user_id, COALESCE(busy.n, 0) AS running,
            (SELECT min(id) FROM turns WHERE ${isQueued} AND user_id = w.user_id) AS oldest
     FROM waiting w
     LEFT JOIN (SELECT user_id, count(*) AS n FROM turns WHERE ${isRunning}
                GROUP BY user_id || '', user_id) busy ON busy.user_id = w.user_id
     WHERE w.user_id IS NOT NULL`,
  )
  const places = new Map([...served].map((user, at) => [user, at + 1]))
  return rows.map((row) => {
    const user = String(row['user_id'])
    return {
      user,
      running: Number(row['running']),
      oldest: String(row['oldest']),
      served: places.get(user) ?? 0,
    }
  })
}

/**
 * The first turns of a user that can start. In each thread a turn that had started before (a resume, an answered gate, a
 * crash) comes first; else the oldest one, unless the thread has an open output gate.
 */
const head = `
  SELECT q.id FROM turns q
  WHERE q.user_id = u.value AND q.${isQueued}
    AND NOT EXISTS (SELECT 1 FROM turns a WHERE a.thread_id = q.thread_id AND a.${isActive})
    AND (q.first_seq IS NOT NULL OR (
      NOT EXISTS (SELECT 1 FROM turns o WHERE o.thread_id = q.thread_id AND o.${isQueued}
                  AND (o.id < q.id OR o.first_seq IS NOT NULL))
      AND NOT EXISTS (SELECT 1 FROM threads h WHERE h.id = q.thread_id AND h.open_call IS NOT NULL)))
  ORDER BY q.id LIMIT ?`

/** The heads of the users' queues. Two processes that claim at once skip each other's locked rows. */
const heads = {
  sqlite: `SELECT t.id, t.user_id FROM json_each(?) u CROSS JOIN turns t WHERE t.id IN (${head}) ORDER BY t.id`,
  postgres: `SELECT t.id, t.user_id FROM json_array_elements_text(?::json) u
    JOIN turns t ON t.id = ANY(ARRAY(${head} FOR UPDATE SKIP LOCKED)) ORDER BY t.id`,
}

type StartParts = { readonly now: number; readonly long: LongInput | undefined }

function* startClaimed(row: Row, lease: Lease, { now, long }: StartParts): Job<StartedTurn> {
  const queued = turnOf(row)
  const input = long?.drafts ?? inputIn(row['input'])
  const { threadId, id: turnId } = queued
  const target = { threadId, turnId, at: now, counted: true, bodies: long?.bodies } as const
  const entries: Entry[] = input.length > 0 ? yield* append(target, input, null) : []
  const turn: Turn = {
    ...queued,
    status: 'running',
    startedAt: queued.startedAt ?? now,
    ...(entries[0] && { firstSeq: entries[0].seq }),
  }
  yield* run(
    `UPDATE turns SET status = 'running', owner = ?, epoch = ?, input = NULL, started_at = ?, first_seq = ?
     WHERE id = ? AND status = 'queued'`,
    lease.owner,
    lease.epoch,
    turn.startedAt ?? now,
    turn.firstSeq ?? null,
    turn.id,
  )
  if (entries.length > 0) yield* run('UPDATE threads SET last_turn = ? WHERE id = ?', turn.id, turn.threadId)
  return { turn, entries }
}
