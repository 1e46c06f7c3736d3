// Routes of settings, for the operator: model, limits, policy, marks. A change applies from the next turn on.
import * as z from 'zod/mini'
import type { ModelTrial, SettingsAdmin, SettingsView } from '#core/admin.ts'
import type { Json } from '#core/json.ts'
import { maxRetentionDays, maxSteps } from '#core/turn.ts'
import { type Route, route } from '#http/routes.ts'
import {
  ConnectionBody,
  ModelTrialAnswer,
  ProviderModelsAnswer,
  SettingsAnswer,
  SettingsBody,
} from '#doors/web/wire/settings.ts'

const daysFault = `must be a whole number from 0 to ${maxRetentionDays}`
const stepsFault = `must be a whole number from 1 to ${maxSteps}`

const Body = z.extend(SettingsBody, {
  retention_days: z.nullish(z.int(daysFault).check(z.minimum(0, daysFault), z.maximum(maxRetentionDays, daysFault))),
  steps_per_turn: z.nullish(z.int(stepsFault).check(z.minimum(1, stepsFault), z.maximum(maxSteps, stepsFault))),
})

export type SettingsParts = { readonly settings: SettingsAdmin }

export function settingsRoutes({ settings }: SettingsParts): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/settings',
      who: 'operator',
      summary: 'Read the settings',
      answers: { 200: SettingsAnswer },
      handle: async () => settingsWire(await settings.read()),
    }),
    route({
      method: 'PATCH',
      path: '/api/settings',
      who: 'operator',
      summary: 'Change the given settings; null resets one. Another model is tested first',
      body: Body,
      answers: { 200: SettingsAnswer },
      async handle({ body }) {
        const { force = false, key, ...changes } = body
        await settings.change(changesIn(changes), { force, ...(key && { key }) })
        return settingsWire(await settings.read())
      },
    }),
    route({
      method: 'POST',
      path: '/api/settings/test',
      who: 'operator',
      summary: 'Test the model in use: ask it for one word',
      answers: { 200: ModelTrialAnswer },
      handle: async () => trialWire(await settings.tryModel()),
    }),
    route({
      method: 'POST',
      path: '/api/settings/connection/test',
      who: 'operator',
      summary: 'Test a model before it is chosen: ask it for one word, and store nothing',
      body: ConnectionBody,
      answers: { 200: ModelTrialAnswer },
      async handle({ body: { key, ...model } }) {
        return trialWire(await settings.tryChoice(changesIn(model), key ?? undefined))
      },
    }),
    route({
      method: 'POST',
      path: '/api/settings/connection/models',
      who: 'operator',
      summary: 'List the models of a provider, as it lists them itself',
      body: ConnectionBody,
      answers: { 200: ProviderModelsAnswer },
      async handle({ body: { key, ...model } }) {
        const models = await settings.providerModels(changesIn(model), key ?? undefined)
        return { models: [...models] } satisfies z.output<typeof ProviderModelsAnswer>
      },
    }),
  ]
}

function trialWire({ model, words, ms, usage }: ModelTrial): z.output<typeof ModelTrialAnswer> {
  const { inputTokens, outputTokens, costUsd } = usage
  return { model, words, ms, input_tokens: inputTokens, output_tokens: outputTokens, cost_usd: costUsd }
}

/** The changes under their stored names. A new provider resets model, base URL and fallback unless they are set too. */
function changesIn(body: Omit<z.output<typeof Body>, 'force' | 'key'>): Record<string, Json> {
  const { provider, model, base_url, fallback, offered, policy, ...others } = body
  const of = { llm_provider: provider, llm_model: model, llm_base_url: base_url, llm_fallback: fallback }
  const chosen = provider === undefined ? of : { ...noModel, ...present(of) }
  return present({ ...chosen, llm_models: offered, ...others, policy: policy as Json | undefined })
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
  const { baseUrl, fallback, offered, offeredFixed, chosenBy, ...named } = model
  return {
    model: {
      ...named,
      ...(baseUrl !== undefined && { base_url: baseUrl }),
      fallback: [...fallback],
      offered: [...offered],
      offered_fixed: offeredFixed,
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
    providers: providers.map(({ name, words, missing, key }) => ({
      name,
      description: words,
      missing: [...missing],
      ...(key !== undefined && { key }),
    })),
    limits: {
      spend_per_turn_usd: limits.perTurnUsd,
      spend_per_day_usd: limits.perDayUsd,
      steps_per_turn: limits.steps,
      retention_days: limits.retentionDays,
      fixed: [...limits.fixed],
    },
    policy: policy.map((row) => row as z.output<typeof SettingsAnswer>['policy'][number]),
    marks: [...marks],
    marks_off: marks.filter(({ on }) => !on).map(({ id }) => id),
  }
}
