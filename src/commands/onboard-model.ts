// The choice of a model in `atrium onboard`: which question comes next, and what the answers mean. Pure.
import type { ModelTrial } from '#core/admin.ts'
import type { ErrorCode } from '#core/errors.ts'
import { choosableProviders, type Provider, providers } from '#core/providers.ts'
import { costWords, countWords, durationWords } from '#core/words.ts'

/** The answers so far. A question whose answer was taken back is asked again. */
export type ModelAnswers = {
  readonly provider?: Provider
  readonly baseUrl?: string
  /** A key that was typed. `kept` stands for the one in the environment or the store, or for none. */
  readonly key?: { readonly typed: string } | 'kept'
  readonly name?: string
  readonly outcome?: { readonly trial: ModelTrial } | { readonly fault: ErrorCode }
}

/** Facts that are known before the first question. */
export type ModelFacts = {
  /** The models of an Ollama that answers on this machine. */
  readonly ollama?: readonly string[]
  /** Names of the keys that the environment sets: they win over a stored one. */
  readonly environmentKeys: readonly string[]
  /** Names of the keys that are stored, sealed. */
  readonly sealedKeys: readonly string[]
}

export type ModelQuestion = 'provider' | 'address' | 'key' | 'name' | 'test' | 'repair' | 'confirm'

/** The first question without an answer. */
export function nextQuestion(answers: ModelAnswers, facts: ModelFacts): ModelQuestion {
  const { provider, baseUrl, key, name, outcome } = answers
  if (provider === undefined) return 'provider'
  const { needs } = providers[provider]
  if (needs.includes('LLM_BASE_URL') && baseUrl === undefined) return 'address'
  if (asksKey(provider, facts) && key === undefined) return 'key'
  if (provider !== 'offline' && name === undefined) return 'name'
  if (outcome === undefined) return 'test'
  return 'fault' in outcome ? 'repair' : 'confirm'
}

/** A key of the environment cannot be replaced by a stored one. */
function asksKey(provider: Provider, { environmentKeys }: ModelFacts): boolean {
  const { keys } = providers[provider]
  return keys.length > 0 && !keys.some((key) => environmentKeys.includes(key))
}

export type Repair = 'key' | 'name' | 'address' | 'provider' | 'again'

/** The answer that most likely caused a fault. */
const causes: { readonly [C in ErrorCode]?: Repair } = {
  model_key_missing: 'key',
  model_unauthorized: 'key',
  model_unknown: 'name',
  model_unreachable: 'address',
}

/** Ways on from a model that did not answer, the likeliest first. */
export function repairsOf({ provider = 'offline', outcome }: ModelAnswers, facts: ModelFacts): readonly Repair[] {
  const possible: Repair[] = [
    'again',
    ...(asksKey(provider, facts) ? (['key'] as const) : []),
    ...(provider === 'offline' ? [] : (['name'] as const)),
    ...(providers[provider].needs.includes('LLM_BASE_URL') ? (['address'] as const) : []),
    'provider',
  ]
  const first = outcome && 'fault' in outcome ? causes[outcome.fault] : undefined
  return [...possible.filter((each) => each === first), ...possible.filter((each) => each !== first)]
}

/** The answers without the one that a repair asks for again. */
export function withoutAnswer(answers: ModelAnswers, repair: Repair): ModelAnswers {
  if (repair === 'provider') return {}
  const dropped = { again: 'outcome', key: 'key', name: 'name', address: 'baseUrl' }[repair]
  return Object.fromEntries(Object.entries(answers).filter(([name]) => name !== dropped && name !== 'outcome'))
}

export type ProviderOption = { readonly value: Provider; readonly label: string; readonly hint?: string }

/** The providers to choose from: an Ollama that answers first, then those with a key. */
export function providerOptions({ ollama, environmentKeys, sealedKeys }: ModelFacts): ProviderOption[] {
  const keys = [...environmentKeys, ...sealedKeys]
  const hintOf = (name: Provider): string | undefined => {
    if (name === 'ollama' && ollama) return `found on this machine, ${countWords(ollama.length, 'model')}`
    return providers[name].keys.some((key) => keys.includes(key)) ? 'its key is here already' : undefined
  }
  const rank = (name: Provider): number =>
    name === 'offline' ? 3 : hintOf(name) === undefined ? 2 : name === 'ollama' ? 0 : 1
  return choosableProviders
    .toSorted((one, other) => rank(one) - rank(other))
    .map((value) => {
      const hint = hintOf(value)
      return { value, label: providers[value].words, ...(hint !== undefined && { hint }) }
    })
}

/** The reply of a model: what it said, how long it took, what it cost. */
export function trialWords({ model, words, ms, usage }: ModelTrial): string {
  const said = words === '' ? 'without words' : JSON.stringify(words)
  return `${model} answered ${said} after ${durationWords(ms)}, ${costWords(usage.costUsd)}.`
}

/** Provider and model in words. */
export function choiceWords({ provider = 'offline', name }: ModelAnswers): string {
  return name === undefined || name === provider ? provider : `${provider} ${name}`
}
