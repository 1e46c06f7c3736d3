// `atrium model`: which model answers.
import { loadConfig } from '#config.ts'
import { AppError } from '#core/errors.ts'
import { isProvider, type Provider, providerNames, providers } from '#core/providers.ts'
import { openHomeStore } from '#hall.ts'
import { tellService } from './attach.ts'
import { print, table } from './report.ts'
import { withStore } from './store.ts'

/** What a provider needs, in words; a script is named where the provider is. */
const needWords: Readonly<Record<string, string>> = { LLM_BASE_URL: 'a base URL', LLM_MODEL: 'a model' }

export async function listModels(options: { json?: boolean }): Promise<void> {
  await withStore(async (store) => {
    const { model } = loadConfig(await store.settings.all())
    const current = {
      provider: model.provider,
      model: model.name,
      chosen_by: model.source,
      ...(model.baseUrl && { base_url: model.baseUrl }),
    }
    const rows = providerNames.map((name) => [name === model.provider ? '*' : ' ', name, wordsOf(name)])
    print(
      options,
      { current, providers: providerNames },
      `${model.provider} ${model.name} answers (chosen by ${model.source}).\n\n${table(rows)}`,
    )
  })
}

export async function setModel(
  provider: string,
  name: string | undefined,
  { baseUrl }: { baseUrl?: string },
): Promise<void> {
  if (!isProvider(provider)) {
    throw new AppError('invalid_input', `the provider must be one of ${providerNames.join(', ')}, not ${provider}`)
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
    const { needs } = providers[provider]
    const missing = [
      ...(needs.includes('LLM_MODEL') && name === undefined ? ['MODEL'] : []),
      ...(needs.includes('LLM_BASE_URL') && baseUrl === undefined ? ['--base-url URL'] : []),
    ]
    const usage = `atrium model set ${provider} MODEL --base-url URL`
    const words = missing.length > 0 ? `${provider} needs ${missing.join(' and ')}: ${usage}` : error.message
    throw new AppError('invalid_input', words, { cause: error })
  } finally {
    await store.close()
  }
  await tellService(config.home)
}

/** A provider in words, with what it needs before it answers. */
function wordsOf(name: Provider): string {
  const { words, keys, keyed, needs } = providers[name]
  const wanted = [...(keyed ? keys.slice(0, 1) : []), ...needs.flatMap((need) => needWords[need] ?? [])]
  return wanted.length > 0 ? `${words}; needs ${wanted.join(' and ')}` : words
}

/** An absent value is null among settings: it hides what stood there. */
function mapValues(settings: Record<string, string | undefined>): Record<string, string | null> {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, value ?? null]))
}
