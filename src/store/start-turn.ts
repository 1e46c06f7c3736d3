// Stores a new turn, and starts it at once if its thread is idle; else it is queued and claimed later.
import { AppError } from '#core/errors.ts'
import { newId } from '#core/ids.ts'
import type { Draft } from '#core/item.ts'
import type { ForkOrder } from '#core/thread-store.ts'
import type { NewTurn, StoredTurn } from '#core/turn-store.ts'
import { noUsage, type Turn } from '#core/turn.ts'
import { type Bodies, insert, shortBodiesOf } from './append-items.ts'
import { hasGoneOn, pointBytes } from './chain-points.ts'
import { findEarlier, findWaiting } from './find-earlier.ts'
import { forkThread } from './fork-thread.ts'
import { keepThread } from './keep-thread.ts'
import { reachValue } from './reachable.ts'
import { entriesOf, optionsText } from './rows.ts'
import { expect, first, type Job, type Row, run } from './sql.ts'
import { bytesOfRows, checkQuota, checkRoom, type Quota, storedBytes } from './storage-quota.ts'
import { showHidden } from './thread-variants.ts'
import { optionsOf } from './turn-options.ts'
import { isActive, isQueued } from './turn-status.ts'

/** Queued turns in one thread. They are bounded because a claim walks past them while the thread is busy. */
export const maxQueuedInThread = 10_000

/** `id` is the new turn's, and `threadId` that of a new thread, made when the message came. `lock` is `Sql.lock`. */
type StartParts = {
  readonly id: string
  readonly threadId?: string
  readonly now: number
  readonly lock: string
  /** The storage quota of a user; 0 means none. */
  readonly maxUserBytes: number
  readonly maxForkBytes?: number | undefined
  /** The texts of the input's items, when they are made already. */
  readonly bodies?: Bodies
}

/** Stores a turn. With a lease it starts at once, if no other turn of its thread comes first. */
export function* startTurn(asked: NewTurn, parts: StartParts): Job<StoredTurn> {
  const { id, now, lock, maxUserBytes } = parts
  let request = asked
  const replay = yield* findEarlier(request, now)
  if (replay) return replayOf(replay)
  if (request.forks) request = { ...request, threadId: yield* forkOf(request, request.forks, parts) }
  const thread = yield* findThread(request, lock)
  if (thread) yield* checkHistory(request, thread)
  if (thread) checkGate(request, thread['open_call'] as string | null)
  const idle = !thread || request.resumes !== undefined || (yield* isIdle(thread, request.whenBusy))
  if (thread && !idle) yield* checkQueue(String(thread['id']), request.historyEnd)
  const options = yield* optionsOf(request, thread)
  // A resume is appended at once even without a lease: its gate must not be answered twice.
  const starts = idle && (request.lease !== undefined || request.resumes !== undefined)
  const before = thread ? Number(thread['last_seq']) : 0
  const turn: Turn = {
    id,
    threadId: thread ? String(thread['id']) : (parts.threadId ?? newId()),
    userId: request.user,
    door: request.door,
    status: starts && request.lease ? 'running' : 'queued',
    options,
    createdAt: now,
    usage: noUsage,
    ...(starts && { startedAt: now, firstSeq: before + 1 }),
  }
  const entries = starts ? entriesOf(request.input, turn.id, before, now) : []
  const bodies = parts.bodies ?? shortBodiesOf(request.input)
  const texts = { input: starts ? null : inputText(request.input, bodies.texts), options: optionsText(options) }
  const added = bytesOfRows([texts.options ?? '']) + bodies.bytes
  const bytes = options.chain === undefined ? added : added + pointBytes
  if (thread) checkQuota({ stored: Number(thread['stored']), added: bytes, max: maxUserBytes })
  const waiting = thread ? undefined : yield* beforeThread(request, { added: bytes, max: maxUserBytes })
  if (waiting) return replayOf(waiting)
  const wasTemporary = Number(thread?.['temporary']) === 1
  const temporary = request.temporary === true && (!thread || wasTemporary)
  if (wasTemporary && !temporary) yield* keepThread(turn.threadId)
  if (thread) yield* showHidden(thread, lock)
  yield* saveThread(request, turn, thread !== undefined, { appended: entries.length, bytes, temporary })
  // A conversation that was made before its first message.
  if (thread?.['title'] === '') yield* run('UPDATE threads SET title = ? WHERE id = ?', request.title, turn.threadId)
  if (thread && request.model !== undefined)
    yield* run('UPDATE threads SET model = ? WHERE id = ?', request.model, turn.threadId)
  yield* saveTurn(request, turn, { ...texts, temporary })
  yield* insert(turn.threadId, entries, bodies.texts)
  return { turn, entries, replayed: false }
}

/** The input column. A draft of input has an id and an item. */
export function inputText(drafts: readonly Draft[], bodies: readonly string[]): string {
  return `[${drafts.map(({ id }, at) => `{"id":${JSON.stringify(id)},"item":${bodies[at]}}`).join(',')}]`
}

/** One statement before a new thread: its user must have room, and the turn that the same body began must not wait. */
function* beforeThread(
  { user, door, bodyHash }: NewTurn,
  { added, max }: Omit<Quota, 'stored'>,
): Job<Turn | undefined> {
  if (bodyHash === undefined && max === 0) return undefined
  const waits = `SELECT 1 FROM turns WHERE user_id = ? AND body_hash = ? AND status = 'waiting'`
  const row = yield* expect(
    { has_room: 1, waits: 0 },
    `SELECT CAST(${storedBytes} <= ? AS INTEGER) AS has_room, CAST(EXISTS (${waits}) AS INTEGER) AS waits`,
    user,
    max > 0 ? max - added : Number.MAX_SAFE_INTEGER,
    user,
    bodyHash ?? '',
  )
  const waiting = row?.['waits'] ? yield* findWaiting(user, door, bodyHash ?? '') : undefined
  if (!waiting && !row?.['has_room']) yield* checkRoom(user, { added, max })
  return waiting
}

function replayOf(turn: Turn): StoredTurn {
  return { turn, entries: [], replayed: true }
}

/** The fork that a turn starts in. The point to fork at was found by a look-up, so its thread exists unless it was just erased. */
function* forkOf(
  { user, door, temporary, title }: NewTurn,
  { threadId, beforeSeq, variant, plainTitle }: ForkOrder,
  parts: StartParts,
): Job<string> {
  const { now, lock, maxForkBytes: maxBytes, maxUserBytes } = parts
  const retitle = plainTitle === undefined ? undefined : { from: plainTitle, to: title }
  const order = {
    id: parts.threadId ?? newId(),
    threadId,
    beforeSeq,
    variant,
    retitle,
    door,
    now,
    lock,
    temporary,
    maxBytes,
    maxUserBytes,
  }
  const fork = yield* forkThread(user, order)
  if (!fork) throw new AppError('not_found', `thread ${threadId} does not exist`, { param: 'thread_id' })
  return fork.id
}

function* findThread({ user, threadId, threadKey }: NewTurn, lock: string) {
  if (threadId !== undefined) {
    const row = yield* first(
      `SELECT threads.*, ${storedBytes} AS stored FROM threads WHERE id = ? AND user_id = ?${lock}`,
      user,
      threadId,
      user,
    )
    if (!row) throw new AppError('not_found', `thread ${threadId} does not exist`, { param: 'thread_id' })
    return row
  }
  if (threadKey === undefined) return undefined
  return yield* first(
    `SELECT threads.*, ${storedBytes} AS stored FROM threads WHERE user_id = ? AND thread_key = ?${lock}`,
    user,
    user,
    threadKey,
  )
}

/** Before other checks: a history that belongs into a fork has nothing to do with what the thread waits for now. */
function* checkHistory({ historyEnd }: NewTurn, thread: Row): Job<void> {
  if (historyEnd === undefined || thread['last_turn'] === historyEnd) return
  if (yield* hasGoneOn({ threadId: String(thread['id']), turnId: historyEnd })) throw busy()
}

/** Throws if a message to the thread could not start a turn at once. */
export function* checkAtRest(thread: Row): Job<void> {
  checkGate({ whenBusy: 'refuse' }, thread['open_call'] as string | null)
  yield* isIdle(thread, 'refuse')
}

function checkGate({ resumes, whenBusy }: Pick<NewTurn, 'resumes' | 'whenBusy'>, openCall: string | null): void {
  if (resumes === undefined) {
    // A turn that may queue waits behind the gate.
    if (openCall && whenBusy !== 'queue') {
      throw new AppError(
        'tool_output_required',
        `the thread waits for the output of ${openCall}: send it as a function_call_output, or cancel the response`,
      )
    }
  } else if (!openCall) {
    throw new AppError('no_open_gate', 'no tool call of this thread waits for an output')
  } else if (openCall !== resumes) {
    throw new AppError('call_id_mismatch', `the thread waits for the output of ${openCall}, not of ${resumes}`)
  }
}

/** True if no other turn of the thread comes first. */
function* isIdle(thread: Row, whenBusy: NewTurn['whenBusy']): Job<boolean> {
  const threadId = String(thread['id'])
  const row = yield* expect(
    { active: '', queued: 0 },
    `SELECT COALESCE((SELECT status FROM turns WHERE thread_id = ? AND ${isActive}), '') AS active,
            CAST(EXISTS (SELECT 1 FROM turns WHERE thread_id = ? AND ${isQueued}) AS INTEGER) AS queued`,
    threadId,
    threadId,
  )
  if (row?.['active'] === 'waiting' && whenBusy !== 'queue') throw gateRequired()
  const isTaken = Boolean(row?.['active'] || row?.['queued'])
  if (isTaken && whenBusy === 'refuse') throw busy()
  return !isTaken && thread['open_call'] === null
}

/** A history waits for the turn that it ends with, and for no other. */
function* checkQueue(threadId: string, historyEnd: string | undefined): Job<void> {
  const max = historyEnd === undefined ? maxQueuedInThread : 1
  const last = `SELECT id FROM turns WHERE thread_id = ? AND ${isQueued} AND id > ? ORDER BY id LIMIT 1 OFFSET ?`
  if (!(yield* first(last, threadId, historyEnd ?? '', max - 1))) return
  if (historyEnd !== undefined) throw busy()
  const message = `${maxQueuedInThread} messages of this thread are already queued: wait until some are answered, or cancel them`
  throw new AppError('rate_limited', message)
}

function busy(): AppError {
  const message = 'the thread already runs a turn: wait for it, or cancel it'
  return new AppError('conversation_busy', message, { retryAfterSecs: 1 })
}

function gateRequired(): AppError {
  const message =
    'the thread waits for an approval or a sign-in: resolve it with `atrium gates`, in the web UI or another channel first'
  return new AppError('gate_required', message)
}

type Added = { readonly appended: number; readonly bytes: number; readonly temporary: boolean }

function* saveThread(request: NewTurn, turn: Turn, exists: boolean, added: Added): Job<void> {
  const { appended, bytes, temporary } = added
  if (!exists) {
    yield* run(
      `INSERT INTO threads (id, user_id, door, operator_reaches, title, thread_key, created_at, updated_at, last_seq, last_turn,
                            bytes, temporary, model)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      turn.threadId,
      request.user,
      request.door,
      reachValue(request.door),
      request.title,
      request.threadKey ?? null,
      turn.createdAt,
      turn.createdAt,
      appended,
      turn.id,
      bytes,
      Number(temporary),
      request.model ?? null,
    )
  } else if (appended > 0) {
    yield* run(
      `UPDATE threads SET last_seq = last_seq + ?, updated_at = ?, last_turn = ?, open_call = NULL, bytes = bytes + ?,
                          archived = 0
       WHERE id = ?`,
      appended,
      turn.createdAt,
      turn.id,
      bytes,
      turn.threadId,
    )
  } else {
    // A process that is about to erase the thread checks `updated_at` again once it has the row; it does not check turns again.
    yield* run(
      'UPDATE threads SET updated_at = ?, bytes = bytes + ?, archived = 0 WHERE id = ?',
      turn.createdAt,
      bytes,
      turn.threadId,
    )
  }
}

type TurnColumns = { readonly input: string | null; readonly options: string | null; readonly temporary: boolean }

function* saveTurn(request: NewTurn, turn: Turn, { input, options, temporary }: TurnColumns): Job<void> {
  yield* run(
    `INSERT INTO turns (id, thread_id, user_id, door, operator_reaches, status, input, options, owner, epoch,
                        idempotency_key, body_hash, created_at, started_at, first_seq, temporary)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    turn.id,
    turn.threadId,
    turn.userId,
    turn.door,
    reachValue(turn.door),
    turn.status,
    input,
    options,
    turn.status === 'running' ? (request.lease?.owner ?? null) : null,
    turn.status === 'running' ? (request.lease?.epoch ?? null) : null,
    request.idempotency?.key ?? null,
    request.idempotency?.bodyHash ?? request.bodyHash ?? null,
    turn.createdAt,
    turn.startedAt ?? null,
    turn.firstSeq ?? null,
    Number(temporary),
  )
}
