// What was used, on the wire.
import * as z from 'zod/mini'
import { DoorName } from './turn.ts'

const DayUsageWire = z.object({
  /** A day of UTC. */
  date: z.string(),
  /** For the operator alone. */
  user: z.exactOptional(z.string()),
  model: z.string(),
  turns: z.number(),
  input_tokens: z.number(),
  cached_tokens: z.number(),
  output_tokens: z.number(),
  cost_usd: z.nullable(z.number()),
})
export const TotalsWire = z.object({
  /** What as many days before cost; null when nothing was used then. */
  before_usd: z.nullable(z.number()),
  /** Turns that began in these days. */
  failed: z.number(),
  cancelled: z.number(),
  /** `door` is null for what was used before it was counted by doors. */
  doors: z.array(z.object({ door: z.nullable(DoorName), turns: z.number(), cost_usd: z.nullable(z.number()) })),
})
export const UsageAnswer = z.object({
  days: z.array(DayUsageWire),
  /** What the days come to; where it was asked for. */
  totals: z.exactOptional(TotalsWire),
})

export type DayUsage = z.output<typeof DayUsageWire>
export type UsageTotals = z.output<typeof TotalsWire>
export type UsageDays = z.output<typeof UsageAnswer>
