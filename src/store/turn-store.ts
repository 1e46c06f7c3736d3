// Turns, from start to end.
import { AppError } from '#core/errors.ts'
import { newId, type UserId } from '#core/ids.ts'
import type { Draft, Gate } from '#core/item.ts'
import type { Lease } from '#core/lease.ts'
import type { EndedTurn, Step, TurnStore } from '#core/turn-store.ts'
import type { Turn } from '#core/turn.ts'
import { ended } from '#core/turn-status.ts'
import { append, bodiesOf } from './append-items.ts'
import { chainAsked, pointBehind } from './chain-points.ts'
import { claimTurns, noteServed, type Served } from './claim-turn.ts'
import { answeredGates, answerGate, oldestGate, openGates, restAtGates, waitingSince } from './gate-store.ts'
import { type Ending, endTurn } from './end-turn.ts'
import { findReplay, findWaiting } from './find-earlier.ts'
import { shareAll } from './fork-thread.ts'
import { type Prepared, prepareStep } from './long-step.ts'
import { beginDigest, endDigest, readDigest, type ReadDigest } from './turn-digest.ts'
import { type LongInput, prepareLongInput, readLongInput } from './long-input.ts'
import { createOrderedIds } from './ordered-ids.ts'
import { databaseClock, leaseMs } from './lease-store.ts'
import { countAllTurns, countTurns, listEndedAsNews, listSenders, listTurns } from './turn-lists.ts'
import { readQueuedTurn, replaceInput, withdrawTurn, withdrawTurns } from './queued-turns.ts'
import { currentTurn, getTurn, isReached } from './reachable.ts'
import {
  countsOf,
  entryColumns,
  recordedEntryOf,
  storedError,
  storedStatus,
  turnColumns,
  turnOf,
  wholeItems,
} from './rows.ts'
import { changes, expect, first, type Job, query, run, type Sql } from './sql.ts'
import { startTurn } from './start-turn.ts'
import { readOpening } from './turn-opening.ts'
import { isActive, isQueued, isRunning } from './turn-status.ts'
import { countUsage, reserve } from './usage-store.ts'
import type { StoreBase } from './store-base.ts'

export function createTurnStore(deps: Omit<StoreBase, 'seal' | 'nextId'> & Partial<StoreBase>): TurnStore {
  const { sql, now, nextId = createOrderedIds(newId), maxUserBytes = 0, maxForkBytes } = deps
  const { lock, backend } = sql
  const served: Served = new Set()

  async function end(user: UserId, turnId: string, ending: Ending): Promise<EndedTurn> {
    for (let read: ReadDigest | undefined; ; ) {
      const parts = { now: now(), lock, read }
      const { long, ...done } = await sql.write(() => endTurn(user, turnId, ending, parts))
      if (!long) return done
      read = await readDigest(sql, done.turn, read)
    }
  }

  return {
    async start(turn) {
      // Not inside the job: jobs may overtake each other, but messages must keep the order they came in.
      const ids = { id: nextId(), threadId: nextId() }
      const forked = turn.forks && (await shareAll(sql, turn.user, turn.forks))
      const bodies = bodiesOf(turn.input)
      const made = bodies instanceof Promise ? await bodies : bodies
      const stored = await sql.write(
        () => startTurn(turn, { ...ids, now: now(), lock, maxUserBytes, maxForkBytes, bodies: made }),
        { bytes: made.bytes + (forked?.bytes ?? 0) },
      )
      if (stored.turn.status === 'running' && !stored.replayed) noteServed(served, turn.user)
      return stored
    },
    findWaiting: (user, door, bodyHash) => sql.read(() => findWaiting(user, door, bodyHash)),
    findByKey: (user, idempotency) => sql.write(() => findReplay(user, idempotency, now())),
    async claim(lease, limit) {
      for (let long: LongInput | undefined; ; ) {
        const parts = { limit, now: now(), backend, served, long }
        const { long: asked, ...claimed } = await sql.write(function* () {
          const { started, long: needed } = yield* claimTurns(lease, parts)
          const more = (yield* first(`SELECT id FROM turns WHERE ${isQueued} LIMIT 1`)) !== undefined
          return { started, more, long: needed }
        }, long?.bodies)
        for (const { turn } of claimed.started) noteServed(served, turn.userId)
        if (asked === undefined) return claimed
        long = await prepareLongInput(sql, asked)
      }
    },
    reserve: (turn, lease, amount) => sql.write(() => reserve(turn, lease, { ...amount, now: now() })),
    async record(turn, lease, step) {
      const preparing = prepareStep(turn, step, now)
      const prepared = preparing && (await preparing)
      const long = prepared?.long
      for (let read: ReadDigest | undefined; ; read = await readDigest(sql, turn, read)) {
        const parts = { now: long?.at ?? now(), prepared, lock, read }
        const recorded = await sql.write(() => recordStep(turn, lease, step, parts), long?.bodies)
        if (recorded) return recorded
      }
    },
    answer: (user, threadId, draft, grant) => answerGate(sql, { user, threadId, draft, ...(grant && { grant }) }, now),
    openGates: (user, query) => openGates(sql, user, query),
    answeredGates: (user, query) => sql.read(() => answeredGates(user, query)),
    cancel: (user, turnId) => end(user, turnId, { evenRunning: false }),
    end: (user, turnId, error) => end(user, turnId, { evenRunning: true, ...(error && { error }) }),
    async queuedInput(user, turnId) {
      const { turn, input } = await sql.read(() => readQueuedTurn(user, turnId, ''))
      const drafts = input ?? (await readLongInput(sql, turnId))?.drafts
      // Without: it began meanwhile.
      return { turn, input: drafts ?? (await sql.read(() => readQueuedTurn(user, turnId, ''))).input ?? [] }
    },
    async replaceInput(user, turnId, input) {
      const bodies = await bodiesOf(input)
      return sql.write(() => replaceInput(user, turnId, input, { lock, maxUserBytes, bodies }), bodies)
    },
    withdraw: (user, turnId) => sql.write(() => withdrawTurn(user, turnId, { now: now(), lock })),
    withdrawAll: (user, threadId) => sql.write(() => withdrawTurns(user, threadId, { now: now(), lock })),
    get: (user, turnId) => sql.read(() => getTurn(user, turnId)),
    current: (user, threadId) => sql.read(() => currentTurn(user, threadId)),
    hash: (user, turnId) =>
      sql.read(function* () {
        const row = yield* first(`SELECT hash FROM turns WHERE id = ? AND ${isReached}`, turnId, user, user)
        return row?.['hash'] ? String(row['hash']) : undefined
      }),
    findByDoor: (door, turnId) =>
      sql.read(function* () {
        const row = yield* first(
          `SELECT ${turnColumns} FROM turns WHERE id = ? AND door = ? AND removed_at IS NULL`,
          turnId,
          door,
        )
        return row && turnOf(row)
      }),
    opening: (user, turnId) => sql.read(() => readOpening(user, turnId)),
    list: (user, query) => listTurns(sql, user, query),
    endedAsNews: (since, limit) => sql.read(() => listEndedAsNews(since, limit)),
    countAll: (user, which = {}) => sql.read(() => countAllTurns(user, which)),
    senders: (limit) => sql.read(() => listSenders(limit)),
    remove: (user, turnId) =>
      sql.write(function* () {
        const removed = yield* changes(
          `UPDATE turns SET removed_at = ?, idempotency_key = NULL WHERE id = ? AND ${isReached} AND removed_at IS NULL`,
          now(),
          turnId,
          user,
          user,
        )
        return removed > 0
      }),
    recover: (alive) => sql.write(() => recoverTurns(alive, backend)),
    runningUnder: ({ owner, epoch }) =>
      sql.read(function* () {
        const rows = yield* query(
          `SELECT ${turnColumns} FROM turns WHERE ${isRunning} AND owner = ? AND epoch = ?`,
          owner,
          epoch,
        )
        return rows.map(turnOf)
      }),
    release: (turn, lease) =>
      sql.write(function* () {
        yield* query(
          `UPDATE turns SET status = 'queued', owner = NULL, epoch = NULL
           WHERE id = ? AND owner = ? AND epoch = ? AND ${isActive}`,
          turn.id,
          lease.owner,
          lease.epoch,
        )
      }),
    waitingSince: (before, user) => waitingSince(sql, before, user),
    oldestGate: (since) => oldestGate(sql, since),
    count: (user) => sql.read(() => countTurns(user, now())),
  }
}

/** Also turns that wait with an open call. On SQLite any other owner of a turn is gone; on PostgreSQL an owner is gone once its lease has expired. */
function* recoverTurns({ owner, epoch }: Lease, backend: Sql['backend']): Job<number> {
  const gone =
    backend === 'sqlite'
      ? 'TRUE'
      : `NOT EXISTS (SELECT 1 FROM processes p WHERE p.owner = turns.owner AND p.epoch = turns.epoch
                     AND p.seen_at > ${databaseClock} - ${leaseMs})`
  return yield* changes(
    `UPDATE turns SET status = 'queued', owner = NULL, epoch = NULL
     WHERE ${isActive} AND owner IS NOT NULL AND NOT (owner = ? AND epoch = ?) AND ${gone}`,
    owner,
    epoch,
  )
}

type RecordParts = {
  readonly now: number
  readonly prepared: Prepared | undefined
  readonly lock: Sql['lock']
  readonly read: ReadDigest | undefined
}

/** Undefined if the turn ends and its stored entries have to be digested first: nothing is written then. */
function* recordStep(turn: Turn, lease: Lease, step: Step, { now, prepared, lock, read }: RecordParts) {
  const { drafts, usage, outcome, retry } = step
  const stored = retry && (yield* findStoredStep(turn, drafts))
  if (stored) return stored
  const seqBefore = yield* lockTurn(turn, lease, { lock, lastSeq: step.earlier?.at(-1)?.seq })
  const status = outcome?.status ?? 'running'
  const over = ended(status)
  const long = prepared?.long
  const known = long?.whole?.lastSeq === seqBefore ? long.whole.hash : undefined
  const digests = over && !known
  const { earlier } = step
  const begun = digests
    ? yield* beginDigest(turn, { earlier, before: prepared?.before, read, lastSeq: seqBefore })
    : undefined
  if (digests && !begun) return undefined
  const gate = drafts.findLast(({ item }) => item.type === 'gate' && item.kind === 'output')?.item as Gate | undefined
  // The turn of an API client is answered: its history has a new point.
  const asked = chainAsked(turn, step)
  const chain = asked === undefined ? null : (long?.point ?? (yield* pointBehind(turn, asked, step)))
  const target = { threadId: turn.threadId, turnId: turn.id, at: now, lastSeq: seqBefore, bodies: long?.bodies }
  const entries = drafts.length > 0 ? yield* append(target, drafts, gate?.callId ?? null) : []
  const lastSeq = over ? seqBefore + entries.length : null
  yield* run(
    `UPDATE turns SET status = ?, input_tokens = ?, cached_tokens = ?, output_tokens = ?, reasoning_tokens = ?,
                      cost_usd = ?, model = ?, reserved_usd = NULL, error = ?, ended_at = ?, last_seq = ?,
                      hash = ?, chain = ?, owner = ?, epoch = ?
     WHERE id = ?`,
    storedStatus(status),
    ...countsOf(usage),
    usage.model ?? null,
    outcome?.status === 'failed' ? storedError(outcome) : null,
    over ? now : null,
    lastSeq,
    begun ? endDigest(turn, begun, entries) : over ? (known ?? null) : null,
    chain,
    // A turn that waits has an owner only while a call is open there.
    ...(outcome?.status === 'waiting' && !outcome.held ? [null, null] : [lease.owner, lease.epoch]),
    turn.id,
  )
  const rest = outcome?.status === 'waiting' ? yield* restAtGates(turn, outcome.held ?? false) : status
  yield* countUsage(turn, step, now)
  const after: Turn = {
    ...turn,
    status: rest,
    usage,
    ...(outcome?.status === 'failed' && {
      error: outcome.error,
      ...(outcome.failedCalls && { failedCalls: outcome.failedCalls }),
    }),
    ...(over && { endedAt: now }),
    ...(lastSeq !== null && { lastSeq }),
  }
  return { turn: after, entries }
}

/** The stored entries of a step that is sent again after a commit with unknown outcome; undefined if nothing was stored. */
function* findStoredStep(turn: Turn, [draft]: readonly Draft[]) {
  if (!draft) return undefined
  const found = yield* first(
    'SELECT seq FROM items WHERE thread_id = ? AND seq >= ? AND id = ?',
    turn.threadId,
    turn.firstSeq ?? 0,
    draft.id,
  )
  if (!found) return undefined
  const rows = yield* query(
    `SELECT ${entryColumns} FROM ${wholeItems} WHERE thread_id = ? AND seq >= ? ORDER BY seq`,
    turn.threadId,
    Number(found['seq']),
  )
  const row = yield* first(`SELECT ${turnColumns} FROM turns WHERE id = ?`, turn.id)
  return {
    turn: row ? turnOf(row) : turn,
    entries: rows.map((row) => recordedEntryOf(row)).filter(({ turnId }) => turnId === turn.id),
  }
}

type LockParts = { readonly lock: Sql['lock']; readonly lastSeq: number | undefined }

/**
 * Locks a turn that runs under the lease, and its thread. Returns the thread's last seq: `lastSeq`, unless others have appended
 * something. What follows in the transaction need not wait for answers.
 */
function* lockTurn({ id, threadId }: Turn, { owner, epoch }: Lease, { lock, lastSeq }: LockParts): Job<number> {
  // The thread is locked first, as in other transactions: in another order two of them could block each other.
  const row = yield* expect(
    lastSeq === undefined ? undefined : { last_seq: lastSeq },
    `SELECT threads.last_seq FROM threads JOIN turns ON turns.thread_id = threads.id
     WHERE threads.id = ? AND turns.id = ? AND turns.owner = ? AND turns.epoch = ? AND turns.${isActive}${lock}`,
    threadId,
    id,
    owner,
    epoch,
  )
  if (!row) throw new AppError('lease_lost', `turn ${id} is no longer run by this process`)
  return Number(row['last_seq'])
}
