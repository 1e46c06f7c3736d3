// Chooses the chat model: from the environment, else the stored settings, else by a provider key, else the offline one.
import * as z from 'zod/mini'
import { AppError } from '#core/errors.ts'
import type { Json } from '#core/json.ts'
import { type Provider, providerNames, providers } from '#core/providers.ts'
import type { Settings } from '#core/store.ts'
import { choice, fallbacks, label, serverUrl } from './schemas.ts'
import { fault, type RawValues, type VariableName, type Report, type Values } from './variables.ts'

/** The choice and its source. `apiKey` comes from the environment; a sealed key is looked up elsewhere. */
export type ModelConfig = {
  readonly provider: Provider
  readonly name: string
  /** Default: the provider's own address. */
  readonly baseUrl?: string
  readonly apiKey?: string
  readonly script?: string
  /** USD per million tokens, set by the operator. */
  readonly price?: { readonly input: number; readonly output: number }
  /** Models to ask when this one cannot answer, in order. */
  readonly fallback?: readonly FallbackConfig[]
  /** Models that people and API clients may choose by name, beside the fallbacks. */
  readonly choices?: readonly FallbackConfig[]
  readonly source: 'environment' | 'settings' | 'key' | 'default'
}

export type FallbackConfig = Pick<ModelConfig, 'provider' | 'name' | 'baseUrl' | 'apiKey'>

type Parts = {
  readonly values: Values
  readonly raw: RawValues
  readonly settings: Settings
  readonly report: Report
  readonly notify: (line: string) => void
}

/** A setting is read only if the environment does not set the same value, so that it can override a bad setting. */
export function chooseModel(parts: Parts): ModelConfig {
  const { values, raw, report } = parts
  const { provider, source } = chooseProvider(parts)
  if (provider === 'offline') return { ...withChoices(parts, { provider, name: 'offline' }), source }
  const price = values.LLM_PRICE && { price: values.LLM_PRICE }
  const { needs, model, keys } = providers[provider]
  // Undefined means not set. Empty means set but faulty, which has been reported.
  const name = readEither(parts, provider, 'LLM_MODEL') ?? model
  if (provider === 'scripted') {
    if (!raw.LLM_SCRIPT) report(fault('LLM_SCRIPT', 'is not set, but the provider is scripted'))
    return { ...withChoices(parts, { provider, name: name ?? '', script: values.LLM_SCRIPT ?? '' }), source }
  }
  const baseUrl = readEither(parts, provider, 'LLM_BASE_URL')
  if (needs.includes('LLM_BASE_URL') && baseUrl === undefined) report(missing(provider, source, 'LLM_BASE_URL'))
  if (needs.includes('LLM_MODEL') && name === undefined) report(missing(provider, source, 'LLM_MODEL'))
  // A key is sent only to the provider it is named after.
  const apiKey = values.LLM_API_KEY ?? keys.map((key) => values[key]).find((key) => key !== undefined)
  const chosen = { provider, name: name ?? '', ...(baseUrl && { baseUrl }), ...(apiKey && { apiKey }) }
  const fallback = readModels(parts, chosen, 'LLM_FALLBACK')
  return {
    ...withChoices(parts, chosen),
    ...price,
    ...(fallback.length > 0 && { fallback }),
    source,
  }
}

/** The model with its fallbacks and those that can be chosen beside it. */
export function allModels(model: ModelConfig): readonly FallbackConfig[] {
  return [model, ...(model.fallback ?? []), ...(model.choices ?? [])]
}

/** The models that can be chosen beside the usual one: those that are offered, then the fallbacks. */
export function offeredModels(model: Omit<ModelConfig, 'source'>): readonly FallbackConfig[] {
  const byName = new Map([...(model.fallback ?? []), ...(model.choices ?? [])].map((each) => [choiceName(each), each]))
  byName.delete(choiceName(model))
  const names = new Set([...(model.choices ?? []), ...(model.fallback ?? [])].map(choiceName))
  return [...names].flatMap((name) => byName.get(name) ?? [])
}

/** Adds the models that are offered: by the environment, else by the stored setting. */
function withChoices<Chosen extends FallbackConfig>(parts: Parts, chosen: Chosen) {
  const choices = readModels(parts, chosen, 'LLM_MODELS')
  return { ...chosen, ...(choices.length > 0 && { choices }) }
}

/** The name by which a client chooses a model. */
export function choiceName({ provider, name }: { readonly provider: string; readonly name: string }): string {
  return `${provider}/${name}`
}

/** A model for people; just the name for the built-in one, which is named like its provider. */
export function modelWords({ provider, name }: { readonly provider: string; readonly name: string }): string {
  return name === provider ? name : `${provider} ${name}`
}

/** A model in the format of the settings that list models. */
export function modelText({ provider, name, baseUrl }: FallbackConfig): string {
  return `${provider}/${name}${baseUrl === undefined ? '' : `@${baseUrl}`}`
}

/** True when both are the same model at the same place. Their fallbacks may differ. */
export function isSameModel(a: ModelConfig, b: ModelConfig): boolean {
  return a.provider === b.provider && a.name === b.name && a.baseUrl === b.baseUrl && a.script === b.script
}

/** The models of a list in the environment, else of the stored one. Stored fallbacks are for the stored provider. */
function readModels(parts: Parts, chosen: FallbackConfig, variable: 'LLM_FALLBACK' | 'LLM_MODELS'): FallbackConfig[] {
  const { values, raw, settings, report } = parts
  const setting = variable === 'LLM_MODELS' ? 'llm_models' : 'llm_fallback'
  const applies = setting === 'llm_models' || settings['llm_provider'] === chosen.provider
  let entries = values[variable]
  if (!raw[variable] && applies && isSet(settings[setting])) {
    const { data, error } = z.safeParse(Stored[setting], settings[setting])
    if (error) report(badSetting(setting, error))
    entries = data
  }
  return resolve(parts, chosen, variable, entries ?? [])
}

type Entry = { readonly provider: Provider; readonly name?: string; readonly baseUrl?: string }

/** A model of the chosen provider uses the same server. Any other has its own key, and its own address or `@URL`. */
function resolve(
  { values, report }: Parts,
  chosen: FallbackConfig,
  variable: 'LLM_FALLBACK' | 'LLM_MODELS',
  entries: readonly Entry[],
): FallbackConfig[] {
  return entries.map(({ provider, name: named, baseUrl }) => {
    const { needs, model, keys } = providers[provider]
    const name = named ?? model
    const at = baseUrl && { baseUrl }
    if (provider === chosen.provider) return { ...chosen, name: name ?? chosen.name, ...at }
    const unmet = needs.filter((each) => !(each === 'LLM_MODEL' ? name : each === 'LLM_BASE_URL' && baseUrl))
    if (unmet.length > 0) {
      const problem = provider === 'scripted' ? 'is only for tests' : `needs ${provider}/MODEL@URL here`
      report(fault(variable, `names ${provider}, which ${problem}`))
    }
    const apiKey = keys
      .filter((key) => key !== 'LLM_API_KEY')
      .map((key) => values[key])
      .find((key) => key !== undefined)
    return { provider, name: name ?? '', ...at, ...(apiKey && { apiKey }) }
  })
}

function chooseProvider({ values, raw, settings, report, notify }: Parts): Pick<ModelConfig, 'provider' | 'source'> {
  if (raw.LLM_PROVIDER) return { provider: values.LLM_PROVIDER ?? 'offline', source: 'environment' }
  if (isSet(settings['llm_provider'])) {
    const { data: provider, error } = z.safeParse(Stored.llm_provider, settings['llm_provider'])
    if (error) report(badSetting('llm_provider', error))
    return { provider: provider ?? 'offline', source: 'settings' }
  }
  const keyed = providerNames.filter((name) => providers[name].keyed && providers[name].keys.some((key) => values[key]))
  const [ready] = keyed
  if (ready && keyed.length > 1) {
    notify(`There are keys for ${keyed.join(' and ')}: ${ready} is used. Set LLM_PROVIDER to choose another.`)
  }
  if (ready) return { provider: ready, source: 'key' }
  const idle = idleNames.filter((name) => raw[name] !== undefined)
  if (idle.length > 0) {
    notify(`${idle.join(' and ')} without LLM_PROVIDER has no effect: the built-in offline model answers.`)
  }
  return { provider: 'offline', source: 'default' }
}

const idleNames = ['LLM_MODEL', 'LLM_BASE_URL', 'LLM_API_KEY', 'LLM_SCRIPT'] as const satisfies readonly VariableName[]

const Stored = {
  llm_provider: choice(providerNames),
  llm_model: label(),
  llm_base_url: serverUrl(),
  llm_fallback: fallbacks(),
  llm_models: fallbacks(),
}

/** The stored model and address apply only to the stored provider: a key must not go to another provider's address. */
function readEither(parts: Parts, provider: Provider, name: 'LLM_MODEL' | 'LLM_BASE_URL'): string | undefined {
  const { values, raw, settings, report } = parts
  if (raw[name]) return values[name] ?? ''
  const setting = name === 'LLM_MODEL' ? 'llm_model' : 'llm_base_url'
  const stored = z.safeParse(Stored.llm_provider, settings['llm_provider']).data === provider
  if (!stored || !isSet(settings[setting])) return undefined
  const { data, error } = z.safeParse(Stored[setting], settings[setting])
  if (error) report(badSetting(setting, error))
  return data ?? ''
}

function isSet(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== ''
}

const remedy = 'Set it again, for example: atrium model set openai-compatible MODEL --base-url URL'

/** The fault of a value to be stored, if it has one. */
export function settingFault(setting: keyof typeof Stored, value: string): string | undefined {
  return z.safeParse(Stored[setting], value).error?.issues[0]?.message
}

/**
 * Throws when the stored provider lacks a model or an address that it needs. While `LLM_PROVIDER` is set, nothing else
 * notices that: the next start without the variable would be refused.
 */
export function checkStoredChoice(settings: Settings): void {
  const provider = z.safeParse(Stored.llm_provider, settings['llm_provider']).data
  if (provider === undefined) return
  const { needs } = providers[provider]
  const faults = (['LLM_BASE_URL', 'LLM_MODEL'] as const)
    .filter((name) => needs.includes(name) && !isSet(settings[name === 'LLM_MODEL' ? 'llm_model' : 'llm_base_url']))
    .map((name) => missing(provider, 'settings', name))
  if (faults.length > 0) throw new AppError('invalid_config', faults.join('\n'))
}

function badSetting(setting: string, error: z.core.$ZodError): string {
  const [issue] = error.issues
  const problem = issue?.code === 'invalid_type' ? 'must be a text' : issue?.message
  return `The stored setting ${setting} ${problem}. ${remedy}`
}

function missing(provider: Provider, source: ModelConfig['source'], name: 'LLM_BASE_URL' | 'LLM_MODEL'): string {
  if (source === 'environment') return fault(name, `is not set, but the provider is ${provider}`)
  return `The stored setting llm_provider is ${provider}, but ${name.toLowerCase()} is not set. ${remedy}`
}
