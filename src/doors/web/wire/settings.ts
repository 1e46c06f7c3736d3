// Settings on the wire.
import * as z from 'zod/mini'

const rule = z.enum(['allow', 'ask', 'deny', 'known'], 'must be allow, ask, deny or known')
const cap = z.nullish(z.number().check(z.minimum(0, 'must be 0 or more'), z.maximum(1_000_000, 'must be less')))

/** Null takes a setting back; what is left out stays. */
export const SettingsBody = z.object({
  provider: z.nullish(z.string()),
  model: z.nullish(z.string()),
  base_url: z.nullish(z.string()),
  fallback: z.nullish(z.string()),
  spend_per_turn_usd: cap,
  spend_per_day_usd: cap,
  steps_per_turn: z.nullish(z.int()),
  /** Models that were chosen before and are to be forgotten, as `provider/name@address`. */
  models: z.optional(z.record(z.string(), z.null('must be null: a model is chosen by provider and model'))),
  /** Rows to be set; null takes one back to its default. */
  policy: z.nullish(z.record(z.string(), z.nullable(z.object({ clean: z.optional(rule), tainted: z.optional(rule) })))),
  /** Marks to be switched. */
  marks: z.optional(z.record(z.string(), z.boolean())),
  marks_off: z.nullish(z.array(z.string())),
})

const PolicyRowWire = z.object({
  id: z.string(),
  /** The calls it is about, names of tools between backticks. */
  calls: z.string(),
  clean: rule,
  tainted: rule,
  changed: z.boolean(),
})
/** Something that text from outside is marked for. */
const MarkWire = z.object({ id: z.string(), says: z.string(), on: z.boolean() })

export const SettingsAnswer = z.object({
  model: z.object({
    provider: z.string(),
    name: z.string(),
    base_url: z.exactOptional(z.string()),
    fallback: z.array(z.string()),
    chosen_by: z.enum(['environment', 'settings', 'key', 'default']),
  }),
  /** The one in use, those that stand in, the usual one of each provider that lacks nothing, and those chosen before. */
  models: z.array(
    z.object({
      provider: z.string(),
      name: z.string(),
      description: z.string(),
      base_url: z.exactOptional(z.string()),
      role: z.enum(['in_use', 'stands_in', 'ready']),
      /** It was chosen before, and can be forgotten. */
      kept: z.exactOptional(z.boolean()),
      /** USD for a million tokens; null where nobody knows. */
      input_usd: z.nullable(z.number()),
      output_usd: z.nullable(z.number()),
    }),
  ),
  providers: z.array(z.object({ name: z.string(), description: z.string(), missing: z.array(z.string()) })),
  limits: z.object({
    spend_per_turn_usd: z.nullable(z.number()),
    spend_per_day_usd: z.nullable(z.number()),
    steps_per_turn: z.number(),
    /** Set by the environment: a stored value waits behind it. */
    fixed: z.array(z.string()),
  }),
  policy: z.array(PolicyRowWire),
  marks: z.array(MarkWire),
  marks_off: z.array(z.string()),
})

export const ModelTrialAnswer = z.object({
  model: z.string(),
  words: z.string(),
  ms: z.number(),
  input_tokens: z.number(),
  output_tokens: z.number(),
  cost_usd: z.nullable(z.number()),
})

export type Settings = z.output<typeof SettingsAnswer>
export type SettingsChange = z.input<typeof SettingsBody>
export type Mark = z.output<typeof MarkWire>
/** `known`: runs where the address was named before, else asks. */
export type Rule = z.output<typeof rule>
export type PolicyRow = z.output<typeof PolicyRowWire>
export type Rules = Pick<PolicyRow, 'clean' | 'tainted'>
export type ModelTrial = z.output<typeof ModelTrialAnswer>
