// Wire format of usage: tokens, turns and cost.
import * as z from 'zod/mini'
import { DoorName } from './turn.ts'

/** The known part of a cost, null when nothing is known, and the number of calls with an unknown price, which are not in it. */
const costFields = { cost_usd: z.nullable(z.number()), unpriced_calls: z.number() }

const DayUsageWire = z.object({
  /** A UTC day. */
  date: z.string(),
  /** Only for the operator. */
  user: z.exactOptional(z.string()),
  /** Empty for turns that ended before they asked a model. */
  model: z.string(),
  turns: z.number(),
  input_tokens: z.number(),
  cached_tokens: z.number(),
  output_tokens: z.number(),
  ...costFields,
})
export const TotalsWire = z.object({
  /** The cost of the same number of days before; null when nothing was used then, or when no part of it is known. */
  before_usd: z.nullable(z.number()),
  before_unpriced_calls: z.number(),
  /** Numbers of failed and cancelled turns that began in these days. */
  failed: z.number(),
  cancelled: z.number(),
  /** `door` is null for old usage, from before it was counted per door. */
  doors: z.array(z.object({ door: z.nullable(DoorName), turns: z.number(), ...costFields })),
  /** Missions of the caller that ran in these days. */
  missions: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      runs: z.number(),
      cost_usd: z.nullable(z.number()),
      unpriced_runs: z.number(),
    }),
  ),
})
export const UsageAnswer = z.object({
  days: z.array(DayUsageWire),
  /** Totals of the days. Only with `?totals=true`. */
  totals: z.exactOptional(TotalsWire),
})

export type DayUsage = z.output<typeof DayUsageWire>
export type UsageTotals = z.output<typeof TotalsWire>
export type UsageDays = z.output<typeof UsageAnswer>
