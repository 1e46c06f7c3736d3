// Settings, for the operator: the model, caps, the policy. The next turn follows a change; nothing restarts.
import * as z from 'zod/mini'
import type { SettingsAdmin, SettingsView } from '#core/admin.ts'
import type { Json } from '#core/json.ts'
import { maxSteps } from '#core/turn.ts'
import { type Route, route } from '#http/routes.ts'

const rule = z.enum(['allow', 'ask', 'deny', 'known'], 'must be allow, ask, deny or known')
const cap = z.nullish(z.number().check(z.minimum(0, 'must be 0 or more'), z.maximum(1_000_000, 'must be less')))
const stepsFault = `must be a whole number from 1 to ${maxSteps}`

const SettingsBody = z.object({
  provider: z.nullish(z.string()),
  model: z.nullish(z.string()),
  base_url: z.nullish(z.string()),
  fallback: z.nullish(z.string()),
  spend_per_turn_usd: cap,
  spend_per_day_usd: cap,
  steps_per_turn: z.nullish(z.int(stepsFault).check(z.minimum(1, stepsFault), z.maximum(maxSteps, stepsFault))),
  models: z.optional(z.record(z.string(), z.null('must be null: a model is chosen by provider and model'))),
  policy: z.nullish(z.record(z.string(), z.nullable(z.object({ clean: z.optional(rule), tainted: z.optional(rule) })))),
  marks: z.optional(z.record(z.string(), z.boolean())),
  marks_off: z.nullish(z.array(z.string())),
})

const SettingsAnswer = z.object({
  model: z.object({
    provider: z.string(),
    name: z.string(),
    base_url: z.optional(z.string()),
    fallback: z.array(z.string()),
    chosen_by: z.enum(['environment', 'settings', 'key', 'default']),
  }),
  models: z.array(
    z.object({
      provider: z.string(),
      name: z.string(),
      description: z.string(),
      base_url: z.optional(z.string()),
      role: z.enum(['in_use', 'stands_in', 'ready']),
      /** It was chosen before, and can be forgotten. */
      kept: z.optional(z.boolean()),
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
  policy: z.array(z.object({ id: z.string(), calls: z.string(), clean: rule, tainted: rule, changed: z.boolean() })),
  marks: z.array(z.object({ id: z.string(), says: z.string(), on: z.boolean() })),
  marks_off: z.array(z.string()),
})

const TrialAnswer = z.object({
  model: z.string(),
  words: z.string(),
  ms: z.number(),
  input_tokens: z.number(),
  output_tokens: z.number(),
  cost_usd: z.nullable(z.number()),
})

export type SettingsParts = { readonly settings: SettingsAdmin }

export function settingsRoutes({ settings }: SettingsParts): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/settings',
      who: 'operator',
      summary: 'The settings as they stand',
      answers: { 200: SettingsAnswer },
      handle: async () => settingsWire(await settings.read()),
    }),
    route({
      method: 'PATCH',
      path: '/api/settings',
      who: 'operator',
      summary:
        'Change settings, of the policy row by row, of marks one by one; null takes one back, what is left out stays',
      body: SettingsBody,
      answers: { 200: SettingsAnswer },
      async handle({ body }) {
        await settings.change(changesIn(body))
        return settingsWire(await settings.read())
      },
    }),
    route({
      method: 'POST',
      path: '/api/settings/test',
      who: 'operator',
      summary: 'Ask the model in use for one word',
      answers: { 200: TrialAnswer },
      async handle() {
        const { model, words, ms, usage } = await settings.tryModel()
        return {
          model,
          words,
          ms,
          input_tokens: usage.inputTokens,
          output_tokens: usage.outputTokens,
          cost_usd: usage.costUsd,
        } satisfies z.output<typeof TrialAnswer>
      },
    }),
  ]
}

/** The settings under their stored names. A model belongs to its provider: with another one it is chosen anew. */
function changesIn(body: z.output<typeof SettingsBody>): Record<string, Json> {
  const { provider, model, base_url, fallback, policy, ...others } = body
  const of = { llm_provider: provider, llm_model: model, llm_base_url: base_url, llm_fallback: fallback }
  const chosen = provider === undefined ? of : { ...noModel, ...present(of) }
  return present({ ...chosen, ...others, policy: policy as Json | undefined })
}

const noModel = { llm_model: null, llm_base_url: null, llm_fallback: null }

function present(values: Readonly<Record<string, Json | undefined>>): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

function settingsWire({
  model,
  models,
  providers,
  limits,
  policy,
  marks,
}: SettingsView): z.output<typeof SettingsAnswer> {
  const { baseUrl, fallback, chosenBy, ...named } = model
  return {
    model: {
      ...named,
      ...(baseUrl !== undefined && { base_url: baseUrl }),
      fallback: [...fallback],
      chosen_by: chosenBy,
    },
    models: models.map(({ provider, name, words, baseUrl: at, role, kept, inputUsd, outputUsd }) => ({
      provider,
      name,
      description: words,
      ...(at !== undefined && { base_url: at }),
      role,
      ...(kept && { kept }),
      input_usd: inputUsd,
      output_usd: outputUsd,
    })),
    providers: providers.map(({ name, words, missing }) => ({ name, description: words, missing: [...missing] })),
    limits: {
      spend_per_turn_usd: limits.perTurnUsd,
      spend_per_day_usd: limits.perDayUsd,
      steps_per_turn: limits.steps,
      fixed: [...limits.fixed],
    },
    policy: policy.map((row) => row as z.output<typeof SettingsAnswer>['policy'][number]),
    marks: [...marks],
    marks_off: marks.filter(({ on }) => !on).map(({ id }) => id),
  }
}
