// `atrium model`: shows, tests and sets the model in use, and what other providers need.
import { type Config, loadConfig } from '#config.ts'
import type { ModelView, SettingsView } from '#core/admin.ts'
import { checkStoredChoice, choiceName, modelWords, offeredModels, settingFault } from '#config/model.ts'
import { AppError } from '#core/errors.ts'
import { choosableProviders, isProvider, type Provider, providers } from '#core/providers.ts'
import type { Settings, Store } from '#core/store.ts'
import { costWords, countWords, durationWords, numberWords } from '#core/words.ts'
import { openHomeStore } from '#app/open-storage.ts'
import { keeping } from '#app/recent-models.ts'
import { missingOf, offeredProviders } from '#app/model-choices.ts'
import { tryChoice } from '#app/try-choice.ts'
import { ollamaAnswers } from '#models/ollama.ts'
import { openModel } from '#models/open-model.ts'
import { tryModel } from '#models/trial.ts'
import { type RunningService, runningService } from './running-service.ts'
import { callService } from './service-client.ts'
import { type ServiceModel, serviceModel, serviceModelMs } from './service-model.ts'
import { paint, print, say, table } from './report.ts'
import { withStore } from './home-store.ts'

/** Where the choice comes from, in words. */
const sources = {
  environment: 'by LLM_PROVIDER',
  settings: 'by atrium model set',
  key: 'since its key is in the environment',
  default: 'since no other is chosen',
} as const

export async function listModels(options: { json?: boolean }): Promise<void> {
  const service = await serviceModel(loadConfig().home)
  const { current, known } = service ? inService(service) : await inStore()
  const { provider, fallback = [], offered = [] } = current
  const hasOllama = options.json || provider === 'ollama' || (await ollamaAnswers())
  const rows = known.map(({ name, words, missing }) => {
    const needed = name === 'ollama' && !hasOllama ? ['a running Ollama'] : missing
    const needs = needed.length > 0 ? `needs ${needed.join(' and ')}` : 'ready'
    return [name === provider ? '*' : ' ', name, words, needs]
  })
  const next = fallback.length > 0 ? ` Fallback: ${fallback.join(', then ')}.` : ''
  const others = offered.length > 0 ? ` A thread may use another: ${offered.join(', ')}.` : ''
  const why = `${sources[current.chosen_by]}${service ? ', in the running service' : ''}`
  const first = `${modelWords({ provider, name: current.model })} answers (chosen ${why}).${next}${others}`
  const data = { current, providers: known.map(({ name, missing }) => ({ name, missing })) }
  const hint =
    provider === 'offline' ? '\n\nConnect a real one: atrium onboard, or atrium model set PROVIDER [MODEL]' : ''
  print(options, data, `${first}\n\n${table(rows)}${hint}`)
}

type InUse = {
  readonly current: {
    readonly provider: string
    readonly model: string
    readonly chosen_by: keyof typeof sources
    readonly base_url?: string
    readonly fallback?: readonly string[]
    readonly offered?: readonly string[]
  }
  readonly known: readonly { readonly name: string; readonly words: string; readonly missing: readonly string[] }[]
}

function inService({ model, models, providers: known }: ServiceModel): InUse {
  const named = (role: ModelView['role']): string[] => models.filter((each) => each.role === role).map(choiceName)
  const fallback = named('fallback')
  const offered = [...new Set([...named('offered'), ...fallback])].filter((name) => name !== choiceName(model))
  return { current: currentOf({ ...model, source: model.chosenBy }, { fallback, offered }), known }
}

/** Without a service the environment of this command stands for that of the next start. */
async function inStore(): Promise<InUse> {
  return withStore(async (store) => {
    const config = loadConfig(await store.settings.all())
    const { model } = config
    const fallback = (model.fallback ?? []).map(choiceName)
    const sealed = (await store.secrets.list()).map(({ name }) => name)
    const known = offeredProviders(config).map((name) => ({
      name,
      words: providers[name].words,
      missing: missingOf(name, config, sealed),
    }))
    return { current: currentOf(model, { fallback, offered: offeredModels(model).map(choiceName) }), known }
  })
}

function currentOf(
  { provider, name, source, baseUrl }: Omit<Config['model'], 'provider' | 'fallback'> & { readonly provider: string },
  { fallback, offered }: { readonly fallback: readonly string[]; readonly offered: readonly string[] },
): InUse['current'] {
  return {
    provider,
    model: name,
    chosen_by: source,
    ...(baseUrl && { base_url: baseUrl }),
    ...(fallback.length > 0 && { fallback }),
    ...(offered.length > 0 && { offered }),
  }
}

/** Makes one short call of the model in use and prints its reply, time and cost. */
export async function testModel(options: { json?: boolean }): Promise<void> {
  const service = await serviceModel(loadConfig().home)
  const { provider, trial } = service
    ? { provider: service.model.provider, trial: await service.test() }
    : await withStore(async (store) => {
        const config = loadConfig(await store.settings.all())
        return { provider: config.model.provider, trial: await tryIt(store, config) }
      })
  const { words, usage, model: answered, ms } = trial
  const data = {
    provider,
    model: answered,
    words,
    ms,
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cost_usd: usage.costUsd,
  }
  const reply = words === '' ? 'without words' : JSON.stringify(words)
  const took = `${countWords(usage.inputTokens, 'token')} in, ${numberWords(usage.outputTokens)} out, ${costWords(usage.costUsd)}`
  print(options, data, `${answered} answered after ${durationWords(ms)}: ${reply}\n${took}`)
}

type Choice = {
  readonly baseUrl?: string
  readonly fallback?: string
  /** Stores the choice without a test. */
  readonly force?: boolean
  /** It was tested already. */
  readonly tested?: boolean
}

export async function setModel(provider: string, name: string | undefined, choice: Choice): Promise<void> {
  const tell = (words: string): void => void (process.stderr.isTTY && process.stderr.write(paint('2', `${words}\n`)))
  say(await storeModel(provider, name, { ...choice, tell }))
}

/**
 * Tests a choice and stores it; returns the outcome in words. A running service does both, with its own environment and
 * keys, and uses the choice from then on. Throws when it does not answer: the model in use stays.
 */
export async function storeModel(
  provider: string,
  name: string | undefined,
  { baseUrl, fallback, force = false, tested = false, tell }: Choice & { readonly tell?: (words: string) => void },
): Promise<string> {
  if (!isProvider(provider)) {
    throw new AppError('invalid_input', `the provider must be one of ${choosableProviders.join(', ')}, not ${provider}`)
  }
  checkChoice(provider, { name, baseUrl, fallback })
  const settings: Changes = { llm_provider: provider, llm_model: name, llm_base_url: baseUrl, llm_fallback: fallback }
  const config = loadConfig()
  const asking = (model: string): void => void (force || tested || tell?.(`Asking ${model} …`))
  try {
    const service = await runningService(config.home)
    if (service) asking(name === undefined ? provider : `${provider} ${name}`)
    const model = service
      ? await setInService(service, { settings: mapValues(settings), force: force || tested })
      : await setInStore(config, { settings, force: force || tested, asking })
    if (model.chosenBy === 'environment')
      return `Stored without a test: LLM_PROVIDER in the environment wins, and ${modelWords(model)} answers.`
    return `${modelWords(model)} ${force ? 'is stored without a test.' : 'answers from now on.'}`
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code.startsWith('model_')) {
      const message = `${error.message} (the model in use stays; --force stores this one without a test)`
      throw new AppError(error.code, message, { cause: error })
    }
    if (error.code !== 'invalid_config' && error.code !== 'invalid_input') throw error
    throw new AppError('invalid_input', usageOf(provider, { name, baseUrl }) ?? error.message, { cause: error })
  }
}

type Changes = Record<string, string | undefined>
type SetModel = Pick<SettingsView['model'], 'provider' | 'name' | 'chosenBy'>

async function setInService({ socket }: RunningService, body: object): Promise<SetModel> {
  const model = await callService(socket, { method: 'POST', path: '/model', body, withinMs: serviceModelMs })
  return model as SetModel
}

/** Without a service the environment of this command stands for that of the next start. */
async function setInStore(
  config: Config,
  { settings, force, asking }: { settings: Changes; force: boolean; asking: (model: string) => void },
): Promise<SetModel> {
  const { store } = await openHomeStore(config)
  try {
    // Check as the start does, before anything is written.
    const withThese = (stored: Settings): Config => loadConfig({ ...stored, ...mapValues(settings) })
    const { model, proxy } = withThese(await store.settings.all())
    if (model.source === 'environment') checkStoredChoice(mapValues(settings))
    if (model.source !== 'environment' && !force) {
      asking(modelWords(model))
      await tryChoice(model, { secrets: store.secrets, proxy })
    }
    await store.settings.change((stored) => {
      withThese(stored)
      const { llm_kept } = keeping(stored, mapValues(settings))
      return { ...settings, ...(llm_kept && { llm_kept }) }
    })
    return { provider: model.provider, name: model.name, chosenBy: model.source }
  } finally {
    await store.close()
  }
}

type ChoiceArguments = {
  readonly name: string | undefined
  readonly baseUrl: string | undefined
  readonly fallback: string | undefined
}

/** Checks each argument by itself, so that the error names it as the command line does. */
function checkChoice(provider: Provider, { name, baseUrl, fallback }: ChoiceArguments): void {
  const rows = [
    ['MODEL', 'llm_model', name],
    ['--base-url', 'llm_base_url', baseUrl],
    ['--fallback', 'llm_fallback', fallback],
  ] as const
  const given = rows.flatMap(([word, , value]) => (value === undefined ? [] : [word]))
  if (provider === 'offline' && given.length > 0)
    throw new AppError('invalid_input', `offline is one small built-in model: it takes no ${given.join(' and no ')}`)
  if (provider === 'scripted' && baseUrl !== undefined)
    throw new AppError('invalid_input', 'scripted reads the file that LLM_SCRIPT names: it takes no --base-url')
  for (const [word, setting, value] of rows) {
    const wrong = value === undefined ? undefined : settingFault(setting, value)
    if (wrong) throw new AppError('invalid_input', `${word} ${wrong}`)
  }
}

/** Tests the model itself, without its fallbacks. */
async function tryIt(store: Store, { model, proxy }: Config) {
  return tryModel(await openModel({ ...model, fallback: [] }, { secret: (name) => store.secrets.get(name), proxy }))
}

/** The correct usage when a required argument is missing. */
function usageOf(provider: Provider, { name, baseUrl }: { name?: string | undefined; baseUrl?: string | undefined }) {
  const { needs } = providers[provider]
  const missing = [
    ...(needs.includes('LLM_MODEL') && name === undefined ? ['MODEL'] : []),
    ...(needs.includes('LLM_BASE_URL') && baseUrl === undefined ? ['--base-url URL'] : []),
  ]
  if (missing.length === 0) return undefined
  return `${provider} needs ${missing.join(' and ')}: atrium model set ${provider} MODEL --base-url URL`
}

/** Settings with null for absent values, which overrides a stored value. */
function mapValues(settings: Record<string, string | undefined>): Record<string, string | null> {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, value ?? null]))
}
