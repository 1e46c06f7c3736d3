// Ending a turn from outside its runner.
import { openCalls } from '#core/calls.ts'
import { AppError } from '#core/errors.ts'
import { newId, type UserId } from '#core/ids.ts'
import type { Draft, Entry } from '#core/item.ts'
import type { Turn, TurnError } from '#core/turn.ts'
import { append, lockThread } from './append-items.ts'
import { readTailItems } from './item-headers.ts'
import { getTurn } from './reachable.ts'
import { storedStatus } from './rows.ts'
import { first, type Job, query, run } from './sql.ts'
import { bytesOfWaiting } from './storage-quota.ts'
import { beginDigest, endDigest, type ReadDigest } from './turn-digest.ts'
import { countUnasked } from './usage-store.ts'

/** `evenRunning` also ends a running turn, whose runner loses it. With `error` the turn fails, else it is cancelled. */
export type Ending = { readonly evenRunning: boolean; readonly error?: TurnError }

type EndParts = { readonly now: number; readonly lock: string; readonly read?: ReadDigest | undefined }

/**
 * Ends a turn that is queued, waiting, or completed with an open output gate. Any other turn is returned unchanged, and so is
 * one whose entries have to be digested first (`long`).
 */
export function* endTurn(user: UserId, turnId: string, { evenRunning, error }: Ending, { now, lock, read }: EndParts) {
  const found = yield* getTurn(user, turnId)
  if (found) yield* lockThread(found.threadId, lock)
  const turn = yield* getTurn(user, turnId)
  if (!turn) throw new AppError('not_found', `turn ${turnId} does not exist`)
  const open =
    turn.status === 'queued' && turn.firstSeq === undefined ? [] : openCalls(yield* readTailItems(turn.threadId))
  const hasGate = turn.status === 'completed' && (yield* hasOpenGate(turn))
  const pending = turn.status === 'queued' || turn.status === 'waiting' || hasGate
  const canEnd = pending || (evenRunning && turn.status === 'running')
  const unchanged = { turn, entries: [] as Entry[], changed: false, long: false }
  if (!canEnd) return unchanged
  const begun = yield* beginDigest(turn, { read })
  if (!begun) return { ...unchanged, long: true }
  const status = error ? 'failed' : 'cancelled'
  const output = error ? 'the turn ended before this call was done' : 'cancelled by the user before it was done'
  const drafts = open.map(
    ({ call }): Draft => ({
      id: newId(),
      item: { type: 'result', callId: call.callId, output, error: true },
    }),
  )
  const target = { threadId: turn.threadId, turnId, at: now }
  const entries = drafts.length > 0 ? yield* append(target, drafts, null) : []
  const lastSeq = entries.at(-1)?.seq ?? turn.lastSeq
  if (turn.status === 'queued' && turn.firstSeq === undefined) yield* uncountInput(turn)
  yield* query(
    `UPDATE turns SET status = ?, error = ?, ended_at = ?, last_seq = ?, hash = ?, input = NULL, reserved_usd = NULL
     WHERE id = ? AND status = ?`,
    status,
    error ? JSON.stringify(error) : null,
    turn.endedAt ?? now,
    lastSeq ?? null,
    endDigest(turn, begun, entries),
    turnId,
    storedStatus(turn.status),
  )
  // A completed turn was counted with its last step.
  if (!hasGate && turn.usage.model === undefined) yield* countUnasked([turn], now)
  const endedAt = turn.endedAt ?? now
  const after: Turn = { ...turn, status, endedAt, ...(lastSeq && { lastSeq }), ...(error && { error }) }
  return { turn: after, entries, changed: true, long: false }
}

/** The input of a queued turn goes with its end. */
function* uncountInput({ id, threadId, options }: Turn): Job<void> {
  const row = yield* first('SELECT octet_length(input) AS length FROM turns WHERE id = ?', id)
  const bytes = bytesOfWaiting(Number(row?.['length']), options)
  yield* run('UPDATE threads SET bytes = bytes - ? WHERE id = ?', bytes, threadId)
}

/** True if the thread waits for the output of a call that this turn made. */
function* hasOpenGate(turn: Turn): Job<boolean> {
  const row = yield* first('SELECT open_call, last_turn FROM threads WHERE id = ?', turn.threadId)
  return row?.['last_turn'] === turn.id && row['open_call'] !== null
}
