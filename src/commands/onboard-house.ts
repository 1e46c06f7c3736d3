// The effects of `atrium onboard`: it reads and changes the home, the store and the file of the service's variables.
import { randomBytes } from 'node:crypto'
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { type Config, loadConfig, serviceEnvironment } from '#config.ts'
import { modelWords, settingFault } from '#config/model.ts'
import { userNamePattern, userNameRule } from '#core/account.ts'
import type { ModelTrial } from '#core/admin.ts'
import { providers } from '#core/providers.ts'
import type { Settings, Store } from '#core/store.ts'
import { openHomeStore } from '#app/open-storage.ts'
import { homeAt, provisionedToken } from '#home.ts'
import { hashToken, newToken } from '#lib/token.ts'
import { ollamaModels } from '#models/ollama.ts'
import { openModel } from '#models/open-model.ts'
import { tryModel } from '#models/trial.ts'
import { newestVersion } from '#store/migrations.ts'
import { openExisting, type Secret } from './existing-store.ts'
import { storeModel } from './model-command.ts'
import type { ModelAnswers } from './onboard-model.ts'
import type { OnboardHouse } from './onboard-talk.ts'
import { reloadService, runningService } from './running-service.ts'
import { variablesFile } from './service-command.ts'

export async function openHouse(): Promise<OnboardHouse> {
  const { settings, sealedKeys, users } = await readStored(loadConfig())
  const config = loadConfig(settings)
  const { home, model, gateway, webhook, environmentKeys } = config
  const ollama = await ollamaModels()
  const file = variablesFile()
  const fixed = serviceEnvironment().variables.includes('GATEWAY_PORT')
  const served = (await runningService(home)) !== undefined
  return {
    facts: { ...(ollama && { ollama }), environmentKeys, sealedKeys },
    model: { words: modelWords(model), fixed: model.source === 'environment' },
    tryModel: tryAnswers,
    storeModel: storeAnswers,
    addressFault: (text) => settingFault('llm_base_url', text),
    nameFault: (text) => settingFault('llm_model', text),
    userFault: (name) => (userNamePattern.test(name) ? undefined : `A user name has ${userNameRule}.`),
    page: { host: gateway.host, port: gateway.port, fixed, served },
    portTaken: (port) => isTaken(gateway.host, port),
    storePort: (port) => changing(({ settings: stored }) => stored.change(() => ({ gateway_port: port }))),
    webhook: { on: webhook.enabled, file },
    storeWebhook: () => writeWebhookSecret(file),
    users,
    async addUser(name) {
      const token = newToken()
      await changing(({ accounts }) => accounts.addUser(name, { hash: hashToken(token) }))
      return token
    },
    newTopic: `https://ntfy.sh/atrium-${randomBytes(8).toString('hex')}`,
    async addNtfy(url) {
      await changing(() => Promise.resolve())
      await (await import('./notify-command.ts')).addWay('ntfy', url, {})
    },
    connectTelegram: async (token) => (await import('./telegram-command.ts')).connectTelegram(token),
  }
}

/** The stored state. Reading it creates no home, key or table, and migrates no database. */
async function readStored(
  config: Config,
): Promise<{ settings: Settings; sealedKeys: readonly string[]; users: readonly string[] }> {
  const opened = await openExisting(homeAt(config.home), config)
  if (!opened) return { settings: {}, sealedKeys: [], users: [] }
  const { store, version } = opened
  try {
    const current = version === newestVersion
    return {
      settings: await store.settings.all(),
      sealedKeys: current ? (await store.secrets.list()).map(({ name }) => name) : [],
      users: current ? (await store.accounts.listUsers()).map(({ name }) => name) : [],
    }
  } finally {
    await store.close()
  }
}

/** Changes the store of a home, which the first change prepares as the first start would. */
async function changing<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const { home, store } = await openHomeStore(loadConfig())
  try {
    provisionedToken(home)
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Asks the model for one word with the answers alone: nothing is stored. */
export async function tryAnswers({ provider = 'offline', name, baseUrl, key }: ModelAnswers): Promise<ModelTrial> {
  const given = { llm_provider: provider, llm_model: name ?? null, llm_base_url: baseUrl ?? null }
  const config = loadConfig(given)
  const { model, proxy } = config
  const typed = typeof key === 'object' ? { apiKey: key.typed } : {}
  const opened = await openExisting(homeAt(config.home), config)
  try {
    const sealed: Secret = (name) => opened?.secret(name) ?? Promise.resolve(undefined)
    return await tryModel(await openModel({ ...model, ...typed, fallback: [] }, { secret: sealed, proxy }))
  } finally {
    await opened?.store.close()
  }
}

/** Stores the key, then the choice. A running service uses both at once. */
export async function storeAnswers({ provider = 'offline', name, baseUrl, key }: ModelAnswers): Promise<string> {
  const [keyName] = providers[provider].keys
  if (typeof key === 'object' && keyName !== undefined) {
    await changing(({ secrets }) => secrets.set(keyName, key.typed))
    await reloadService()
  } else await changing(() => Promise.resolve())
  return storeModel(provider, name, { ...(baseUrl !== undefined && { baseUrl }), tested: true })
}

function isTaken(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(true))
    server.listen(port, host, () => server.close(() => resolve(false)))
  })
}

/** The webhook's secret in the file of the service's variables: the one that is there already, else a new one. */
export function writeWebhookSecret(file: string): string {
  const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const inUse = before.match(/^[ \t]*HTTP_WEBHOOK_SECRET=(.+)$/gm)?.at(-1)
  const value = inUse
    ?.slice(inUse.indexOf('=') + 1)
    .trim()
    .replace(/^(["'])(.*)\1$/, '$2')
  if (value) return value
  const secret = randomBytes(32).toString('hex')
  mkdirSync(dirname(file), { recursive: true })
  // Closed to others before the secret is in it.
  if (existsSync(file)) chmodSync(file, 0o600)
  const gap = before === '' || before.endsWith('\n') ? '' : '\n'
  appendFileSync(file, `${gap}HTTP_WEBHOOK_SECRET=${secret}\n`, { mode: 0o600 })
  return secret
}
