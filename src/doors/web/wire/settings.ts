// Wire format of settings.
import * as z from 'zod/mini'

const rule = z.enum(['allow', 'ask', 'deny', 'known'], 'must be allow, ask, deny or known')
const cap = z.nullish(z.number().check(z.minimum(0, 'must be 0 or more'), z.maximum(1_000_000)))

const keyFault = 'must be 1 to 4096 printable ASCII characters without white space'
/** The key of the provider. It is sealed and never shown. */
const key = z.nullish(z.string().check(z.regex(/^[\x21-\x7e]{1,4096}$/, keyFault)))

/** A model that is not stored yet. */
export const ConnectionBody = z.object({
  provider: z.string(),
  model: z.nullish(z.string()),
  base_url: z.nullish(z.string()),
  key,
})

export const ProviderModelsAnswer = z.object({ models: z.array(z.string()) })

/** A change of settings. Null resets a setting; settings that are left out stay. */
export const SettingsBody = z.object({
  provider: z.nullish(z.string()),
  model: z.nullish(z.string()),
  base_url: z.nullish(z.string()),
  fallback: z.nullish(z.string()),
  key,
  /** Models that can be chosen for a thread: `provider/model, …`. */
  offered: z.nullish(z.string()),
  /** Stores another model without a test. */
  force: z.optional(z.boolean()),
  spend_per_turn_usd: cap,
  spend_per_day_usd: cap,
  steps_per_turn: z.nullish(z.int()),
  retention_days: z.nullish(z.int()),
  /** Recent models to forget, as `provider/name@address`. */
  models: z.optional(z.record(z.string(), z.null('must be null: a model is chosen by provider and model'))),
  /** Rows to set; null resets a row to its default. */
  policy: z.nullish(z.record(z.string(), z.nullable(z.object({ clean: z.optional(rule), tainted: z.optional(rule) })))),
  /** Marks to switch on or off. */
  marks: z.optional(z.record(z.string(), z.boolean())),
  marks_off: z.nullish(z.array(z.string())),
})

const PolicyRowWire = z.object({
  id: z.string(),
  /** The calls it applies to, with tool names in backticks. */
  calls: z.string(),
  clean: rule,
  tainted: rule,
  changed: z.boolean(),
})
/** A pattern for which text from outside is marked. */
const MarkWire = z.object({ id: z.string(), says: z.string(), on: z.boolean() })

export const SettingsAnswer = z.object({
  model: z.object({
    provider: z.string(),
    name: z.string(),
    base_url: z.exactOptional(z.string()),
    fallback: z.array(z.string()),
    /** Models that can be chosen for a thread, beside the fallbacks. */
    offered: z.array(z.string()),
    /** The environment lists them. */
    offered_fixed: z.boolean(),
    chosen_by: z.enum(['environment', 'settings', 'key', 'default']),
  }),
  /** The model in use, its fallbacks, the default model of each configured provider, and recent models. */
  models: z.array(
    z.object({
      provider: z.string(),
      name: z.string(),
      description: z.string(),
      base_url: z.exactOptional(z.string()),
      role: z.enum(['in_use', 'fallback', 'offered', 'ready']),
      /** A recent model, which can be forgotten. */
      kept: z.exactOptional(z.boolean()),
      /** USD per million tokens; null when unknown. */
      input_usd: z.nullable(z.number()),
      output_usd: z.nullable(z.number()),
    }),
  ),
  providers: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      missing: z.array(z.string()),
      /** The name of its key; absent for a provider that takes none. */
      key: z.exactOptional(z.string()),
    }),
  ),
  limits: z.object({
    spend_per_turn_usd: z.nullable(z.number()),
    spend_per_day_usd: z.nullable(z.number()),
    steps_per_turn: z.number(),
    /** Conversations are erased so many days after their last activity; 0 keeps them. */
    retention_days: z.number(),
    /** Limits set by the environment, which overrides stored values. */
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
export type Connection = z.input<typeof ConnectionBody>
export type ProviderModels = z.output<typeof ProviderModelsAnswer>
export type SettingsChange = z.input<typeof SettingsBody>
export type Mark = z.output<typeof MarkWire>
/** `known` allows calls to addresses that were named before and asks about others. */
export type Rule = z.output<typeof rule>
export type PolicyRow = z.output<typeof PolicyRowWire>
export type Rules = Pick<PolicyRow, 'clean' | 'tainted'>
export type ModelTrial = z.output<typeof ModelTrialAnswer>
