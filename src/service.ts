// The running service: opens the app and the doors, and stops them. With app.ts, the only place that builds things.
import { type Config, checkDoors, weakSecrets } from '#config.ts'
import { choiceName, modelWords } from '#config/model.ts'
import { type LocalDoor, openLocalDoor } from '#doors/local/door.ts'
import { type App, type AppParts, openApp } from '#app.ts'
import { AppError } from '#core/errors.ts'
import type { Store } from '#core/store.ts'
import { canRunComponents } from '#app/components.ts'
import { openOperator } from '#app/open-operator.ts'
import { type Home, tokenFile } from '#home.ts'
import { takeSocket } from '#home/socket.ts'
import { type CountRequest, createRequestCount } from '#http/request-log.ts'
import { newToken } from '#lib/token.ts'
import { readVersion } from '#lib/version.ts'
import { ollamaAnswers } from '#models/ollama.ts'
import type { OpenDoor } from '#service/gateway.ts'
import { newestVersion } from '#store/migrations.ts'
import type { OperatorClient } from '#turns/operator-client.ts'
import { type About, statusOf } from '#turns/service-status.ts'

/** Grace period for open turns and streams at shutdown; then turns are released for a restart and streams are cut. */
export const shutdownGraceMs = 10_000

export type Service = {
  readonly app: App
  /** For a terminal in this process; an attached terminal has the same client through the socket. */
  readonly client: OperatorClient
  /** The lines printed at the start: addresses, the model, next steps. A terminal adds a sign-in link, which it renews. */
  readonly lines: readonly string[]
  /** The gateway's token, if it was made for this start: the only secret that is printed, once, with a log or the lines. */
  readonly generatedToken?: string
  /** Without a grace period, running turns are released at once. */
  stop(graceMs?: number): Promise<void>
}

export type ServiceParts = AppParts & { /** The terminal counts as a door. */ readonly terminal: boolean }

/** Opens the app and every enabled door; resolves once all doors listen. */
export async function startService(parts: ServiceParts): Promise<Service> {
  checkDoors(parts.configure({}), { terminal: parts.terminal })
  const app = await openApp(parts)
  const open: OpenDoor[] = []
  let local: LocalDoor | undefined
  const startedAt = performance.now()
  const about: About = {
    version: readVersion(),
    uptimeMs: () => performance.now() - startedAt,
    model: () => app.config.model,
    offeredModels: () => app.models.names(),
    skippedModels: () => app.skippedModels(),
    databaseBackend: app.store.backend,
    storage: app.store.storage,
    sandboxEnabled: canRunComponents,
    doors: () => [
      ...(parts.terminal ? [{ name: 'terminal' }] : []),
      ...open.map(({ name, address }) => ({ name, address })),
      ...[app.telegramBot()].flatMap((address) => (address === undefined ? [] : [{ name: 'telegram', address }])),
    ],
    connections: async () => (await gatewayOf(open)?.connections?.()) ?? 0,
    draining: () => stopping,
  }
  let stopping = false
  const closeAll = async (graceMs: number): Promise<void> => {
    stopping = true
    await Promise.all([local?.close(graceMs), ...open.map((door) => door.close(graceMs)), app.drain(graceMs)])
    await app.close(0)
  }
  try {
    const { config } = app
    const token = config.gateway.authToken ?? newToken()
    const count = createRequestCount(app.metrics)
    if (config.webhook.enabled) open.push(await openWebhookDoor(app, parts, count))
    // The last HTTP door: its health endpoint means that every door is open.
    if (config.gateway.enabled) {
      const { openGateway } = await import('#service/gateway.ts')
      open.push(await openGateway(app, { about, token, count, log: parts.log }))
    }
    const loginLink = async (known?: string): Promise<string | undefined> => gatewayOf(open)?.loginLink?.(known)
    const client = openOperator(app, { doors: about.doors, login: loginLink })
    local = await openLocalDoor({
      socket: takeSocket(app.home.path),
      turns: app.turns,
      gates: app.gates,
      client,
      log: parts.log,
      reload: () => app.reload(),
      settings: app.settings,
      loginLink,
      status: async () => ({
        ...(await statusOf(app.turns, about)),
        ...(await whyUnstored(app.store)),
        pid: process.pid,
        schema: newestVersion,
      }),
    })
    // A command that ran before the socket was there could not tell what it has changed.
    if (app.store.changedElsewhere()) await app.reload()
    await app.startDuties()
    parts.log.info({ version: about.version, doors: about.doors(), model: config.model.name }, 'started')
    return {
      app,
      client,
      lines: [...(await linesOf(app, open, { signIn: !parts.terminal })), ...(await closedSecrets(app, parts))],
      ...(config.gateway.enabled && config.gateway.authToken === undefined && { generatedToken: token }),
      async stop(graceMs = shutdownGraceMs) {
        parts.log.info({ running: app.runner.running }, 'stopping')
        await closeAll(graceMs)
        parts.log.info({ uptime_secs: Math.floor(about.uptimeMs() / 1000) }, 'stopped')
      },
    }
  } catch (error) {
    await closeAll(0)
    throw error
  }
}

/** Why nothing can be stored, if so. */
async function whyUnstored(store: Pick<Store, 'checkWrites'>): Promise<{ readonly unstored?: string }> {
  try {
    await store.checkWrites()
    return {}
  } catch (error) {
    if (error instanceof AppError) return { unstored: error.message }
    throw error
  }
}

function gatewayOf(open: readonly OpenDoor[]): OpenDoor | undefined {
  return open.find(({ name }) => name === 'gateway')
}

async function openWebhookDoor(
  { config, turns, threads, gates, store }: App,
  { log }: ServiceParts,
  countRequest: CountRequest,
): Promise<OpenDoor> {
  const { openWebhook } = await import('#doors/webhook/door.ts')
  const { host, port, secret = '', ratePerMinute } = config.webhook
  const webhook = await openWebhook({
    turns,
    threads,
    gates,
    limits: store.limits,
    secret,
    host,
    port,
    ratePerMinute,
    trustProxy: config.trustProxy,
    log,
    countRequest,
  })
  return { name: 'webhook', address: webhook.url, close: (graceMs) => webhook.close(graceMs) }
}

/** Names the secrets that were sealed under another key, such as after a restore without the key. */
async function closedSecrets({ store }: App, { log }: ServiceParts): Promise<string[]> {
  const names = (await store.secrets.unopenable()).map(({ name }) => name)
  if (names.length === 0) return []
  log.warn({ names }, 'some secrets cannot be opened: they were sealed under another key')
  return [`WARNING  sealed under another key, set anew with \`atrium secret set\`: ${names.join(', ')}`]
}

/** The start-up lines, without secrets. */
async function linesOf(
  { config, home }: { config: Config; home: Home },
  open: readonly OpenDoor[],
  { signIn }: { readonly signIn: boolean },
): Promise<string[]> {
  const { model, notices } = config
  const lines = open.map(({ name, address }) => `${name.padEnd(8)} ${address}`)
  const found = gatewayOf(open)
  if (found) {
    const lasting = config.operatorToken === undefined ? tokenFile(home) : 'SERVICE_REBORN_WEBUI_TOKEN'
    lines.push(`api      ${found.address}/api/v1`)
    if (signIn) lines.push(`sign in  ${await signInWords(found)}`)
    lines.push(`operator the lasting token is in ${lasting}`)
  }
  lines.push(`model    ${await modelLine(model)}`, ...notices)
  for (const { name, host } of weakSecrets(config)) {
    lines.push(`WARNING  ${name} is too short for a door on ${host}: set a long random one (openssl rand -hex 32)`)
  }
  return lines
}

/** A link needs room on the disk; what is stored can be read without it. */
async function signInWords(gateway: OpenDoor): Promise<string> {
  try {
    return `${await gateway.loginLink?.()}  (once, within 10 minutes)`
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'disk_full') throw error
    return 'atrium login  (after you have freed some space: the disk is full)'
  }
}

/** The model in use, and why it was chosen. */
async function modelLine({ provider, name, source, fallback = [] }: Config['model']): Promise<string> {
  if (provider === 'offline') {
    const found = source === 'default' && (await ollamaAnswers())
    const hint = found ? 'a local Ollama answers: atrium model set ollama qwen3' : 'a real one: atrium onboard'
    return `offline  (built in; ${hint})`
  }
  const why = {
    environment: 'by LLM_PROVIDER',
    settings: 'as stored',
    key: 'its key is in the environment',
    default: '',
  }
  const others = fallback.map(choiceName)
  const next = others.length > 0 ? `; fallback: ${others.join(', then ')}` : ''
  return `${modelWords({ provider, name })}  (${why[source]}${next})`
}
