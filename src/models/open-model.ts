// Opens the model a configuration names. Each client is loaded when it is first used.
import { readFile } from 'node:fs/promises'
import { AppError } from '#core/errors.ts'
import type { Model } from '#core/model.ts'
import { type Provider, providers } from '#core/providers.ts'
import type { Log } from '#lib/log.ts'
import { type HandPrice, knowModel } from './price.ts'

export type ModelChoice = {
  readonly provider: Provider
  readonly name: string
  readonly baseUrl?: string
  readonly apiKey?: string
  readonly script?: string
  /** Set by hand; else that of the table. */
  readonly price?: HandPrice
  /** Who is asked when it cannot answer, in this order. */
  readonly fallback?: readonly ModelChoice[]
}

type Secret = (name: string) => Promise<string | undefined>

/** `secret` looks up a sealed key by the provider's customary name. */
export async function openModel(choice: ModelChoice, secret: Secret, log?: Pick<Log, 'warn'>): Promise<Model> {
  const first = await openOne(choice, secret)
  const { fallback = [] } = choice
  if (fallback.length === 0) return first
  const { createFallback } = await import('./fallback.ts')
  const others = fallback.map((each) => {
    let model: Promise<Model> | undefined
    const open = (): Promise<Model> => {
      model ??= openOne(each, secret).catch((error: unknown) => {
        model = undefined
        throw error
      })
      return model
    }
    return { label: `${each.provider}/${each.name}`, open }
  })
  return createFallback({ first, others, log })
}

async function openOne(choice: ModelChoice, secret: Secret): Promise<Model> {
  const { client } = providers[choice.provider]
  switch (client) {
    case 'offline': {
      const { createOfflineModel } = await import('./offline.ts')
      return createOfflineModel()
    }
    case 'scripted': {
      const [{ createScriptedModel }, { parseScript }] = await Promise.all([
        import('./scripted.ts'),
        import('./script.ts'),
      ])
      return createScriptedModel({ script: parseScript(await readScript(choice.script ?? '')), name: choice.name })
    }
    case 'chat': {
      const [{ createChatModel }, parts] = await Promise.all([import('./chat.ts'), partsOf(choice, secret)])
      return createChatModel({ ...parts, provider: choice.provider })
    }
    case 'anthropic': {
      const [{ createAnthropicModel }, parts] = await Promise.all([import('./anthropic.ts'), partsOf(choice, secret)])
      return createAnthropicModel(parts)
    }
    case 'google': {
      const [{ createGoogleModel }, parts] = await Promise.all([import('./google.ts'), partsOf(choice, secret)])
      return createGoogleModel(parts)
    }
    default:
      return client satisfies never
  }
}

/** What every client of a server needs. Throws model_key_missing where nothing works without a key. */
async function partsOf(choice: ModelChoice, secret: Secret) {
  const { baseUrl, keys, keyed } = providers[choice.provider]
  const sealed = choice.apiKey === undefined ? await sealedKey(keys, secret) : undefined
  const apiKey = choice.apiKey ?? sealed?.key ?? ''
  const [keyName] = keys
  if (keyed && apiKey === '') {
    const message = `${choice.provider} needs a key: set ${keyName}, or run \`atrium secret set ${keyName}\``
    throw new AppError('model_key_missing', message)
  }
  const known = await knowModel(choice)
  return {
    name: choice.name,
    baseUrl: choice.baseUrl ?? baseUrl ?? '',
    apiKey,
    keyName,
    secret: sealed?.name,
    ...known,
  }
}

/** The first of a provider's keys that is sealed here. */
async function sealedKey(keys: readonly string[], secret: Secret): Promise<{ name: string; key: string } | undefined> {
  for (const name of keys) {
    const key = await secret(name)
    if (key) return { name, key }
  }
  return undefined
}

async function readScript(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? 'unreadable'
    throw new AppError('invalid_config', `LLM_SCRIPT names ${file}, which cannot be read (${why})`, { cause: error })
  }
}
