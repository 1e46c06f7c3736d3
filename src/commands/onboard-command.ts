// `atrium onboard`: prepares a home before its first start. On a terminal it is a conversation that also connects a model;
// elsewhere it makes the folder, the key, the operator's token and the database, and connects the model of its flags.
import { existsSync } from 'node:fs'
import { loadConfig, terminalTraits } from '#config.ts'
import type { ModelTrial } from '#core/admin.ts'
import { AppError } from '#core/errors.ts'
import { choosableProviders, isProvider, providers } from '#core/providers.ts'
import { openHomeStore } from '#app/open-storage.ts'
import { homeAt, provisionedToken, tokenFile } from '#home.ts'
import { printable } from '#safety/printable.ts'
import { readSecret } from './hidden-prompt.ts'
import { type ModelAnswers, trialWords } from './onboard-model.ts'
import { pasteable, print } from './report.ts'
import { askService } from './running-service.ts'

export type OnboardOptions = {
  readonly json?: boolean
  readonly yes?: boolean
  readonly provider?: string
  readonly model?: string
  readonly baseUrl?: string
  /** Reads the key from standard input. */
  readonly keyStdin?: boolean
}

export async function onboard(options: OnboardOptions): Promise<void> {
  const given = await answersOf(options)
  const onTerminal = process.stdin.isTTY && process.stdout.isTTY && !terminalTraits().dumb
  if (onTerminal && !options.json && !options.yes) return talkThrough(given)
  if (given.provider !== undefined && !options.yes) {
    throw new AppError('invalid_input', 'without a terminal, --provider needs --yes: nothing was changed')
  }
  const fresh = !existsSync(tokenFile(homeAt(loadConfig().home)))
  const trial = given.provider === undefined ? undefined : await connect(given)
  await prepare(options, { fresh, ...(trial && { trial }) })
}

/** Tests the model and stores it. Throws the provider's fault before anything is stored. */
async function connect(given: ModelAnswers): Promise<ModelTrial> {
  if (loadConfig().model.source === 'environment')
    throw new AppError(
      'invalid_input',
      'LLM_PROVIDER in the environment wins over --provider: unset it, or leave --provider out',
    )
  const { storeAnswers, tryAnswers } = await import('./onboard-house.ts')
  const trial = await tryAnswers(given)
  await storeAnswers(given)
  return trial
}

type Before = {
  /** The home had no token. */
  readonly fresh: boolean
  readonly trial?: ModelTrial
}

/** Existing files stay as they are. The token is never printed, only the path of its file. */
async function prepare(options: OnboardOptions, { fresh, trial }: Before): Promise<void> {
  const config = loadConfig()
  const { home, store } = await openHomeStore(config)
  try {
    const file = tokenFile(home)
    provisionedToken(home)
    const { model } = loadConfig(await store.settings.all())
    const replaced = config.operatorToken !== undefined
    const data = {
      home: home.path,
      token_file: file,
      token_made: fresh,
      token_replaced: replaced,
      database: store.backend,
      provider: model.provider,
      model: model.name,
      ...(trial && { reply: trial.words, ms: trial.ms, cost_usd: trial.usage.costUsd }),
    }
    const token = replaced
      ? 'SERVICE_REBORN_WEBUI_TOKEN is set: it replaces the token in the file.'
      : `The operator's token ${fresh ? 'is new' : 'was there already'}: ${file}`
    const next = model.provider === 'offline' ? ['Connect a model:  atrium model list'] : []
    const answered = trial ? [printable(trialWords(trial))] : []
    const lines = [`${home.path} is ready.`, token, ...answered, '', ...next, 'Start the service:  atrium serve']
    print(options, data, lines.join('\n'))
  } finally {
    await store.close()
  }
}

async function talkThrough(given: ModelAnswers): Promise<void> {
  const [{ openTalk }, { converse }, { openHouse }] = await Promise.all([
    import('./talk.ts'),
    import('./onboard-talk.ts'),
    import('./onboard-house.ts'),
  ])
  const [talk, house] = await Promise.all([openTalk(), openHouse()])
  talk.open('Atrium')
  await converse(talk, house, given)
  const signIn = (await askService('/login', {})) as { link: string } | undefined
  if (signIn) return talk.close(`Open ${signIn.link}  (it works once, within ten minutes)`)
  const what = await talk.choose<'start' | 'later'>('All set. Start Atrium now?', [
    { value: 'start', label: 'Yes', hint: 'a chat in this terminal, and the page' },
    { value: 'later', label: 'Later' },
  ])
  if (what === 'later')
    return talk.close(pasteable('Start it with atrium serve, then atrium login prints the link to the page.'))
  talk.close('The link to the page is on the first screen.')
  await (await import('./start-command.ts')).start()
}

/** The answers that the flags give. Throws invalid_input for those that do not fit together. */
async function answersOf({ provider, model, baseUrl, keyStdin, yes }: OnboardOptions): Promise<ModelAnswers> {
  if (provider === undefined) {
    if (model === undefined && baseUrl === undefined && !keyStdin) return {}
    throw new AppError('invalid_input', '--model, --base-url and --key-stdin need --provider')
  }
  if (!isProvider(provider) || provider === 'scripted') {
    throw new AppError('invalid_input', `--provider must be one of ${choosableProviders.join(', ')}, not ${provider}`)
  }
  const key = keyStdin ? { typed: (await readSecret('Key: ')).trim() } : undefined
  // A conversation asks for the model.
  const name = model ?? (yes ? providers[provider].model : undefined)
  return {
    provider,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(key && { key }),
    ...(name !== undefined && provider !== 'offline' && { name }),
  }
}
