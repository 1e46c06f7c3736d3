// The table of environment variables: an example, a schema and a default for each. A test compares the docs with it.
import * as z from 'zod/mini'
import { logLevels } from '#lib/log.ts'
import { embeddingProviders, providerNames } from '#core/providers.ts'
import {
  amount,
  choice,
  databaseUrl,
  domains,
  fallbacks,
  flag,
  headerList,
  host,
  label,
  origins,
  passphrase,
  privateHosts,
  secret,
  serverUrl,
  tokenPrice,
  trustProxy,
  wholeNumber,
} from './schemas.ts'

const secondsPerDay = 86_400
const maxRate = 1_000_000
const maxSpend = 1_000_000
const maxStorageMb = 1_000_000_000
const maxToolsBytes = 1024 * 1024

const variables = {
  ANTHROPIC_API_KEY: { example: '<key>', schema: z.optional(secret()) },
  ATRIUM_HOME: { example: '/var/lib/atrium', schema: z.optional(z.string()) },
  ATRIUM_MASTER_KEY: {
    example: '<64 hex digits, as printed by: openssl rand -hex 32>',
    schema: z.optional(z.string().check(z.regex(/^[0-9a-f]{64}$/i, 'must be 64 hex digits'))),
  },
  ATRIUM_PRIVATE_HOSTS: {
    example: 'localhost:8000,192.168.1.20,wiki.example.lan',
    schema: z._default(privateHosts(), []),
  },
  ATRIUM_SHELL: { example: 'true', schema: z._default(flag(), false) },
  ATRIUM_WORKSPACE: { example: '/srv/work', schema: z.optional(z.string()) },
  CHAT_RATE_LIMIT: { example: '30', schema: z._default(wholeNumber(0, maxRate), 30) },
  CLI_ENABLED: { example: 'false', schema: z._default(flag(), true) },
  COMPLETIONS_PROGRESS: { example: 'false', schema: z._default(flag(), true) },
  DATABASE_URL: { example: 'postgres://user:password@127.0.0.1:5432/atrium', schema: z.optional(databaseUrl()) },
  EMBEDDING_API_KEY: { example: '<key>', schema: z.optional(secret()) },
  EMBEDDING_BASE_URL: { example: 'http://127.0.0.1:4010/v1', schema: z.optional(serverUrl()) },
  EMBEDDING_MODEL: { example: 'nomic-embed-text', schema: z.optional(label()) },
  EMBEDDING_PROVIDER: { example: 'ollama', schema: z.optional(choice(embeddingProviders)) },
  GATEWAY_ALLOWED_ORIGINS: {
    example: 'https://atrium.example.com,https://chat.example.com',
    schema: z._default(origins(), []),
  },
  GATEWAY_AUTH_TOKEN: { example: '<token, as printed by: openssl rand -hex 32>', schema: z.optional(secret()) },
  GATEWAY_ENABLED: { example: 'true', schema: z._default(flag(), true) },
  GATEWAY_HOST: { example: '127.0.0.1', schema: z._default(host(), '127.0.0.1') },
  GATEWAY_PORT: { example: '3000', schema: z._default(wholeNumber(0, 65_535), 3000) },
  GEMINI_API_KEY: { example: '<key>', schema: z.optional(secret()) },
  GOOGLE_API_KEY: { example: '<key>', schema: z.optional(secret()) },
  HTTP_ENABLED: { example: 'true', schema: z.optional(flag()) },
  HTTP_HOST: { example: '127.0.0.1', schema: z._default(host(), '0.0.0.0') },
  HTTP_PORT: { example: '8080', schema: z._default(wholeNumber(0, 65_535), 8080) },
  HTTP_WEBHOOK_SECRET: { example: '<secret, as printed by: openssl rand -hex 32>', schema: z.optional(passphrase()) },
  LLM_API_KEY: { example: '<key>', schema: z.optional(secret()) },
  LLM_BASE_URL: { example: 'http://127.0.0.1:4010/v1', schema: z.optional(serverUrl()) },
  LLM_FALLBACK: { example: 'openai/gpt-5.4-mini,ollama/qwen3', schema: z.optional(fallbacks()) },
  LLM_MODEL: { example: 'gpt-5.4-mini', schema: z.optional(label()) },
  LLM_MODELS: { example: 'openai/gpt-5.4,ollama/qwen3', schema: z.optional(fallbacks()) },
  LLM_PRICE: { example: '0.75,4.5', schema: z.optional(tokenPrice()) },
  LLM_PROVIDER: { example: 'openai-compatible', schema: z.optional(choice(providerNames)) },
  LLM_SCRIPT: { example: 'replies.json', schema: z.optional(z.string()) },
  LLM_WINDOW: { example: '32768', schema: z.optional(wholeNumber(1_000, 100_000_000)) },
  LOG_LEVEL: { example: 'info', schema: z._default(choice(logLevels), 'info') },
  MCP_IDLE_SECS: { example: '300', schema: z._default(wholeNumber(1, secondsPerDay), 300) },
  MCP_TIMEOUT_SECS: { example: '60', schema: z._default(wholeNumber(1, 600), 60) },
  OIDC_ALLOWED_DOMAINS: { example: 'example.com,example.org', schema: z._default(domains(), []) },
  OIDC_AUDIENCE: { example: 'atrium', schema: z.optional(label()) },
  OIDC_CLIENT_ID: { example: 'atrium', schema: z.optional(label()) },
  OIDC_CLIENT_SECRET: { example: '<secret>', schema: z.optional(passphrase()) },
  OIDC_ISSUER: { example: 'https://login.example.com', schema: z.optional(serverUrl()) },
  OPENAI_API_KEY: { example: '<key>', schema: z.optional(secret()) },
  OTEL_EXPORTER_OTLP_ENDPOINT: { example: 'http://127.0.0.1:4318', schema: z.optional(serverUrl()) },
  OTEL_EXPORTER_OTLP_HEADERS: { example: 'authorization=Bearer%20<key>', schema: z._default(headerList(), {}) },
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: { example: 'false', schema: z._default(flag(), false) },
  OTEL_SERVICE_NAME: { example: 'atrium', schema: z._default(label(), 'atrium') },
  RESPONSES_DISCONNECT: { example: 'continue', schema: z._default(choice(['stop', 'continue']), 'stop') },
  RESPONSES_EVENTS: { example: 'reference', schema: z.optional(choice(['specified', 'reference'])) },
  RESPONSES_EXTERNAL_TOOLS: { example: 'true', schema: z._default(flag(), true) },
  RESPONSES_FIELDS: { example: 'reference', schema: z.optional(choice(['specified', 'reference'])) },
  RESPONSES_FOREIGN_TOOLS: { example: 'drop', schema: z.optional(choice(['refuse', 'drop'])) },
  RESPONSES_PROFILE: { example: 'apps', schema: z.optional(choice(['apps'])) },
  RESPONSES_TOOLS_BYTES: { example: '262144', schema: z.optional(wholeNumber(1_024, maxToolsBytes)) },
  RESPONSES_TURN_TIMEOUT_SECS: { example: '120', schema: z._default(wholeNumber(1, secondsPerDay), 120) },
  SERVICE_REBORN_WEBUI_TOKEN: { example: '<token, as printed by: openssl rand -hex 32>', schema: z.optional(secret()) },
  SIGN_IN_RATE_LIMIT: { example: '20', schema: z._default(wholeNumber(0, maxRate), 20) },
  SPEND_PER_DAY_USD: { example: '20', schema: z._default(amount(maxSpend), 0) },
  SPEND_PER_TURN_USD: { example: '5', schema: z._default(amount(maxSpend), 5) },
  STORAGE_PER_USER_MB: { example: '2048', schema: z._default(wholeNumber(0, maxStorageMb), 2048) },
  TELEGRAM_API_URL: {
    example: 'https://api.telegram.org',
    schema: z._default(serverUrl(), 'https://api.telegram.org'),
  },
  TOOL_PROCESSES: { example: '4', schema: z._default(wholeNumber(1, 64), 4) },
  TRUST_PROXY: { example: 'true', schema: z._default(trustProxy(), false) },
  TURNS_MAX_RUNNING: { example: '4000', schema: z._default(wholeNumber(1, 100_000), 4_000) },
  WEBHOOK_RATE_LIMIT: { example: '60', schema: z._default(wholeNumber(0, maxRate), 60) },
  WRITE_RATE_LIMIT: { example: '600', schema: z.optional(wholeNumber(0, maxRate)) },
}

export type VariableName = keyof typeof variables

type Schemas = { [N in VariableName]: (typeof variables)[N]['schema'] }

export const variableNames = Object.keys(variables) as readonly VariableName[]

/** An example value of a variable. For a secret it is a placeholder in angle brackets. */
export function exampleOf(name: VariableName): string {
  return variables[name].example
}

const Variables = z.object(Object.fromEntries(variableNames.map((name) => [name, variables[name].schema])) as Schemas)

export type Values = z.output<typeof Variables>
/** The values before checks. They tell a faulty variable from a missing one. */
export type RawValues = { readonly [N in VariableName]?: string }
/** Receives the line of a fault. Reading continues, so that all faults are reported at once. */
export type Report = (line: string) => void

/** The variables of this service that an environment sets. An empty one counts as not set. */
export function rawValuesIn(env: Readonly<Record<string, string | undefined>>): RawValues {
  return Object.fromEntries(variableNames.flatMap((name) => (env[name] ? [[name, env[name]]] : [])))
}

/** Parses the values. A faulty variable is reported and treated as not set. */
export function parseValues(raw: RawValues, report: Report): Values {
  const first = z.safeParse(Variables, raw)
  if (first.success) return first.data
  const faulty = new Map(first.error.issues.map((issue) => [issue.path[0] as VariableName, issue.message]))
  for (const [name, problem] of faulty) report(fault(name, problem))
  return z.parse(
    Variables,
    Object.fromEntries(Object.entries(raw).filter(([name]) => !faulty.has(name as VariableName))),
  )
}

/** One line: the variable, the problem, and an example of it or of the missing variable. */
export function fault(name: VariableName, problem: string, missing: VariableName = name): string {
  return `${name} ${problem}. Example: ${missing}=${exampleOf(missing)}`
}
