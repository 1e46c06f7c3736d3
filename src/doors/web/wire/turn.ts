// Wire format of turns, and the fields that all answers of the gateway share. The schemas in this folder define the
// types of the service and of the browser app, and the OpenAPI document.
import * as z from 'zod/mini'

export const jobStatuses = ['queued', 'running', 'waiting', 'completed', 'failed', 'cancelled'] as const
export const DoorName = z.enum(['terminal', 'run', 'web', 'webhook', 'responses', 'completions', 'mission', 'telegram'])

export const UsageWire = z.object({
  input_tokens: z.number(),
  input_tokens_details: z.object({ cached_tokens: z.number() }),
  output_tokens: z.number(),
  output_tokens_details: z.object({ reasoning_tokens: z.number() }),
  total_tokens: z.number(),
  cost_usd: z.nullable(z.number()),
  model: z.exactOptional(z.string()),
})

/** The limit that ended a turn, and how it was reached. */
const LimitWire = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['steps', 'minutes']), max: z.number() }),
  /** `tool` was called too often with the same arguments, or failed too often in a row. */
  z.object({ kind: z.enum(['same_call', 'failures_in_a_row']), max: z.number(), tool: z.string() }),
  z.object({
    kind: z.enum(['spend_per_turn', 'spend_per_day']),
    max_usd: z.number(),
    spent_usd: z.number(),
    /** The estimated cost of the next model call. */
    next_usd: z.number(),
    /** Reserved for other model calls in progress. */
    held_usd: z.exactOptional(z.number()),
  }),
])

/** Why a turn failed. */
export const FaultWire = z.object({
  code: z.string(),
  message: z.string(),
  /** Absent for old turns, from before this was recorded. */
  limit: z.exactOptional(LimitWire),
})

export type Status = (typeof jobStatuses)[number]
export type Door = z.output<typeof DoorName>
export type Limit = z.output<typeof LimitWire>
export type Fault = z.output<typeof FaultWire>
