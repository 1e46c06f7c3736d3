// GET /api/turns/{id}/receipt: what a turn did, and whether its log is still what it was.
import * as z from 'zod/mini'
import { AppError } from '#core/errors.ts'
import { isUuid } from '#core/ids.ts'
import { type Route, route } from '#http/routes.ts'
import { isoTime } from '#http/wire-format.ts'
import type { Receipt } from '#turns/receipt.ts'
import type { Turns } from '#turns/turns.ts'
import { jobStatus, jobStatuses } from './wire.ts'

const ReceiptWire = z.object({
  turn_id: z.string(),
  thread_id: z.string(),
  door: z.string(),
  user: z.string(),
  status: z.enum(jobStatuses),
  started_at: z.nullable(z.string()),
  ended_at: z.nullable(z.string()),
  /** Why it failed, where it did. */
  error: z.optional(z.object({ code: z.string(), message: z.string() })),
  model_calls: z.array(
    z.object({
      model: z.string(),
      /** Where its request went, and the sealed secret that went with it; absent of a model within the service. */
      host: z.optional(z.string()),
      secret: z.optional(z.string()),
      input_tokens: z.number(),
      cached_tokens: z.number(),
      output_tokens: z.number(),
      /** Null where the price is unknown. */
      cost_usd: z.nullable(z.number()),
      ms: z.number(),
      /** The call broke off: counted by the service, not by the provider. */
      estimated: z.optional(z.boolean()),
    }),
  ),
  tools: z.array(
    z.object({
      call_id: z.string(),
      name: z.string(),
      ok: z.boolean(),
      ms: z.number(),
      /** What the call did; absent of turns from before it was kept. */
      effects: z.optional(z.enum(['read', 'keep', 'write', 'danger'])),
      /** Where its result came from, when that is outside: the model was given it in a fence, as data. */
      origin: z.optional(z.string()),
      /** That this call contacted. */
      hosts: z.array(z.string()),
      /** Its requests, each kind once. */
      sent: z.array(z.object({ method: z.string(), host: z.string(), times: z.number() })),
    }),
  ),
  hosts: z.array(z.string()),
  secrets: z.array(z.string()),
  approvals: z.array(
    z.object({
      call_id: z.string(),
      decision: z.enum(['allow', 'deny']),
      by: z.string(),
      at: z.string(),
      scope: z.optional(z.enum(['tool', 'target'])),
      until: z.optional(z.string()),
    }),
  ),
  notes: z.array(z.object({ rule: z.string(), where: z.string() })),
  cost_usd: z.nullable(z.number()),
  /** Null until the turn has ended, and of turns from before digests were kept. */
  hash: z.nullable(z.string()),
  verified: z.boolean(),
})

export function receiptRoutes({ turns }: { turns: Pick<Turns, 'receipt'> }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/turns/:id/receipt',
      who: 'user',
      summary: 'What a turn did: models, tools, hosts, approvals, cost; and whether its log is unchanged',
      answers: { 200: ReceiptWire },
      async handle({ params, caller: { user } }) {
        const receipt = isUuid(params.id) ? await turns.receipt(user, params.id) : undefined
        if (!receipt) throw new AppError('not_found', 'the turn does not exist')
        return receiptWire(receipt)
      },
    }),
  ]
}

/** A receipt as it is shown, here and by `atrium receipt`. */
export function receiptWire(receipt: Receipt): z.output<typeof ReceiptWire> {
  const { turn, modelCalls, tools, approvals } = receipt
  return {
    turn_id: turn.id,
    thread_id: turn.threadId,
    door: turn.door,
    user: turn.userId,
    status: jobStatus(turn.status),
    started_at: turn.startedAt === undefined ? null : isoTime(turn.startedAt),
    ended_at: turn.endedAt === undefined ? null : isoTime(turn.endedAt),
    ...(turn.error && { error: turn.error }),
    model_calls: modelCalls.map(({ model, via, usage, ms, estimated }) => ({
      model,
      ...via,
      input_tokens: usage.inputTokens,
      cached_tokens: usage.cachedTokens,
      output_tokens: usage.outputTokens,
      cost_usd: usage.costUsd,
      ms,
      ...(estimated && { estimated }),
    })),
    tools: tools.map(({ callId, hosts, sent, ...rest }) => ({
      call_id: callId,
      ...rest,
      hosts: [...hosts],
      sent: [...sent],
    })),
    hosts: [...receipt.hosts],
    secrets: [...receipt.secrets],
    approvals: approvals.map(({ callId, at, until, ...rest }) => ({
      call_id: callId,
      ...rest,
      at: isoTime(at),
      ...(until !== undefined && { until: isoTime(until) }),
    })),
    notes: [...receipt.notes],
    cost_usd: receipt.costUsd,
    hash: receipt.hash ?? null,
    verified: receipt.verified,
  }
}
