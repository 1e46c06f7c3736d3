// Converts rows to domain values and back. PostgreSQL returns 64-bit integers as text, hence Number().
import type { Door } from '#core/doors.ts'
import { userId } from '#core/ids.ts'
import { type Draft, type Entry, type Item, removedMessage } from '#core/item.ts'
import { mayHoldOldFence, readOldFences } from '#core/origins.ts'
import type { ListedTurn, Outcome } from '#core/turn-store.ts'
import type { ModelCall, Thread, ThreadState, Turn, TurnError, TurnOptions, Usage } from '#core/turn.ts'
import type { TurnStatus } from '#core/turn-status.ts'
import { mapPacked } from '#lib/map-packed.ts'
import type { Row, Value } from './sql.ts'
import { isActive, isQueued } from './turn-status.ts'

/** A thread with the status of its active turn, else of a queued one, else of its last one. */
export const threadColumns = `threads.*, COALESCE(
  (SELECT status FROM turns WHERE turns.thread_id = threads.id AND ${isActive}),
  (SELECT status FROM turns WHERE turns.thread_id = threads.id AND ${isQueued} LIMIT 1),
  (SELECT status FROM turns WHERE turns.id = threads.last_turn AND turns.thread_id = threads.id)) AS status`

export function threadOf(row: Row): Thread {
  return {
    id: text(row['id']),
    userId: userId(text(row['user_id'])),
    door: text(row['door']) as Door,
    title: text(row['title']),
    createdAt: Number(row['created_at']),
    updatedAt: Number(row['updated_at']),
    lastSeq: Number(row['last_seq']),
    state: stateOf(row['status'] === null ? null : statusOf(row)),
    ...(row['model'] && { model: text(row['model']) }),
    ...(row['open_call'] && { openCall: text(row['open_call']) }),
    ...(Number(row['temporary']) === 1 && { temporary: true }),
    ...(row['pinned_at'] && { pinned: true }),
    ...(Number(row['archived']) === 1 && { archived: true }),
    ...(Number(row['archived']) === 2 && { hidden: true }),
    ...(row['family'] && { family: text(row['family']) }),
    ...(row['forked_from'] && {
      forkedFrom: { threadId: text(row['forked_from']), beforeSeq: Number(row['forked_at']) },
    }),
    ...(row['metadata'] && { metadata: JSON.parse(text(row['metadata'])) as Record<string, string> }),
  }
}

/** `null` is a forked thread that has no turn of its own yet, and a variant that has the place of another one. */
function stateOf(status: TurnStatus | null): ThreadState {
  if (status === 'queued') return 'running'
  return status === null || status === 'completed' || status === 'cancelled' ? 'idle' : status
}

/** The columns of a turn in a list: without input and options, which may be megabytes each. */
export const listColumns = `id, thread_id, user_id, door, status, created_at, started_at, ended_at, answered_at, first_seq,
  last_seq, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost_usd, model, error`

/** The columns of a turn. Its input is read only when it enters the log. */
export const turnColumns = `${listColumns}, options`

export function turnOf(row: Row): Turn {
  return { ...listedTurnOf(row), options: row['options'] ? (JSON.parse(text(row['options'])) as TurnOptions) : {} }
}

export function listedTurnOf(row: Row): ListedTurn {
  return {
    id: text(row['id']),
    threadId: text(row['thread_id']),
    userId: userId(text(row['user_id'])),
    door: text(row['door']) as Door,
    status: statusOf(row),
    createdAt: Number(row['created_at']),
    ...(row['started_at'] && { startedAt: Number(row['started_at']) }),
    ...(row['ended_at'] && { endedAt: Number(row['ended_at']) }),
    ...(row['answered_at'] && { answeredAt: Number(row['answered_at']) }),
    ...(row['first_seq'] && { firstSeq: Number(row['first_seq']) }),
    ...(row['last_seq'] && { lastSeq: Number(row['last_seq']) }),
    usage: {
      ...usageIn(row),
      ...(row['model'] && { model: text(row['model']) }),
    },
    ...(row['error'] && errorIn(text(row['error']))),
  }
}

/** The error of a failed turn as it is stored, with the model calls that left no item. */
export function storedError({ error, failedCalls }: Outcome & { status: 'failed' }): string {
  return JSON.stringify({ ...error, ...(failedCalls && { calls: failedCalls }) })
}

function errorIn(stored: string): Pick<Turn, 'error' | 'failedCalls'> {
  const { calls, ...error } = JSON.parse(stored) as TurnError & { calls?: readonly ModelCall[] }
  return { error, ...(calls && { failedCalls: calls }) }
}

/** `completed` is stored as `done`: replicas of earlier versions read and write that word. */
export function storedStatus(status: TurnStatus): string {
  return status === 'completed' ? 'done' : status
}

function statusOf(row: Row): TurnStatus {
  const stored = text(row['status'])
  return stored === 'done' ? 'completed' : (stored as TurnStatus)
}

/** The usage columns of a row: `input_tokens` to `cost_usd`. */
export function usageIn(row: Row): Usage {
  return {
    inputTokens: Number(row['input_tokens']),
    cachedTokens: Number(row['cached_tokens']),
    outputTokens: Number(row['output_tokens']),
    reasoningTokens: Number(row['reasoning_tokens']),
    costUsd: row['cost_usd'] === null ? null : Number(row['cost_usd']),
  }
}

/** Usage as values of these columns, in order. */
export function countsOf(usage: Usage): [number, number, number, number, number | null] {
  const { inputTokens, cachedTokens, outputTokens, reasoningTokens, costUsd } = usage
  return [inputTokens, cachedTokens, outputTokens, reasoningTokens, costUsd]
}

/** Items with their whole bodies. A large body that forks share is in a table of its own; the item has its beginning. */
export const wholeItems = 'items LEFT JOIN shared_bodies ON shared_bodies.id = items.shared'
export const wholeBody = 'COALESCE(shared_bodies.body, items.body)'
export const entryColumns = `seq, items.id, turn_id, at, asked, ${wholeBody} AS body`
/** The size of an item, without reading its body. */
export const bodyBytes = 'COALESCE(shared_bodies.bytes, octet_length(items.body))'

/** What is stored of a removed item: its place in the thread. */
export const removedBody = JSON.stringify(removedMessage)

/** An entry with the fences of earlier versions converted. */
export function entryOf(row: Row): Entry {
  const entry = recordedEntryOf(row)
  return mayHoldOldFence(text(row['body'])) ? { ...entry, item: readOldFences(entry.item) } : entry
}

/** An entry exactly as it was stored, for a digest. */
export function recordedEntryOf(row: Row): Entry {
  return {
    seq: Number(row['seq']),
    id: text(row['id']),
    turnId: text(row['turn_id']),
    at: Number(row['at']),
    item: JSON.parse(text(row['body'])) as Item,
    ...(row['asked'] && { asked: JSON.parse(text(row['asked'])) as ModelCall }),
  }
}

export function itemOf(row: Row): Item {
  const body = text(row['body'])
  const item = JSON.parse(body) as Item
  return mayHoldOldFence(body) ? readOldFences(item) : item
}

/** Parses a turn's input column, unless it is `parsed` already. */
export function inputIn(value: Value | undefined, parsed?: Draft[]): Draft[] {
  const input = text(value)
  const drafts = parsed ?? (input === '' ? [] : (JSON.parse(input) as Draft[]))
  return mayHoldOldFence(input) ? drafts.map((draft) => ({ ...draft, item: readOldFences(draft.item) })) : drafts
}

/** Drafts as entries that follow `lastSeq`. */
export function entriesOf(drafts: readonly Draft[], turnId: string, lastSeq: number, at: number): Entry[] {
  return mapPacked(drafts, (draft, index) => ({ ...draft, seq: lastSeq + 1 + index, turnId, at }))
}

/** The options column: null for empty options. */
export function optionsText(options: TurnOptions): string | null {
  return Object.keys(options).length > 0 ? JSON.stringify(options) : null
}

function text(value: Value | undefined): string {
  return String(value ?? '')
}
