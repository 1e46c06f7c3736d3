// Environment and stored settings -> one frozen Config. The only reader of process.env.
import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join, relative, resolve } from 'node:path'
import querystring from 'node:querystring'
import { chooseEmbedding, type EmbeddingConfig } from '#config/embedding.ts'
import { chooseModel, type ModelConfig, type Settings } from '#config/model.ts'
import { type OidcConfig, readOidc } from '#config/oidc.ts'
import { type TelemetryConfig, telemetryOf } from '#config/telemetry.ts'
import { fault, type Given, givenIn, names, parse, present, type Report, type Values } from '#config/variables.ts'
import { AppError } from '#core/errors.ts'
import { isProviderKey } from '#core/providers.ts'
import { maxSteps, defaultSteps } from '#core/turn.ts'
import type { LogLevel } from '#lib/log.ts'
import { inCheckout } from '#lib/checkout.ts'

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '::1'])
const minSecretLength = 24

export type Config = {
  readonly home: string
  /** A PostgreSQL server; absent, the database is a file in the home. */
  readonly databaseUrl?: string
  readonly terminal: boolean
  readonly gateway: {
    readonly enabled: boolean
    readonly host: string
    readonly port: number
    readonly authToken?: string
    readonly allowedOrigins: readonly string[]
  }
  /** `secret` is always there when `enabled`. A rate of 0 is no limit. */
  readonly webhook: {
    readonly enabled: boolean
    readonly host: string
    readonly port: number
    readonly secret?: string
    readonly ratePerMinute: number
  }
  readonly operatorToken?: string
  readonly model: ModelConfig
  /** Tokens of context the model can take, where nobody else knows. */
  readonly window?: number
  /** Absent, memory is searched by words alone. */
  readonly embedding?: EmbeddingConfig
  readonly responses: { readonly turnTimeoutSecs: number; readonly externalTools: boolean }
  /** 0 is no limit. */
  readonly chatRatePerMinute: number
  /** Attempts of one address; 0 is no limit. */
  readonly signInsPerMinute: number
  /** Whose X-Forwarded-For to believe: nobody's, that of so many nearest hops, or that of these addresses. */
  readonly trustProxy: false | number | readonly string[]
  readonly logLevel: LogLevel
  /** 64 hex digits. */
  readonly masterKey?: string
  readonly oidc?: OidcConfig
  /** Where traces of turns go; absent, none are made. */
  readonly telemetry?: TelemetryConfig
  readonly toolProcesses: number
  /** What turns may cost in USD; absent, there is no cap. */
  readonly caps: { readonly perTurn?: number; readonly perDay?: number }
  /** How often a turn may ask its model. */
  readonly steps: number
  /** Which of the caps the environment sets. */
  readonly capsFixed: readonly string[]
  /** The operator's folder for the workspace tools. */
  readonly workspace: string
  /** The operator's agent may run commands on this machine. */
  readonly shell: boolean
  /** Hosts that the web tools may reach though their address is private. */
  readonly privateHosts: readonly string[]
  /** Turns that run in this process at once. */
  readonly maxRunning: number
  /** How tools reach the outside. */
  readonly proxy: { readonly httpsProxy?: string; readonly noProxy?: string }
  /** Which keys of providers the environment has, by their names. */
  readonly keysGiven: readonly string[]
  /** Lines the start should show: choices made for the operator. */
  readonly notices: readonly string[]
}

type Env = Readonly<Record<string, string | undefined>>

/** What a command line may set; it goes before the environment. */
export type Flags = { readonly port?: string }

/** The Config of this process, as its environment is now. */
export function loadConfig(settings: Settings = {}, { port }: Flags = {}): Config {
  return readConfig(port === undefined ? process.env : { ...process.env, GATEWAY_PORT: port }, settings)
}

/** How this program is called in this shell: `atrium` where the PATH leads to it, else the path of its launcher. */
export function programName(path = process.env['PATH'] ?? '', folder = process.cwd()): string {
  const launcher = inCheckout('bin', 'atrium')
  const first = path
    .split(delimiter)
    .map((each) => join(each || '.', 'atrium'))
    .find((each) => existsSync(each))
  if (first && existsSync(launcher) && realpathSync(first) === realpathSync(launcher)) return 'atrium'
  const near = relative(folder, launcher)
  // A service that runs in / tells it to somebody who is elsewhere.
  const name = near.startsWith('..') || folder === '/' ? launcher : near.includes('/') ? near : `./${near}`
  return /[^\w./-]/.test(name) ? `'${name.replaceAll("'", `'\\''`)}'` : name
}

/** What the terminal of this process can show. Where nothing is said of its letters, they are UTF-8. */
export function terminalTraits(env: Env = process.env): { dumb: boolean; colour: boolean; utf8: boolean } {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG']
  const dumb = env['TERM'] === undefined || env['TERM'] === '' || env['TERM'] === 'dumb'
  return { dumb, colour: !env['NO_COLOR'], utf8: locale === undefined || /utf-?8/i.test(locale) }
}

/** A variable that the capability file of an installed tool names; the install has refused names that are ours. */
export function environmentVariable(name: string): string | undefined {
  return process.env[name] || undefined
}

/** Throws invalid_config with a line for every fault; a line never holds the value of a secret or of a URL. */
export function readConfig(env: Env, settings: Settings = {}): Config {
  const faults: string[] = []
  const report = (line: string) => faults.push(line)
  const given = givenIn(env)
  const values = parse(given, report)
  const enabled = values.HTTP_ENABLED ?? values.HTTP_WEBHOOK_SECRET !== undefined
  if (enabled && !given.HTTP_WEBHOOK_SECRET) {
    report(fault('HTTP_ENABLED', 'is on, but HTTP_WEBHOOK_SECRET is not set', 'HTTP_WEBHOOK_SECRET'))
  }
  const notices: string[] = []
  const notify = (line: string) => notices.push(line)
  const model = chooseModel({ values, given, settings, report, notify })
  const home = homeOf(values.ATRIUM_HOME, env, report)
  const workspace = workspaceOf(values.ATRIUM_WORKSPACE, { home, env, report })
  const config: Config = {
    home,
    ...present({
      databaseUrl: values.DATABASE_URL,
      operatorToken: values.SERVICE_REBORN_WEBUI_TOKEN,
      masterKey: values.ATRIUM_MASTER_KEY,
      window: values.LLM_WINDOW,
      oidc: readOidc(values, given, report),
      telemetry: telemetryOf(values),
      embedding: chooseEmbedding({ values, given, model, report, notify }),
    }),
    terminal: values.CLI_ENABLED,
    gateway: {
      enabled: values.GATEWAY_ENABLED,
      host: values.GATEWAY_HOST,
      port: values.GATEWAY_PORT,
      ...present({ authToken: values.GATEWAY_AUTH_TOKEN }),
      allowedOrigins: values.GATEWAY_ALLOWED_ORIGINS,
    },
    webhook: {
      enabled,
      host: values.HTTP_HOST,
      port: values.HTTP_PORT,
      ...present({ secret: values.HTTP_WEBHOOK_SECRET }),
      ratePerMinute: values.WEBHOOK_RATE_LIMIT,
    },
    model,
    responses: {
      turnTimeoutSecs: values.RESPONSES_TURN_TIMEOUT_SECS,
      externalTools: values.RESPONSES_EXTERNAL_TOOLS,
    },
    chatRatePerMinute: values.CHAT_RATE_LIMIT,
    signInsPerMinute: values.SIGN_IN_RATE_LIMIT,
    trustProxy: values.TRUST_PROXY,
    logLevel: values.LOG_LEVEL,
    toolProcesses: values.TOOL_PROCESSES,
    caps: present({
      perTurn: capOf('SPEND_PER_TURN_USD', { values, given, settings, report }),
      perDay: capOf('SPEND_PER_DAY_USD', { values, given, settings, report }),
    }),
    steps: stepsOf(settings, report),
    capsFixed: (['SPEND_PER_TURN_USD', 'SPEND_PER_DAY_USD'] as const).filter((name) => given[name] !== undefined),
    workspace,
    shell: values.ATRIUM_SHELL,
    privateHosts: values.ATRIUM_PRIVATE_HOSTS,
    maxRunning: values.TURNS_MAX_RUNNING,
    proxy: present({
      httpsProxy: env['HTTPS_PROXY'] || env['https_proxy'] || undefined,
      noProxy: env['NO_PROXY'] || env['no_proxy'] || undefined,
    }),
    keysGiven: names.filter((name) => isProviderKey(name) && given[name]),
    notices,
  }
  if (faults.length > 0) throw new AppError('invalid_config', faults.join('\n'))
  return freeze(config)
}

/** The secrets that a Config holds, so that the log can leave them out. */
export function secretsIn(config: Config): string[] {
  const { gateway, webhook, operatorToken, masterKey, model, embedding, oidc, telemetry, databaseUrl } = config
  const password = databaseUrl === undefined ? undefined : URL.parse(databaseUrl)?.password
  const spelled = password && querystring.unescape(password)
  const secrets = [gateway.authToken, webhook.secret, operatorToken, masterKey, oidc?.clientSecret]
  const keys = [model, ...(model.fallback ?? [])].map(({ apiKey }) => apiKey)
  const sent = Object.values(telemetry?.headers ?? {})
  return [...secrets, ...keys, ...sent, embedding?.apiKey, password, spelled].flatMap((each) => each || [])
}

/** Throws invalid_config when a service with this Config could not be reached by anybody. */
export function checkDoors(config: Config, { terminal }: { terminal: boolean }): void {
  if ((config.terminal && terminal) || config.gateway.enabled || config.webhook.enabled) return
  const cli = config.terminal ? 'CLI_ENABLED needs a terminal' : 'CLI_ENABLED is off'
  throw new AppError(
    'invalid_config',
    fault('GATEWAY_ENABLED', `and HTTP_ENABLED are off and ${cli}: no door is open, turn one on`),
  )
}

/** Secrets by environment that are too short for a door which other machines can reach, and where that door is. */
export function weakSecrets({ gateway, webhook, operatorToken }: Config): { name: string; host: string }[] {
  const { host } = gateway
  const given = [
    { name: 'GATEWAY_AUTH_TOKEN', host, open: gateway.enabled, secret: gateway.authToken },
    { name: 'SERVICE_REBORN_WEBUI_TOKEN', host, open: gateway.enabled, secret: operatorToken },
    { name: 'HTTP_WEBHOOK_SECRET', host: webhook.host, open: webhook.enabled, secret: webhook.secret },
  ]
  return given.flatMap(({ name, host, open, secret }) => {
    const weak = secret !== undefined && secret.length < minSecretLength
    return open && weak && !loopback.has(host) ? [{ name, host }] : []
  })
}

type CapName = 'SPEND_PER_TURN_USD' | 'SPEND_PER_DAY_USD'
type CapParts = { values: Values; given: Given; settings: Settings; report: Report }

/** The environment's cap, else the stored one, else the usual one; 0 is none. */
function capOf(name: CapName, { values, given, settings, report }: CapParts): number | undefined {
  const stored = settings[name.toLowerCase()]
  if (given[name] !== undefined || stored === undefined || stored === null) return values[name] || undefined
  if (typeof stored !== 'number' || !(stored >= 0))
    report(`the setting ${name.toLowerCase()} must be a number of 0 or more`)
  return Number(stored) || undefined
}

function stepsOf({ steps_per_turn: stored }: Settings, report: Report): number {
  if (stored === undefined || stored === null) return defaultSteps
  if (Number.isInteger(stored) && Number(stored) >= 1 && Number(stored) <= maxSteps) return Number(stored)
  report(`the setting steps_per_turn must be a whole number from 1 to ${maxSteps}`)
  return defaultSteps
}

function homeOf(text: string | undefined, env: Env, report: Report): string {
  try {
    return text === undefined ? join(env['HOME'] || homedir(), '.atrium') : pathIn(text, env)
  } catch {
    report(fault('ATRIUM_HOME', 'is not set and this user has no home folder'))
    return ''
  }
}

/** The home holds keys and everybody's threads: no tool of the workspace may see it. */
function workspaceOf(
  text: string | undefined,
  { home, env, report }: { home: string; env: Env; report: Report },
): string {
  const workspace = text === undefined ? join(home, 'workspace') : pathIn(text, env)
  if (!relative(workspace, home).startsWith('..')) {
    report(fault('ATRIUM_WORKSPACE', 'is, or holds, the home of the service: choose a folder beside it'))
  }
  return workspace
}

/** A path as a person writes it. */
function pathIn(text: string, env: Env): string {
  return resolve(text.replace(/^~(?=\/|$)/, () => env['HOME'] || homedir()))
}

function freeze<T extends object>(value: T): T {
  for (const each of Object.values(value)) if (typeof each === 'object' && each !== null) freeze(each)
  return Object.freeze(value)
}
