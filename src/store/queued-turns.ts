// Turns that have not begun. Their messages wait outside of the log, so they can still be changed or taken back. Whether one
// has begun is decided here, by the row that a claim changes.
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import type { Draft } from '#core/item.ts'
import type { Turn, TurnOptions } from '#core/turn.ts'
import type { Bodies } from './append-items.ts'
import { shortInput } from './long-input.ts'
import { isReached } from './reachable.ts'
import { inputIn, optionsText, turnColumns, turnOf } from './rows.ts'
import { first, type Job, query, run } from './sql.ts'
import { inputText } from './start-turn.ts'
import { bytesOfWaiting, checkRoom } from './storage-quota.ts'
import { isQueued } from './turn-status.ts'
import { countUnasked } from './usage-store.ts'

const hasNotBegun = `${isQueued} AND first_seq IS NULL`

/** `input` is undefined if it is long. */
type Found = { readonly turn: Turn; readonly input: readonly Draft[] | undefined; readonly bytes: number }

/** A turn that has not begun, and its input. With `lock` it does not begin before the transaction ends. */
export function* readQueuedTurn(user: UserId, turnId: string, lock: string): Job<Found> {
  const row = yield* first(
    `SELECT ${turnColumns}, ${shortInput}, octet_length(input) AS length, COALESCE(octet_length(options), 0) AS bytes
     FROM turns WHERE id = ? AND ${isReached} AND removed_at IS NULL${lock}`,
    turnId,
    user,
    user,
  )
  if (!row) throw new AppError('not_found', `turn ${turnId} does not exist`)
  const turn = turnOf(row)
  if (turn.status !== 'queued' || turn.firstSeq !== undefined) {
    throw new AppError('turn_started', 'the message is not queued any more: its turn has begun, or was stopped')
  }
  const input = row['input'] === null ? undefined : inputIn(row['input'])
  return { turn, input, bytes: bytesOfWaiting(Number(row['length']), turn.options) + Number(row['bytes']) }
}

type ReplaceParts = { readonly lock: string; readonly maxUserBytes: number; readonly bodies: Bodies }

export function* replaceInput(
  user: UserId,
  turnId: string,
  input: readonly Draft[],
  { lock, maxUserBytes, bodies }: ReplaceParts,
): Job<Turn> {
  const { turn, bytes } = yield* readQueuedTurn(user, turnId, lock)
  const { inputs: _, ...rest } = turn.options
  const options: TurnOptions = input.length > 1 ? { ...rest, inputs: input.length } : rest
  const texts = { input: inputText(input, bodies.texts), options: optionsText(options) }
  const added = bodies.bytes + Buffer.byteLength(texts.options ?? '') - bytes
  yield* checkRoom(turn.userId, { added, max: maxUserBytes })
  yield* run(
    `UPDATE turns SET input = ?, options = ? WHERE id = ? AND ${hasNotBegun}`,
    texts.input,
    texts.options,
    turnId,
  )
  yield* run('UPDATE threads SET bytes = bytes + ? WHERE id = ?', added, turn.threadId)
  return { ...turn, options }
}

type WithdrawParts = { readonly now: number; readonly lock: string }

/** Cancels a turn that has not begun. */
export function* withdrawTurn(user: UserId, turnId: string, parts: WithdrawParts): Job<Turn> {
  const { turn } = yield* readQueuedTurn(user, turnId, parts.lock)
  yield* cancelAll('id = ?', turnId, turn.threadId, parts)
  return { ...turn, status: 'cancelled', endedAt: parts.now }
}

/** Cancels all turns of a thread that have not begun. No other is queued meanwhile: the thread is locked. */
export function* withdrawTurns(user: UserId, threadId: string, parts: WithdrawParts): Job<Turn[]> {
  const thread = yield* first(`SELECT id FROM threads WHERE id = ? AND ${isReached}${parts.lock}`, threadId, user, user)
  return thread ? yield* cancelAll('thread_id = ?', threadId, threadId, parts) : []
}

function* cancelAll(condition: string, value: string, threadId: string, { now, lock }: WithdrawParts): Job<Turn[]> {
  const which = `${condition} AND ${hasNotBegun}`
  const waiting = yield* query(
    `SELECT ${turnColumns}, octet_length(input) AS length FROM turns WHERE ${which}${lock}`,
    value,
  )
  const rows = yield* query(
    `UPDATE turns SET status = 'cancelled', ended_at = ?, input = NULL WHERE ${which} RETURNING ${turnColumns}`,
    now,
    value,
  )
  const bytes = waiting.reduce((sum, row) => sum + bytesOfWaiting(Number(row['length']), turnOf(row).options), 0)
  yield* run('UPDATE threads SET bytes = bytes - ? WHERE id = ?', bytes, threadId)
  const turns = rows.map(turnOf)
  yield* countUnasked(turns, now)
  return turns
}
