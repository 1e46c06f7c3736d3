// Opens the model a configuration names. Each client is loaded when it is first used.
import { readFile } from 'node:fs/promises'
import { AppError } from '#core/errors.ts'
import type { Model } from '#core/model.ts'
import { type Provider, providers } from '#core/providers.ts'

export type ModelChoice = {
  readonly provider: Provider
  readonly name: string
  readonly baseUrl?: string
  readonly apiKey?: string
  readonly script?: string
}

/** `secret` looks up a sealed key by the provider's customary name. */
export async function openModel(
  choice: ModelChoice,
  secret: (name: string) => Promise<string | undefined>,
): Promise<Model> {
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
      const apiKey = choice.apiKey ?? (await sealedKey(choice.provider, secret))
      const { createChatModel } = await import('./chat.ts')
      const { provider, name, baseUrl = providers[provider].baseUrl ?? '' } = choice
      return createChatModel({ provider, name, baseUrl, ...(apiKey && { apiKey }) })
    }
    default:
      return client satisfies never
  }
}

/** The first of a provider's keys that is sealed here. Throws model_key_missing where nothing works without one. */
async function sealedKey(
  provider: Provider,
  secret: (name: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  const { keys, keyed } = providers[provider]
  for (const name of keys) {
    const key = await secret(name)
    if (key) return key
  }
  if (!keyed) return undefined
  const [name] = keys
  throw new AppError('model_key_missing', `${provider} needs a key: set ${name}, or run \`atrium secret set ${name}\``)
}

async function readScript(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? 'unreadable'
    throw new AppError('invalid_config', `LLM_SCRIPT names ${file}, which cannot be read (${why})`, { cause: error })
  }
}
