// Wire format of usage: tokens, turns and cost.
import * as z from 'zod/mini'
import { DoorName } from './turn.ts'

const DayUsageWire = z.object({
  /** A UTC day. */
  date: z.string(),
  /** Only for the operator. */
  user: z.exactOptional(z.string()),
  model: z.string(),
  turns: z.number(),
  input_tokens: z.number(),
  cached_tokens: z.number(),
  output_tokens: z.number(),
  cost_usd: z.nullable(z.number()),
})
export const TotalsWire = z.object({
  /** The cost of the same number of days before; null when nothing was used then. */
  before_usd: z.nullable(z.number()),
  /** Numbers of failed and cancelled turns that began in these days. */
  failed: z.number(),
  cancelled: z.number(),
  /** `door` is null for old usage, from before it was counted per door. */
  doors: z.array(z.object({ door: z.nullable(DoorName), turns: z.number(), cost_usd: z.nullable(z.number()) })),
})
export const UsageAnswer = z.object({
  days: z.array(DayUsageWire),
  /** Totals of the days. Only with `?totals=true`. */
  totals: z.exactOptional(TotalsWire),
})

export type DayUsage = z.output<typeof DayUsageWire>
export type UsageTotals = z.output<typeof TotalsWire>
export type UsageDays = z.output<typeof UsageAnswer>
