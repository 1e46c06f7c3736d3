// Wire format of receipts: what a turn did.
import * as z from 'zod/mini'
import { DoorName, FaultWire, jobStatuses } from './turn.ts'

export const ReceiptWire = z.object({
  turn_id: z.string(),
  thread_id: z.string(),
  door: DoorName,
  user: z.string(),
  status: z.enum(jobStatuses),
  started_at: z.nullable(z.string()),
  ended_at: z.nullable(z.string()),
  /** Why it failed, if it did. */
  error: z.exactOptional(FaultWire),
  model_calls: z.array(
    z.object({
      model: z.string(),
      /** The host of the request, and the stored secret sent with it. Absent for a model inside the service. */
      host: z.exactOptional(z.string()),
      secret: z.exactOptional(z.string()),
      input_tokens: z.number(),
      cached_tokens: z.number(),
      output_tokens: z.number(),
      /** Null when the price is unknown. */
      cost_usd: z.nullable(z.number()),
      ms: z.number(),
      /** True when the call broke off: the tokens are an estimate of the service, not the provider's count. */
      estimated: z.exactOptional(z.boolean()),
      /** True when no answer came, and how many requests were sent for it. Absent for old turns. */
      failed: z.exactOptional(z.boolean()),
      attempts: z.exactOptional(z.number()),
    }),
  ),
  tools: z.array(
    z.object({
      call_id: z.string(),
      name: z.string(),
      ok: z.boolean(),
      ms: z.number(),
      /** The effects of the call. Absent for old turns, from before this was recorded. */
      effects: z.exactOptional(z.enum(['read', 'keep', 'write', 'danger'])),
      /** The source of the result, when it came from outside: the model received it fenced, as data. */
      origin: z.exactOptional(z.string()),
      /** Hosts that this call contacted. */
      hosts: z.array(z.string()),
      /** Its requests, counted by method and host. */
      sent: z.array(z.object({ method: z.string(), host: z.string(), times: z.number() })),
    }),
  ),
  hosts: z.array(z.string()),
  secrets: z.array(z.string()),
  approvals: z.array(
    z.object({
      call_id: z.string(),
      /** The kind of gate: an approval, a sign-in, or the question of a server. */
      kind: z.enum(['approval', 'credential', 'input']),
      decision: z.enum(['allow', 'deny']),
      by: z.string(),
      at: z.string(),
      scope: z.exactOptional(z.enum(['tool', 'target'])),
      until: z.exactOptional(z.string()),
    }),
  ),
  notes: z.array(z.object({ rule: z.string(), where: z.string() })),
  cost_usd: z.nullable(z.number()),
  /** Null until the turn has ended, and for old turns, from before hashes were recorded. */
  hash: z.nullable(z.string()),
  verified: z.boolean(),
})

export type Receipt = z.output<typeof ReceiptWire>
