// `atrium model`: which model answers.
import { loadConfig } from '#config.ts'
import { providers } from '#config/variables.ts'
import { AppError } from '#core/errors.ts'
import { openHomeStore } from '#hall.ts'
import { tellService } from './attach.ts'
import { print, table } from './report.ts'
import { withStore } from './store.ts'

const words: Readonly<Record<string, string>> = {
  offline: 'the built-in model: no key, no network, little wit',
  scripted: 'replies from a file (LLM_SCRIPT), for tests',
  openai: 'OpenAI; needs OPENAI_API_KEY',
  'openai-compatible': 'any server that speaks the OpenAI chat wire; needs a base URL and a model',
  ollama: 'a local Ollama',
}

export async function listModels(options: { json?: boolean }): Promise<void> {
  await withStore(async (store) => {
    const { model } = loadConfig(await store.settings.all())
    const current = {
      provider: model.provider,
      model: model.name,
      chosen_by: model.source,
      ...(model.baseUrl && { base_url: model.baseUrl }),
    }
    const rows = providers.map((name) => [name === model.provider ? '*' : ' ', name, words[name] ?? ''])
    print(
      options,
      { current, providers },
      `${model.provider} ${model.name} answers (chosen by ${model.source}).\n\n${table(rows)}`,
    )
  })
}

export async function setModel(
  provider: string,
  name: string | undefined,
  { baseUrl }: { baseUrl?: string },
): Promise<void> {
  if (!(providers as readonly string[]).includes(provider)) {
    throw new AppError('invalid_input', `the provider must be one of ${providers.join(', ')}, not ${provider}`)
  }
  const config = loadConfig()
  const { store } = await openHomeStore(config)
  try {
    const before = await store.settings.all()
    const settings: Record<string, string | undefined> = {
      llm_provider: provider,
      llm_model: name,
      llm_base_url: baseUrl,
    }
    // What is stored must be good: the same check that the start makes, before anything is written.
    const { model } = loadConfig({ ...before, ...mapValues(settings) })
    for (const [key, value] of Object.entries(settings)) await store.settings.set(key, value)
    process.stdout.write(
      model.source === 'environment'
        ? `Stored, but LLM_PROVIDER in the environment wins: ${model.provider} ${model.name} answers.\n`
        : `${model.provider} ${model.name} answers from now on.\n`,
    )
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'invalid_config')) throw error
    const missing = [...(name === undefined ? ['MODEL'] : []), ...(baseUrl === undefined ? ['--base-url URL'] : [])]
    const usage = `atrium model set openai-compatible MODEL --base-url URL`
    const needs = provider === 'openai-compatible' && missing.length > 0
    const words = needs ? `openai-compatible needs ${missing.join(' and ')}: ${usage}` : error.message
    throw new AppError('invalid_input', words, { cause: error })
  } finally {
    await store.close()
  }
  await tellService(config.home)
}

/** An absent value is null among settings: it hides what stood there. */
function mapValues(settings: Record<string, string | undefined>): Record<string, string | null> {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, value ?? null]))
}
