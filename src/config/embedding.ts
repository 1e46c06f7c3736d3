// Which model makes vectors of memory, if any: the environment's choice; what it does not say is the chat model's.
import { type embeddingProviders, providers } from '#core/providers.ts'
import type { ModelConfig } from './model.ts'
import { fault, type Given, type Report, type Values } from './variables.ts'

export type EmbeddingConfig = {
  readonly provider: (typeof embeddingProviders)[number]
  readonly model: string
  readonly baseUrl: string
  readonly apiKey?: string
  /** Sealed keys that may go to it, in the order in which they are looked for. */
  readonly keys: readonly string[]
}

type Parts = {
  readonly values: Values
  readonly given: Given
  readonly model: ModelConfig
  readonly report: Report
  readonly notify: (line: string) => void
}

export function chooseEmbedding({ values, given, model, report, notify }: Parts): EmbeddingConfig | undefined {
  const provider = values.EMBEDDING_PROVIDER
  if (provider === undefined) {
    const idle = idleNames.filter((name) => given[name] !== undefined)
    if (idle.length > 0 && !given.EMBEDDING_PROVIDER) {
      notify(`${idle.join(' and ')} without EMBEDDING_PROVIDER changes nothing: memory is searched by words.`)
    }
    return undefined
  }
  if (!given.EMBEDDING_MODEL) report(fault('EMBEDDING_MODEL', `is not set, but the provider is ${provider}`))
  const { keys, baseUrl: own } = providers[provider]
  const shared = model.provider === provider ? model : undefined
  const apart = values.EMBEDDING_BASE_URL !== undefined && values.EMBEDDING_BASE_URL !== shared?.baseUrl
  const chosen = values.EMBEDDING_BASE_URL ?? shared?.baseUrl ?? own
  if (chosen === undefined && !given.EMBEDDING_BASE_URL) {
    report(fault('EMBEDDING_BASE_URL', `is not set, but the provider is ${provider}`))
  }
  // LLM_API_KEY is for the address that answers chats; a key that is named after its provider is for all of its own.
  const fitting = keys.filter((key) => key !== 'LLM_API_KEY' || (shared !== undefined && !apart))
  const named = fitting.map((key) => values[key]).find((key) => key !== undefined)
  const apiKey = values.EMBEDDING_API_KEY ?? (apart ? undefined : shared?.apiKey) ?? named
  return {
    provider,
    model: values.EMBEDDING_MODEL ?? '',
    baseUrl: `${chosen ?? ''}${provider === 'google' && !values.EMBEDDING_BASE_URL ? '/openai' : ''}`,
    ...(apiKey !== undefined && { apiKey }),
    keys: ['EMBEDDING_API_KEY', ...fitting],
  }
}

const idleNames = ['EMBEDDING_MODEL', 'EMBEDDING_BASE_URL', 'EMBEDDING_API_KEY'] as const
