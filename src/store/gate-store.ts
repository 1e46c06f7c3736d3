// Gates: answers, lists and expiry.
import { type OpenCall, openCalls } from '#core/calls.ts'
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import type { Answer, Draft, Gate } from '#core/item.ts'
import type { NewGrant } from '#core/grant.ts'
import type { AnsweredGate, AnsweredQuery, GatesQuery, OpenGate } from '#core/turn-store.ts'
import type { Turn } from '#core/turn.ts'
import { ended, type TurnStatus } from '#core/turn-status.ts'
import { pace } from '#lib/pace.ts'
import { append, lockThread } from './append-items.ts'
import { saveGrant } from './grant-store.ts'
import { wasPinnedSince } from './mcp-store.ts'
import {
  type GateHeader,
  hasGate,
  readGateHeaders,
  type ItemHeader,
  readTail,
  readTailItems,
  readItemRow,
} from './item-headers.ts'
import { isReached, newestReached } from './reachable.ts'
import { entryOf, listColumns, listedTurnOf, turnColumns, turnOf } from './rows.ts'
import { convertInPace, readApart } from './long-rows.ts'
import { first, type Job, query, type Row, run, type Sql } from './sql.ts'
import { isActive, isQueued } from './turn-status.ts'

/** A list of gates ends after this many bytes. The next gates appear once these are answered. */
const maxGateBytes = 8 * 1024 * 1024

type UpdateParts = { readonly now: number; readonly lock: string }
type Answering = { readonly user: UserId; readonly threadId: string; readonly draft: Draft; readonly grant?: NewGrant }

/** Answers an approval or a sign-in; a waiting turn is requeued. */
export async function answerGate(sql: Sql, answering: Answering, now: () => number) {
  const answer = answering.draft.item
  if (answer.type !== 'answer') throw new Error('answerGate takes an answer')
  const answered = await sql.write(() => answerOpen(answering, answer, { now: now(), lock: sql.lock }))
  if (!answered) throw await noGate(sql, answering, answer.callId)
  return answered
}

/** Undefined if the gate is not open. */
function* answerOpen({ user, threadId, draft, grant }: Answering, answer: Answer, { now, lock }: UpdateParts) {
  yield* lockThread(threadId, lock)
  const row = yield* first(
    `SELECT ${turnColumns} FROM turns WHERE thread_id = ? AND ${isReached}
       AND (${isActive} OR (${isQueued} AND first_seq IS NOT NULL))`,
    threadId,
    user,
    user,
  )
  const entries = row ? yield* readTail(threadId) : []
  const calls = openCalls(entries.map(({ item }) => item))
  const open = calls.find(({ call }) => call.callId === answer.callId)
  if (!row || !open?.gate || open.answer || open.gate.kind === 'output') return undefined
  checkKind(open.gate, answer)
  const turn = { ...turnOf(row), answeredAt: now }
  if (grant) {
    const asked = entries.find(({ item }) => item === open.gate)?.at ?? now
    if (yield* wasPinnedSince(grant.tool, asked, lock)) throw changedSince(grant.tool)
    yield* saveGrant(turn, { ...grant, by: answer.by, createdAt: now })
  }
  const appended = yield* append({ threadId, turnId: turn.id, at: now }, [draft], null)
  yield* run('UPDATE turns SET answered_at = ? WHERE id = ?', now, turn.id)
  const changed = yield* first(
    `UPDATE turns SET ${restAfter(calls, open)} WHERE id = ? AND status = 'waiting' RETURNING status`,
    turn.id,
  )
  return { turn: changed ? { ...turn, status: String(changed['status']) as TurnStatus } : turn, entries: appended }
}

/** The tool is another one since the gate asked: a grant would cover a call that nobody saw. */
function changedSince(tool: string): AppError {
  return new AppError('grant_refused', `${tool} has changed since this was asked: it can only be allowed once`)
}

/**
 * The next state of a waiting turn when one of its open calls is answered. An owner that holds a call open goes on once all held
 * calls have their answers. A process of an earlier version waits with an owner, but holds no call: its turn is queued.
 */
function restAfter(calls: readonly OpenCall[], answered: OpenCall): string {
  if (!calls.some(({ gate }) => gate?.held)) return `status = 'queued', owner = NULL, epoch = NULL`
  const waits = calls.some((each) => each.gate?.held && each !== answered && !each.answer)
  return `status = CASE WHEN owner IS NULL THEN 'queued' ELSE '${waits ? 'waiting' : 'running'}' END`
}

/** Values answer an `input` gate and no other. */
function checkKind({ kind }: Gate, { decision, values }: Answer): void {
  if (values !== undefined && kind !== 'input') {
    throw new AppError('invalid_input', `this gate is of kind ${kind}: it takes no values`, { param: 'values' })
  }
  if (values === undefined && kind === 'input' && decision === 'allow') {
    throw new AppError('invalid_input', 'this gate asks for input: answer it with values, or deny it', {
      param: 'action',
    })
  }
}

/** The error for a gate that cannot be answered: it is closed, or the user reaches no such gate. */
async function noGate(sql: Sql, { user, threadId }: Answering, callId: string): Promise<AppError> {
  const size = `SELECT bytes FROM threads WHERE id = ? AND ${isReached}`
  const thread = await sql.read(() => first(size, threadId, user, user))
  // SQLite reads the whole thread to find it.
  const bytes = Number(thread?.['bytes'])
  const known = thread && (await readApart(sql, () => hasGate(threadId, callId), { of: user, bytes }))
  if (!known) return new AppError('not_found', 'there is no such gate in this thread')
  return new AppError(
    'gate_closed',
    `nothing waits for an answer to ${callId} any more: it was answered, or its turn ended`,
  )
}

/**
 * Turns that can have open gates: active ones, and those that wait for a process since one of their gates was answered. In one
 * statement: on PostgreSQL two could both find a turn that changes between them, or neither of them.
 */
function turnsWithGates(columns: string, condition = '', values: readonly string[] = []): Job<Row[]> {
  const turnsThat = (are: string): string => `SELECT ${columns} FROM turns WHERE ${are}${condition}`
  const either = `${turnsThat(isActive)} UNION ALL ${turnsThat(`${isQueued} AND first_seq IS NOT NULL`)}`
  return query(either, ...values, ...values)
}

/** Unanswered gates, oldest turn first. Thousands of turns may run or wait: each is looked through by itself. */
export async function openGates(
  sql: Pick<Sql, 'read'>,
  user: UserId,
  { threadId, ...gates }: GatesQuery,
): Promise<OpenGate[]> {
  const condition = ` AND ${isReached}${threadId ? ' AND thread_id = ?' : ''}`
  const values = [user, user, ...(threadId ? [threadId] : [])]
  const turns = await sql.read(() => turnsWithGates('id, thread_id, first_seq', condition, values))
  const found: GateRow[] = []
  let bytes = 0
  for (const turn of turns.sort((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1))) {
    const room = { limit: gates.limit - found.length, maxBytes: maxGateBytes - bytes }
    const rows = await sql.read(() => openGateRows(turn, { ...gates, ...room }))
    found.push(...rows)
    bytes += rows.reduce((sum, { row }) => sum + String(row['body']).length, 0)
    if (found.length >= gates.limit || bytes > maxGateBytes) break
    await pace()
  }
  const entries = await convertInPace(
    found.map(({ row }) => row),
    entryOf,
  )
  return found.flatMap(({ turn }, index) => {
    const { item, at } = entries[index] ?? {}
    return item?.type === 'gate' && at !== undefined ? [{ turn, gate: item, at }] : []
  })
}

type GateRow = Pick<OpenGate, 'turn'> & { readonly row: Row }

type RowsQuery = Omit<GatesQuery, 'threadId'> & { readonly maxBytes: number }

/** The rows of the gates of a turn, which may have megabytes each: parsed by `openGates` in slices. */
export function* openGateRows({ id, thread_id, first_seq }: Row, query: RowsQuery): Job<GateRow[]> {
  const { callId, since = 0, limit, maxBytes } = query
  const headers = yield* readGateHeaders(String(thread_id), Number(first_seq))
  const listed = openGateHeaders(headers, since).filter(
    ({ item }) => callId === undefined || (item.type === 'gate' && item.callId === callId),
  )
  // Only turns that are listed are read. One may have ended since the list was made.
  const goesOn = `SELECT ${listColumns} FROM turns WHERE id = ? AND (${isActive} OR ${isQueued})`
  const found = listed.length > 0 && (yield* first(goesOn, String(id)))
  if (!found) return []
  const turn = listedTurnOf(found)
  const open: GateRow[] = []
  let bytes = 0
  for (const { seq } of listed) {
    const row = yield* readItemRow(turn.threadId, seq)
    if (!row) continue
    open.push({ turn, row })
    bytes += String(row['body']).length
    if (open.length >= limit || bytes > maxBytes) break
  }
  return open
}

/** Gates that were answered since a time, latest first. `answered_at` is a turn's last answer; earlier ones are in its log. */
export function* answeredGates(
  user: UserId,
  { turnId, callId: wanted, since, limit }: AnsweredQuery,
): Job<AnsweredGate[]> {
  const rows =
    turnId === undefined
      ? yield* newestReached(user, 'answered_at', limit, (condition, who) =>
          query(
            `SELECT ${listColumns} FROM turns WHERE ${condition} AND answered_at IS NOT NULL AND answered_at >= ?
             ORDER BY answered_at DESC LIMIT ?`,
            ...who,
            since,
            limit,
          ),
        )
      : yield* query(`SELECT ${listColumns} FROM turns WHERE id = ? AND ${isReached}`, turnId, user, user)
  const found: { turn: AnsweredGate['turn']; headers: GateHeader[]; header: GateHeader }[] = []
  for (const turn of rows.map(listedTurnOf)) {
    // A thread may have gone on for long since.
    const lastSeq = ended(turn.status) ? turn.lastSeq : undefined
    const headers = yield* readGateHeaders(turn.threadId, turn.firstSeq ?? 0, lastSeq)
    for (const header of headers.toReversed()) {
      const { item, at, turnId: of } = header
      if (item.type !== 'answer' || of !== turn.id || at < since || (wanted !== undefined && item.callId !== wanted))
        continue
      found.push({ turn, headers, header })
    }
  }
  const answered: AnsweredGate[] = []
  let bytes = 0
  for (const { turn, headers, header } of found.sort((a, b) => b.header.at - a.header.at)) {
    const answerRow = yield* readItemRow(turn.threadId, header.seq)
    const answer = answerRow && entryOf(answerRow)
    if (answer?.item.type !== 'answer') continue
    const { callId } = answer.item
    const asked = headers.findLast(
      ({ item, seq }) => item.type === 'gate' && item.callId === callId && seq < header.seq,
    )
    const row = asked && (yield* readItemRow(turn.threadId, asked.seq))
    const gate = row && entryOf(row)
    if (gate?.item.type !== 'gate' || gate.item.kind === 'output') continue
    answered.push({ turn, gate: gate.item, at: gate.at, answer: answer.item, answeredAt: answer.at })
    bytes += String(row?.['body']).length
    if (answered.length >= limit || bytes > maxGateBytes) break
  }
  return answered
}

/** The unanswered gates that were opened since a time. */
function openGateHeaders(headers: readonly ItemHeader[], since: number): ItemHeader[] {
  const waiting = new Map<string, ItemHeader>()
  for (const header of headers) {
    const { item } = header
    if (item.type === 'gate' && item.kind !== 'output') waiting.set(item.callId, header)
    if (item.type === 'answer') waiting.delete(item.callId)
  }
  return [...waiting.values()].filter(({ at }) => at >= since)
}

/**
 * The status of a turn that comes to wait. It is requeued if it was answered while it still ran: its runner has not seen the
 * answer. A held turn goes on running if all its open calls have their answers.
 */
export function* restAtGates(turn: Turn, held: boolean): Job<'waiting' | 'queued' | 'running'> {
  const open = openCalls(yield* readTailItems(turn.threadId))
  const answered = held
    ? !open.some(({ gate, answer }) => gate?.held && !answer)
    : open.some(({ gate, answer }) => gate && answer)
  if (!answered) return 'waiting'
  const status = held ? 'running' : 'queued'
  yield* query(`UPDATE turns SET status = ? WHERE id = ? AND status = 'waiting'`, status, turn.id)
  return status
}

type Expired = { readonly turn: Turn; readonly callIds: string[] }

/** Turns, of all users or of one, with unanswered gates that were opened before a time. There may be thousands that wait. */
export async function waitingSince(sql: Sql, before: number, user?: UserId): Promise<Expired[]> {
  const rows = await sql.read(() => turnsWithGates('id, thread_id, user_id'))
  const expired: Expired[] = []
  for (const row of rows) {
    // Filtered here: the query uses the index of waiting turns, and the cost is in reading the logs.
    if (user !== undefined && row['user_id'] !== user) continue
    const found = await sql.read(() => expiredIn(row, before))
    if (found) expired.push(found)
    await pace()
  }
  return expired
}

/** The turn of a row, if it has such gates. */
export function* expiredIn({ id, thread_id }: Row, before: number): Job<Expired | undefined> {
  const entries = yield* readTail(String(thread_id))
  const open = openCalls(entries.map(({ item }) => item))
  const callIds = open
    .filter(({ gate, answer }) => gate && !answer)
    .map(({ call }) => call.callId)
    .filter((callId) => entries.some(({ item, at }) => item.type === 'gate' && item.callId === callId && at < before))
  const row = callIds.length > 0 ? yield* first(`SELECT ${turnColumns} FROM turns WHERE id = ?`, String(id)) : undefined
  return row && { turn: turnOf(row), callIds }
}

/** The opening time of the oldest open gate that was opened since a time, over all turns. */
export async function oldestGate(sql: Sql, since: number): Promise<number | undefined> {
  let oldest: number | undefined
  for (const row of await sql.read(() => turnsWithGates('thread_id, first_seq'))) {
    const headers = await sql.read(() => readGateHeaders(String(row['thread_id']), Number(row['first_seq'])))
    for (const { at } of openGateHeaders(headers, since)) oldest = Math.min(at, oldest ?? at)
    await pace()
  }
  return oldest
}
