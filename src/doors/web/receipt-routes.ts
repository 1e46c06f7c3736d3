// GET /api/turns/{id}/receipt: what a turn did, and whether its log is unchanged.
import type * as z from 'zod/mini'
import { AppError } from '#core/errors.ts'
import { isUuid } from '#core/ids.ts'
import { type Route, route } from '#http/routes.ts'
import type { Receipt } from '#turns/receipt.ts'
import type { Turns } from '#turns/turns.ts'
import { ReceiptWire } from '#doors/web/wire/receipt.ts'
import { isoTime, isoTimeOrNull } from '#core/time.ts'
import { faultWire } from './wire.ts'

export function receiptRoutes({ turns }: { turns: Pick<Turns, 'receipt'> }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/turns/:id/receipt',
      who: 'user',
      summary: 'Show what a turn did: models, tools, hosts, approvals, cost, and whether its log is unchanged',
      answers: { 200: ReceiptWire },
      async handle({ params, caller: { user } }) {
        const receipt = isUuid(params.id) ? await turns.receipt(user, params.id) : undefined
        if (!receipt) throw new AppError('not_found', 'the turn does not exist')
        return receiptWire(receipt)
      },
    }),
  ]
}

/** A receipt as JSON, for this API and for `atrium receipt`. */
export function receiptWire(receipt: Receipt): z.output<typeof ReceiptWire> {
  const { turn, modelCalls, tools, approvals } = receipt
  return {
    turn_id: turn.id,
    thread_id: turn.threadId,
    door: turn.door,
    user: turn.userId,
    status: turn.status,
    started_at: isoTimeOrNull(turn.startedAt),
    ended_at: isoTimeOrNull(turn.endedAt),
    ...(turn.error && { error: faultWire(turn.error) }),
    model_calls: modelCalls.map(({ model, via, usage, ms, estimated, failed, attempts }) => ({
      model,
      ...via,
      input_tokens: usage.inputTokens,
      cached_tokens: usage.cachedTokens,
      output_tokens: usage.outputTokens,
      cost_usd: usage.costUsd,
      ms,
      ...(estimated && { estimated }),
      ...(failed && { failed }),
      ...(attempts !== undefined && { attempts }),
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
