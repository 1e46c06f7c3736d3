// Opens the model that the configuration names. Each client is loaded on first use.
import { AppError } from '#core/errors.ts'
import type { Model } from '#core/model.ts'
import { type Provider, providers } from '#core/providers.ts'
import type { ProxySettings } from '#core/proxy.ts'
import { firstSecret } from '#core/secret.ts'
import { loadOnce } from '#lib/load-once.ts'
import type { Log } from '#lib/log.ts'
import { type ManualPrice, lookUpModel } from './price.ts'

export type ModelChoice = {
  readonly provider: Provider
  readonly name: string
  readonly baseUrl?: string
  readonly apiKey?: string
  readonly script?: string
  /** The operator's price; without it, the price table's. */
  readonly price?: ManualPrice
  /** Models to ask when this one cannot answer, in order. */
  readonly fallback?: readonly ModelChoice[]
}

export type ModelSources = {
  /** Looks up a sealed key by name, such as OPENAI_API_KEY. */
  readonly secret: (name: string) => Promise<string | undefined>
  readonly proxy: ProxySettings
  /** The context window of models whose own is not known, in tokens. */
  readonly window?: number | undefined
  readonly log?: Pick<Log, 'warn'>
}

export async function openModel(choice: ModelChoice, sources: ModelSources): Promise<Model> {
  const first = await openOne(choice, sources)
  const { fallback = [] } = choice
  if (fallback.length === 0) return first
  const { createFallback } = await import('./fallback.ts')
  const others = fallback.map((each) => ({
    label: `${each.provider}/${each.name}`,
    open: loadOnce(() => openOne(each, sources)),
  }))
  return createFallback({ first, others, log: sources.log })
}

async function openOne(choice: ModelChoice, sources: ModelSources): Promise<Model> {
  const { client } = providers[choice.provider]
  switch (client) {
    case 'offline': {
      const { createOfflineModel } = await import('./offline.ts')
      return createOfflineModel()
    }
    case 'scripted': {
      const [{ createScriptedModel }, { readScript }] = await Promise.all([
        import('./scripted.ts'),
        import('./script.ts'),
      ])
      return createScriptedModel({ script: await readScript(choice.script ?? ''), name: choice.name })
    }
    case 'chat': {
      const [{ createChatModel }, parts] = await Promise.all([import('./chat.ts'), partsOf(choice, sources)])
      return createChatModel({ ...parts, provider: choice.provider })
    }
    case 'anthropic': {
      const [{ createAnthropicModel }, parts] = await Promise.all([import('./anthropic.ts'), partsOf(choice, sources)])
      return createAnthropicModel(parts)
    }
    case 'google': {
      const [{ createGoogleModel }, parts] = await Promise.all([import('./google.ts'), partsOf(choice, sources)])
      return createGoogleModel(parts)
    }
    default:
      return client satisfies never
  }
}

/** The options that every client of a server takes. Throws model_key_missing if the provider needs a key. */
async function partsOf(choice: ModelChoice, { secret, proxy, window }: ModelSources) {
  const { baseUrl, keys, keyed } = providers[choice.provider]
  const sealed = choice.apiKey === undefined ? await firstSecret(keys, secret) : undefined
  const apiKey = choice.apiKey ?? sealed?.value ?? ''
  const [keyName] = keys
  if (keyed && apiKey === '') {
    const message = `${choice.provider} needs a key: set ${keyName}, or run \`atrium secret set ${keyName}\``
    throw new AppError('model_key_missing', message)
  }
  const known = await lookUpModel(choice)
  return {
    name: choice.name,
    baseUrl: choice.baseUrl ?? baseUrl ?? '',
    apiKey,
    keyName,
    secret: sealed?.name,
    proxy,
    window,
    ...known,
  }
}
