// What a turn did, on the wire.
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
  /** Why it failed, where it did. */
  error: z.exactOptional(FaultWire),
  model_calls: z.array(
    z.object({
      model: z.string(),
      /** Where its request went, and the sealed secret that went with it; absent of a model within the service. */
      host: z.exactOptional(z.string()),
      secret: z.exactOptional(z.string()),
      input_tokens: z.number(),
      cached_tokens: z.number(),
      output_tokens: z.number(),
      /** Null where the price is unknown. */
      cost_usd: z.nullable(z.number()),
      ms: z.number(),
      /** The call broke off: counted by the service, not by the provider. */
      estimated: z.exactOptional(z.boolean()),
    }),
  ),
  tools: z.array(
    z.object({
      call_id: z.string(),
      name: z.string(),
      ok: z.boolean(),
      ms: z.number(),
      /** What the call did; absent of turns from before it was kept. */
      effects: z.exactOptional(z.enum(['read', 'keep', 'write', 'danger'])),
      /** Where its result came from, when that is outside: the model was given it in a fence, as data. */
      origin: z.exactOptional(z.string()),
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
      scope: z.exactOptional(z.enum(['tool', 'target'])),
      until: z.exactOptional(z.string()),
    }),
  ),
  notes: z.array(z.object({ rule: z.string(), where: z.string() })),
  cost_usd: z.nullable(z.number()),
  /** Null until the turn has ended, and of turns from before digests were kept. */
  hash: z.nullable(z.string()),
  verified: z.boolean(),
})

export type Receipt = z.output<typeof ReceiptWire>
