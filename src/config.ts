// Builds one frozen Config from the environment and the stored settings. The only reader of process.env.
import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join, relative } from 'node:path'
import querystring from 'node:querystring'
import { chooseEmbedding, type EmbeddingConfig } from '#config/embedding.ts'
import { allModels, chooseModel, type ModelConfig } from '#config/model.ts'
import type { ProxySettings } from '#core/proxy.ts'
import type { Settings } from '#core/store.ts'
import { type OidcConfig, readOidc } from '#config/oidc.ts'
import { proxyOf, proxySecrets } from '#config/proxy.ts'
import { type ResponsesConfig, responsesOf } from '#config/responses.ts'
import { capOf, type Env, homeOf, portOf, retentionOf, stepsOf, workspaceOf } from '#config/settings.ts'
import { type TelemetryConfig, telemetryOf } from '#config/telemetry.ts'
import { fault, rawValuesIn, variableNames, parseValues } from '#config/variables.ts'
import { AppError } from '#core/errors.ts'
import { isProviderKey } from '#core/providers.ts'
import { namedZone } from '#core/time.ts'
import type { LogLevel } from '#lib/log.ts'
import { inCheckout } from '#lib/checkout.ts'
import { withoutUndefined } from '#lib/without-undefined.ts'

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '::1'])
const minSecretLength = 24
/** Variables of other programs that this one follows too. */
const sharedNames = ['HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy', 'NODE_EXTRA_CA_CERTS'] as const
const defaultWritesPerMinute = 600

export type Config = {
  readonly home: string
  /** A PostgreSQL server. Default: an SQLite file in the home. */
  readonly databaseUrl?: string
  readonly terminal: boolean
  readonly gateway: {
    readonly enabled: boolean
    readonly host: string
    readonly port: number
    readonly authToken?: string
    readonly allowedOrigins: readonly string[]
  }
  /** `secret` is always set when `enabled`. A rate of 0 means no limit. */
  readonly webhook: {
    readonly enabled: boolean
    readonly host: string
    readonly port: number
    readonly secret?: string
    readonly ratePerMinute: number
  }
  readonly operatorToken?: string
  readonly model: ModelConfig
  /** The model's context window in tokens, where it is not known otherwise. */
  readonly window?: number
  /** Without it, memory is searched by words only. */
  readonly embedding?: EmbeddingConfig
  readonly responses: ResponsesConfig
  /** Chat completions send reasoning and the progress of tools. */
  readonly completionsProgress: boolean
  /** 0 means no limit. */
  readonly chatRatePerMinute: number
  /** 0 means no limit. */
  readonly writeRatePerMinute: number
  /** Attempts per client address. 0 means no limit. */
  readonly signInsPerMinute: number
  /** Proxies whose X-Forwarded-For is trusted: none, this many nearest hops, or these addresses. */
  readonly trustProxy: false | number | readonly string[]
  readonly logLevel: LogLevel
  /** 64 hex digits. */
  readonly masterKey?: string
  readonly oidc?: OidcConfig
  /** Where traces of turns are sent. Without it, no traces are made. */
  readonly telemetry?: TelemetryConfig
  /** The server of Telegram's Bot API. */
  readonly telegramApi: string
  readonly toolProcesses: number
  /** How long a call of an MCP server may take, and how long an unused server runs on. */
  readonly mcp: { readonly callMs: number; readonly idleMs: number }
  /** Spend caps in USD. A missing one means no cap. */
  readonly caps: { readonly perTurn?: number; readonly perDay?: number }
  /** The most bytes that a user may store in threads and documents; 0 means no quota. */
  readonly maxUserBytes: number
  /** The maximum number of model calls in a turn. */
  readonly steps: number
  /** Conversations are erased so many days after their last activity; 0 keeps them. */
  readonly retentionDays: number
  /** The environment lists the models that can be chosen for a thread. */
  readonly offeredFixed: boolean
  /** Names of the caps that the environment sets. */
  readonly capsFixed: readonly string[]
  /** The operator's folder for the workspace tools. */
  readonly workspace: string
  /** The operator's agent may run commands on this machine. */
  readonly shell: boolean
  /** Hosts with a private address that the web tools may reach. */
  readonly privateHosts: readonly string[]
  /** The maximum number of turns that run at once in this process. */
  readonly maxRunning: number
  /** The proxy for outgoing requests. */
  readonly proxy: ProxySettings
  /** Names of the provider keys that the environment sets. */
  readonly environmentKeys: readonly string[]
  /** Lines to show at startup: choices that were made for the operator. */
  readonly notices: readonly string[]
}

/** Command-line options. They override the environment. */
export type Flags = { readonly port?: string }

/** Reads the Config of this process from its environment. */
export function loadConfig(settings: Settings = {}, { port }: Flags = {}): Config {
  return readConfig(port === undefined ? process.env : { ...process.env, GATEWAY_PORT: port }, settings)
}

/** How to call this program in this shell: `atrium` if the PATH finds it, else the path of its launcher. */
export function programName(path = process.env['PATH'] ?? '', folder = process.cwd()): string {
  const launcher = inCheckout('bin', 'atrium')
  const first = path
    .split(delimiter)
    .map((each) => join(each || '.', 'atrium'))
    .find((each) => existsSync(each))
  if (first && existsSync(launcher) && realpathSync(first) === realpathSync(launcher)) return 'atrium'
  const near = relative(folder, launcher)
  // A service in / prints this for people in other folders.
  const name = near.startsWith('..') || folder === '/' ? launcher : near.includes('/') ? near : `./${near}`
  return /[^\w./-]/.test(name) ? `'${name.replaceAll("'", `'\\''`)}'` : name
}

/** For a service that another program starts: the folder of configuration files, and which variables are set. */
export function serviceEnvironment(): { configFolder: string; variables: readonly string[] } {
  const { env } = process
  const raw = rawValuesIn(env)
  const configFolder = env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config')
  const own = variableNames.filter((name) => raw[name] !== undefined)
  return { configFolder, variables: [...own, ...sharedNames.filter((name) => env[name])] }
}

/** Capabilities of the terminal of this process. Without a locale, UTF-8 is assumed. */
export function terminalTraits(): { dumb: boolean; colour: boolean; utf8: boolean } {
  const { env } = process
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG']
  const dumb = env['TERM'] === undefined || env['TERM'] === '' || env['TERM'] === 'dumb'
  return { dumb, colour: !env['NO_COLOR'], utf8: locale === undefined || /utf-?8/i.test(locale) }
}

/** A variable that an installed tool's capability file names. Installation refuses the service's own names. */
export function environmentVariable(name: string): string | undefined {
  return process.env[name] || undefined
}

/** Throws invalid_config with one line per fault. No line contains the value of a secret or of a URL. */
export function readConfig(env: Env, settings: Settings = {}): Config {
  const faults: string[] = []
  const report = (line: string) => faults.push(line)
  const raw = rawValuesIn(env)
  const values = parseValues(raw, report)
  const enabled = values.HTTP_ENABLED ?? values.HTTP_WEBHOOK_SECRET !== undefined
  if (enabled && !raw.HTTP_WEBHOOK_SECRET) {
    report(fault('HTTP_ENABLED', 'is on, but HTTP_WEBHOOK_SECRET is not set', 'HTTP_WEBHOOK_SECRET'))
  }
  const notices: string[] = []
  const notify = (line: string) => notices.push(line)
  if (env['TZ'] && namedZone() === undefined)
    notify('TZ is no name of a time zone, such as Europe/Zurich: missions and times of day are in UTC.')
  const model = chooseModel({ values, raw, settings, report, notify })
  const home = homeOf(values.ATRIUM_HOME, env, report)
  const workspace = workspaceOf(values.ATRIUM_WORKSPACE, { home, env, report })
  const config: Config = {
    home,
    ...withoutUndefined({
      databaseUrl: values.DATABASE_URL,
      operatorToken: values.SERVICE_REBORN_WEBUI_TOKEN,
      masterKey: values.ATRIUM_MASTER_KEY,
      window: values.LLM_WINDOW,
      oidc: readOidc(values, raw, report),
      telemetry: telemetryOf(values),
      embedding: chooseEmbedding({ values, raw, model, report, notify }),
    }),
    terminal: values.CLI_ENABLED,
    gateway: {
      enabled: values.GATEWAY_ENABLED,
      host: values.GATEWAY_HOST,
      port: portOf({ values, raw, settings, report }),
      ...withoutUndefined({ authToken: values.GATEWAY_AUTH_TOKEN }),
      allowedOrigins: values.GATEWAY_ALLOWED_ORIGINS,
    },
    webhook: {
      enabled,
      host: values.HTTP_HOST,
      port: values.HTTP_PORT,
      ...withoutUndefined({ secret: values.HTTP_WEBHOOK_SECRET }),
      ratePerMinute: values.WEBHOOK_RATE_LIMIT,
    },
    model,
    responses: responsesOf(values),
    completionsProgress: values.COMPLETIONS_PROGRESS,
    chatRatePerMinute: values.CHAT_RATE_LIMIT,
    writeRatePerMinute: values.WRITE_RATE_LIMIT ?? (values.CHAT_RATE_LIMIT === 0 ? 0 : defaultWritesPerMinute),
    signInsPerMinute: values.SIGN_IN_RATE_LIMIT,
    trustProxy: values.TRUST_PROXY,
    logLevel: values.LOG_LEVEL,
    telegramApi: values.TELEGRAM_API_URL,
    toolProcesses: values.TOOL_PROCESSES,
    mcp: { callMs: values.MCP_TIMEOUT_SECS * 1000, idleMs: values.MCP_IDLE_SECS * 1000 },
    caps: withoutUndefined({
      perTurn: capOf('SPEND_PER_TURN_USD', { values, raw, settings, report }),
      perDay: capOf('SPEND_PER_DAY_USD', { values, raw, settings, report }),
    }),
    maxUserBytes: values.STORAGE_PER_USER_MB * 1024 * 1024,
    steps: stepsOf(settings, report),
    retentionDays: retentionOf(settings, report),
    offeredFixed: raw.LLM_MODELS !== undefined,
    capsFixed: (['SPEND_PER_TURN_USD', 'SPEND_PER_DAY_USD'] as const).filter((name) => raw[name] !== undefined),
    workspace,
    shell: values.ATRIUM_SHELL,
    privateHosts: values.ATRIUM_PRIVATE_HOSTS,
    maxRunning: values.TURNS_MAX_RUNNING,
    proxy: proxyOf(env, report),
    environmentKeys: variableNames.filter((name) => isProviderKey(name) && raw[name]),
    notices,
  }
  if (faults.length > 0) throw new AppError('invalid_config', faults.join('\n'))
  return freeze(config)
}

/** The secrets in a Config, for the log to redact. */
export function secretsIn(config: Config): string[] {
  const { gateway, webhook, operatorToken, masterKey, model, embedding, oidc, telemetry, databaseUrl, proxy } = config
  const password = databaseUrl === undefined ? undefined : URL.parse(databaseUrl)?.password
  const spelled = password && querystring.unescape(password)
  const secrets = [gateway.authToken, webhook.secret, operatorToken, masterKey, oidc?.clientSecret]
  const keys = allModels(model).map(({ apiKey }) => apiKey)
  const sent = Object.values(telemetry?.headers ?? {})
  const passwords = [password, spelled, ...proxySecrets(proxy)]
  return [...secrets, ...keys, ...sent, embedding?.apiKey, ...passwords].flatMap((each) => each || [])
}

/** Throws invalid_config if every door of the service would be closed. */
export function checkDoors(config: Config, { terminal }: { terminal: boolean }): void {
  if ((config.terminal && terminal) || config.gateway.enabled || config.webhook.enabled) return
  const cli = config.terminal ? 'CLI_ENABLED needs a terminal' : 'CLI_ENABLED is off'
  throw new AppError(
    'invalid_config',
    fault('GATEWAY_ENABLED', `and HTTP_ENABLED are off and ${cli}: no door is open, turn one on`),
  )
}

/** Secrets from the environment that are too short for a door that other machines can reach, with the door's host. */
export function weakSecrets({ gateway, webhook, operatorToken }: Config): { name: string; host: string }[] {
  const { host } = gateway
  const secrets = [
    { name: 'GATEWAY_AUTH_TOKEN', host, open: gateway.enabled, secret: gateway.authToken },
    { name: 'SERVICE_REBORN_WEBUI_TOKEN', host, open: gateway.enabled, secret: operatorToken },
    { name: 'HTTP_WEBHOOK_SECRET', host: webhook.host, open: webhook.enabled, secret: webhook.secret },
  ]
  return secrets.flatMap(({ name, host, open, secret }) => {
    const weak = secret !== undefined && secret.length < minSecretLength
    return open && weak && !loopback.has(host) ? [{ name, host }] : []
  })
}

function freeze<T extends object>(value: T): T {
  for (const each of Object.values(value)) if (typeof each === 'object' && each !== null) freeze(each)
  return Object.freeze(value)
}
