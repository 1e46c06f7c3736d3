// Turns as the gateway's JSON shows them, and the words that all of its answers share. The schemas make the types, for
// the service and for the browser app, and the OpenAPI document.
import * as z from 'zod/mini'

export const jobStatuses = ['queued', 'running', 'waiting', 'completed', 'failed', 'cancelled'] as const
export const DoorName = z.enum(['terminal', 'run', 'web', 'webhook', 'responses'])

export const UsageWire = z.object({
  input_tokens: z.number(),
  input_tokens_details: z.object({ cached_tokens: z.number() }),
  output_tokens: z.number(),
  output_tokens_details: z.object({ reasoning_tokens: z.number() }),
  total_tokens: z.number(),
  cost_usd: z.nullable(z.number()),
  model: z.exactOptional(z.string()),
})

/** Why a turn failed. */
export const FaultWire = z.object({ code: z.string(), message: z.string() })

export type Status = (typeof jobStatuses)[number]
export type Door = z.output<typeof DoorName>
export type Fault = z.output<typeof FaultWire>
