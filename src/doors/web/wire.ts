// Turns and threads as the gateway's JSON shows them. The schemas make the types and the OpenAPI document.
import * as z from 'zod/mini'
import { replyIn } from '#core/calls.ts'
import { senderName } from '#core/doors.ts'
import type { UserId } from '#core/ids.ts'
import type { Entry, Gate, Item } from '#core/item.ts'
import { isDeeperThan, objectIn } from '#core/json.ts'
import type { CutText, Queued } from '#core/store.ts'
import type { Thread, Turn, TurnStatus, Usage } from '#core/turn.ts'
import { parseExactly } from '#http/lossless-json.ts'
import { isoTime, usageWire } from '#http/wire-format.ts'

/** Arguments that are nested deeper are shown as their text: to write them as JSON would recurse as deep. */
const maxLevels = 100

export const jobStatuses = [
  'queued',
  'running',
  'waiting',
  'completed',
  'failed',
  'cancelled',
] as const satisfies readonly TurnStatus[]

export const UsageWire = z.object({
  input_tokens: z.number(),
  input_tokens_details: z.object({ cached_tokens: z.number() }),
  output_tokens: z.number(),
  output_tokens_details: z.object({ reasoning_tokens: z.number() }),
  total_tokens: z.number(),
  cost_usd: z.nullable(z.number()),
  model: z.optional(z.string()),
})

/** What a turn has used, and which model answered it last. */
export function usedWire(usage: Usage): z.output<typeof UsageWire> {
  return { ...usageWire(usage), ...(usage.model !== undefined && { model: usage.model }) }
}

/** `id` is what `POST /api/threads/{id}/gates/{gate}` takes. */
export const GateWire = z.object({
  id: z.string(),
  kind: z.enum(['approval', 'output', 'credential']),
  name: z.string(),
  args: z.unknown(),
  prompt: z.string(),
  reason: z.optional(z.string()),
  /** What the model had read from outside: the call can only be allowed once. */
  taint: z.optional(z.string()),
  /** What the call would do: a diff, a command, a request. */
  preview: z.optional(z.string()),
  /** The names of the secrets that would go with its requests. */
  secrets: z.optional(z.array(z.string())),
  /** What a sign-in must bring: `GET /api/tools/{tool}/auth` tells how. */
  credential: z.optional(z.object({ tool: z.string(), secret: z.string(), title: z.optional(z.string()) })),
})

export const FaultWire = z.object({ code: z.string(), message: z.string() })

export const JobWire = z.object({
  id: z.string(),
  thread_id: z.string(),
  /** Of the thread. */
  title: z.optional(z.string()),
  /** Who sent it, where that is somebody else: the operator sees the webhook channel's. */
  sender: z.optional(z.string()),
  door: z.string(),
  status: z.enum(jobStatuses),
  created_at: z.string(),
  completed_at: z.nullable(z.string()),
  response: z.optional(z.string()),
  /** Of a long response a list shows the beginning. */
  response_cut: z.optional(z.boolean()),
  error: z.optional(FaultWire),
  gate: z.optional(GateWire),
  usage: UsageWire,
})

export const ThreadWire = z.object({
  id: z.string(),
  title: z.string(),
  door: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  last_seq: z.number(),
  /** `waiting` is for a person. */
  state: z.enum(['idle', 'running', 'waiting', 'failed']),
})

const itemFields = {
  id: z.string(),
  turn_id: z.string(),
  at: z.string(),
  type: z.enum(['message', 'reasoning', 'call', 'attempt', 'result', 'gate', 'answer', 'summary']),
}

/** What stands in a thread: these fields, and those of its type. */
export const ItemWire = z.looseObject({ seq: z.number(), ...itemFields })
/** What will stand there once its turn begins. */
export const QueuedWire = z.looseObject(itemFields)

/** A turn as a job. `reply` is what it answered, or the beginning of that. */
export function jobWire(turn: Omit<Turn, 'options'>, reply: CutText | undefined): z.output<typeof JobWire> {
  return {
    id: turn.id,
    thread_id: turn.threadId,
    door: turn.door,
    status: turn.status,
    created_at: isoTime(turn.createdAt),
    completed_at: turn.endedAt === undefined ? null : isoTime(turn.endedAt),
    ...(reply && { response: reply.text, ...(reply.cut && { response_cut: true }) }),
    ...(turn.error && { error: turn.error }),
    usage: usedWire(turn.usage),
  }
}

/** Whose a turn is, where it is not the caller's own. */
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
    state: thread.state,
  }
}

export function itemWire({ seq, ...entry }: Entry): z.output<typeof ItemWire> {
  return { seq, ...queuedWire(entry) }
}

export function queuedWire({ id, turnId, at, item }: Queued): z.output<typeof QueuedWire> {
  return { id, turn_id: turnId, at: isoTime(at), ...bodyWire(item) }
}

/** The text the model said last, null when it has said none. */
export function replyText(entries: readonly Entry[]): string | null {
  return replyIn(entries.map(({ item }) => item)) ?? null
}

export function gateWire({
  callId,
  kind,
  name,
  args,
  prompt,
  reason,
  taint,
  preview,
  secrets,
  credential,
}: Gate): z.output<typeof GateWire> {
  const why = { ...(reason && { reason }), ...(taint !== undefined && { taint }), ...(credential && { credential }) }
  return {
    id: callId,
    kind,
    name,
    args: asWritten(args),
    prompt,
    ...why,
    ...(preview && { preview }),
    ...(secrets && { secrets: [...secrets] }),
  }
}

/** Arguments as the object they write, each number as it was written; where they write none, the text. */
function asWritten(args: string): unknown {
  const value = objectIn(args)
  return value && !isDeeperThan(maxLevels, value) ? parseExactly(args) : args
}

/** What a provider sealed for itself in its reasoning stays inside. */
function bodyWire(item: Item) {
  switch (item.type) {
    case 'message':
      return { type: item.type, role: item.role, content: item.content, ...(item.cut && { cut: true }) }
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
        ...(item.error && { error: true }),
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

/** How a turn stands, as the live connection tells it. */
export function turnFrame(turn: Turn): object {
  return { type: 'turn', turn_id: turn.id, ...jobWire(turn, undefined) }
}
