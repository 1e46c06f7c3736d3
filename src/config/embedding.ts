// The embedding model for memory search, if any. The environment chooses it; unset values come from the chat model.
import { type embeddingProviders, providers } from '#core/providers.ts'
import { embeddingSecret } from '#core/secret.ts'
import type { ModelConfig } from './model.ts'
import { fault, type RawValues, type Report, type Values } from './variables.ts'

export type EmbeddingConfig = {
  readonly provider: (typeof embeddingProviders)[number]
  readonly model: string
  readonly baseUrl: string
  readonly apiKey?: string
  /** Names of sealed keys that may be sent to it, in the order of lookup. */
  readonly keys: readonly string[]
}

type Parts = {
  readonly values: Values
  readonly raw: RawValues
  readonly model: ModelConfig
  readonly report: Report
  readonly notify: (line: string) => void
}

export function chooseEmbedding({ values, raw, model, report, notify }: Parts): EmbeddingConfig | undefined {
  const provider = values.EMBEDDING_PROVIDER
  if (provider === undefined) {
    const idle = idleNames.filter((name) => raw[name] !== undefined)
    if (idle.length > 0 && !raw.EMBEDDING_PROVIDER) {
      notify(`${idle.join(' and ')} without EMBEDDING_PROVIDER has no effect: memory is searched by words only.`)
    }
    return undefined
  }
  if (!raw.EMBEDDING_MODEL) report(fault('EMBEDDING_MODEL', `is not set, but the provider is ${provider}`))
  const { keys, baseUrl: own } = providers[provider]
  const shared = model.provider === provider ? model : undefined
  const apart = values.EMBEDDING_BASE_URL !== undefined && values.EMBEDDING_BASE_URL !== shared?.baseUrl
  const chosen = values.EMBEDDING_BASE_URL ?? shared?.baseUrl ?? own
  if (chosen === undefined && !raw.EMBEDDING_BASE_URL) {
    report(fault('EMBEDDING_BASE_URL', `is not set, but the provider is ${provider}`))
  }
  // LLM_API_KEY may go only to the chat model's address; a provider's own key may go to any address of that provider.
  const fitting = keys.filter((key) => key !== 'LLM_API_KEY' || (shared !== undefined && !apart))
  const named = fitting.map((key) => values[key]).find((key) => key !== undefined)
  const apiKey = values[embeddingSecret] ?? (apart ? undefined : shared?.apiKey) ?? named
  return {
    provider,
    model: values.EMBEDDING_MODEL ?? '',
    baseUrl: `${chosen ?? ''}${provider === 'google' && !values.EMBEDDING_BASE_URL ? '/openai' : ''}`,
    ...(apiKey !== undefined && { apiKey }),
    keys: [embeddingSecret, ...fitting],
  }
}

const idleNames = ['EMBEDDING_MODEL', 'EMBEDDING_BASE_URL', embeddingSecret] as const
