// Turns, threads and items as the JSON of the gateway.
import type * as z from 'zod/mini'
import { replyIn } from '#core/calls.ts'
import { senderName } from '#core/doors.ts'
import type { ReachedLimit } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import { type Entry, type Item, ownParts } from '#core/item.ts'
import type { CutText } from '#core/turn-store.ts'
import type { QueuedEntry } from '#core/thread-store.ts'
import { type Thread, type Turn, type TurnError, usageSoFar } from '#core/turn.ts'
import { usageWire } from '#http/wire-format.ts'
import type { Frame } from '#doors/web/wire/frame.ts'
import type { TurnFields } from '#doors/web/wire/job.ts'
import type { ItemWire, QueuedWire, ThreadWire } from '#doors/web/wire/thread.ts'
import type { Fault, Limit } from '#doors/web/wire/turn.ts'
import { isoTime, isoTimeOrNull } from '#core/time.ts'
import { asWritten, gateWire } from './gate-wire.ts'

/** A turn as a job. `reply` is its response, or the beginning of a long one. */
export function jobWire(turn: Omit<Turn, 'options'>, reply: CutText | undefined): TurnFields {
  return {
    id: turn.id,
    thread_id: turn.threadId,
    door: turn.door,
    status: turn.status,
    created_at: isoTime(turn.createdAt),
    completed_at: isoTimeOrNull(turn.endedAt),
    ...(reply && { response: reply.text, ...(reply.cut && { response_cut: true }) }),
    ...(turn.error && { error: faultWire(turn.error) }),
    usage: usageWire(usageSoFar(turn)),
  }
}

export function faultWire({ code, message, limit }: TurnError): Fault {
  return { code, message, ...(limit && { limit: limitWire(limit) }) }
}

function limitWire(limit: ReachedLimit): Limit {
  if ('max' in limit) return limit
  const { kind, maxUsd, spentUsd, nextUsd, heldUsd } = limit
  const held = heldUsd === undefined ? {} : { held_usd: heldUsd }
  return { kind, max_usd: maxUsd, spent_usd: spentUsd, next_usd: nextUsd, ...held }
}

/** The sender of a turn when that is not the caller. */
export function senderOf({ userId }: Pick<Turn, 'userId'>, user: UserId): { sender?: string } {
  return userId === user ? {} : { sender: senderName(userId) }
}

export function threadWire(thread: Thread): z.output<typeof ThreadWire> {
  return {
    id: thread.id,
    title: thread.title,
    door: thread.door,
    created_at: isoTime(thread.createdAt),
    updated_at: isoTime(thread.updatedAt),
    last_seq: thread.lastSeq,
    ...(thread.model !== undefined && { model: thread.model }),
    state: thread.state,
    ...(thread.pinned && { pinned: true }),
    ...(thread.archived && { archived: true }),
    ...(thread.family !== undefined && { family: thread.family }),
    ...(thread.hidden && { hidden: true }),
  }
}

export function itemWire({ seq, ...entry }: Entry): z.output<typeof ItemWire> {
  return { seq, ...queuedWire(entry) }
}

export function queuedWire({ id, turnId, at, item }: QueuedEntry): z.output<typeof QueuedWire> {
  return { id, turn_id: turnId, at: isoTime(at), ...bodyWire(item) }
}

/** The model's last text, or null when there is none. */
export function replyText(entries: readonly Entry[]): string | null {
  return replyIn(entries.map(({ item }) => item)) ?? null
}

/** The fields of an item by type. The provider's signature of reasoning is left out. */
function bodyWire(item: Item) {
  switch (item.type) {
    case 'message':
      return { type: item.type, role: item.role, content: ownParts(item), ...(item.cut && { cut: item.cut }) }
    case 'reasoning':
      return { type: item.type, text: item.text }
    case 'call':
      return { type: item.type, call_id: item.callId, name: item.name, args: asWritten(item.args) }
    case 'attempt':
      return { type: item.type, call_id: item.callId }
    case 'result':
      return {
        type: item.type,
        call_id: item.callId,
        output: item.output,
        ...(item.error && { error: item.error }),
        ...(item.origin !== undefined && { origin: item.origin }),
      }
    case 'gate': {
      const { id: call_id, ...gate } = gateWire(item)
      return { type: item.type, call_id, ...gate }
    }
    case 'answer': {
      const { type, callId, decision, output, by, scope, until } = item
      const lasting = { ...(scope && { scope }), ...(until !== undefined && { until: isoTime(until) }) }
      return { type, call_id: callId, decision, ...(output !== undefined && { output }), by, ...lasting }
    }
    case 'summary':
      return { type: item.type, text: item.text, up_to: item.upTo }
    default:
      return item satisfies never
  }
}

/** The state of a turn as a WebSocket frame. */
export function turnFrame(turn: Turn): Frame {
  return { type: 'turn', turn_id: turn.id, ...jobWire(turn, undefined) }
}
