// Opens the model a configuration names. Each provider is loaded when it is first used.
import { readFile } from 'node:fs/promises'
import { AppError } from '#core/errors.ts'
import type { Model } from '#core/model.ts'

export type ModelChoice = {
  readonly provider: string
  readonly name: string
  readonly baseUrl?: string
  readonly apiKey?: string
  readonly script?: string
}

const openAiUrl = 'https://api.openai.com/v1'
const ollamaUrl = 'http://127.0.0.1:11434/v1'

/** `secret` looks up a sealed key by the provider's customary name. */
export async function openModel(
  choice: ModelChoice,
  secret: (name: string) => Promise<string | undefined>,
): Promise<Model> {
  switch (choice.provider) {
    case 'offline': {
      const { createOfflineModel } = await import('./offline.ts')
      return createOfflineModel({})
    }
    case 'scripted': {
      const [{ createScriptedModel }, { parseScript }] = await Promise.all([
        import('./scripted.ts'),
        import('./script.ts'),
      ])
      return createScriptedModel({ script: parseScript(await readScript(choice.script ?? '')), name: choice.name })
    }
    case 'openai': {
      const apiKey = choice.apiKey ?? (await secret('OPENAI_API_KEY'))
      if (!apiKey) {
        throw new AppError(
          'model_key_missing',
          'openai needs a key: set OPENAI_API_KEY, or run `atrium secret set OPENAI_API_KEY`',
        )
      }
      return openChat({ ...choice, apiKey, baseUrl: choice.baseUrl ?? openAiUrl })
    }
    case 'openai-compatible': {
      const apiKey = choice.apiKey ?? (await secret('LLM_API_KEY'))
      return openChat({ ...choice, ...(apiKey && { apiKey }) })
    }
    case 'ollama':
      return openChat({ ...choice, baseUrl: choice.baseUrl ?? ollamaUrl })
    default:
      throw new AppError(
        'model_unknown',
        `${choice.provider} is not a provider of this version: see \`atrium model list\``,
      )
  }
}

async function openChat(choice: ModelChoice): Promise<Model> {
  const { createChatModel } = await import('./chat.ts')
  const { provider, name, baseUrl = '', apiKey } = choice
  return createChatModel({ provider, name, baseUrl, ...(apiKey && { apiKey }) })
}

async function readScript(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? 'unreadable'
    throw new AppError('invalid_config', `LLM_SCRIPT names ${file}, which cannot be read (${why})`, { cause: error })
  }
}
