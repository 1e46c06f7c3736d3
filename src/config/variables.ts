// The table of environment variables: an example, a schema and a default for each.
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
  trust,
  whole,
} from './schemas.ts'

/** Every variable read here, with an example; the documentation is held to it. */
export const examples = {
  ANTHROPIC_API_KEY: '<key>',
  ATRIUM_HOME: '/var/lib/atrium',
  ATRIUM_MASTER_KEY: '<64 hex digits, as printed by: openssl rand -hex 32>',
  ATRIUM_PRIVATE_HOSTS: 'localhost:8000,192.168.1.20,wiki.example.lan',
  ATRIUM_SHELL: 'true',
  ATRIUM_WORKSPACE: '/srv/work',
  CHAT_RATE_LIMIT: '30',
  CLI_ENABLED: 'false',
  DATABASE_URL: 'postgres://user:password@127.0.0.1:5432/atrium',
  EMBEDDING_API_KEY: '<key>',
  EMBEDDING_BASE_URL: 'http://127.0.0.1:4010/v1',
  EMBEDDING_MODEL: 'nomic-embed-text',
  EMBEDDING_PROVIDER: 'ollama',
  GATEWAY_ALLOWED_ORIGINS: 'https://atrium.example.com,https://chat.example.com',
  GATEWAY_AUTH_TOKEN: '<token, as printed by: openssl rand -hex 32>',
  GATEWAY_ENABLED: 'true',
  GATEWAY_HOST: '127.0.0.1',
  GATEWAY_PORT: '3000',
  GEMINI_API_KEY: '<key>',
  GOOGLE_API_KEY: '<key>',
  HTTP_ENABLED: 'true',
  HTTP_HOST: '127.0.0.1',
  HTTP_PORT: '8080',
  HTTP_WEBHOOK_SECRET: '<secret, as printed by: openssl rand -hex 32>',
  LLM_API_KEY: '<key>',
  LLM_BASE_URL: 'http://127.0.0.1:4010/v1',
  LLM_FALLBACK: 'openai/gpt-5.4-mini,ollama/qwen3',
  LLM_MODEL: 'gpt-5.4-mini',
  LLM_PRICE: '0.75,4.5',
  LLM_PROVIDER: 'openai-compatible',
  LLM_SCRIPT: 'replies.json',
  LLM_WINDOW: '32768',
  LOG_LEVEL: 'info',
  OIDC_ALLOWED_DOMAINS: 'example.com,example.org',
  OIDC_AUDIENCE: 'atrium',
  OIDC_CLIENT_ID: 'atrium',
  OIDC_CLIENT_SECRET: '<secret>',
  OIDC_ISSUER: 'https://login.example.com',
  OPENAI_API_KEY: '<key>',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20<key>',
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'false',
  OTEL_SERVICE_NAME: 'atrium',
  RESPONSES_EXTERNAL_TOOLS: 'true',
  RESPONSES_TURN_TIMEOUT_SECS: '120',
  SERVICE_REBORN_WEBUI_TOKEN: '<token, as printed by: openssl rand -hex 32>',
  SIGN_IN_RATE_LIMIT: '20',
  SPEND_PER_DAY_USD: '20',
  SPEND_PER_TURN_USD: '5',
  TOOL_PROCESSES: '4',
  TRUST_PROXY: 'true',
  TURNS_MAX_RUNNING: '4000',
  WEBHOOK_RATE_LIMIT: '60',
} as const

export type Name = keyof typeof examples

export const names = Object.keys(examples) as readonly Name[]

const secondsPerDay = 86_400
const highestRate = 1_000_000
const highestSpend = 1_000_000

const Variables = z.object({
  ANTHROPIC_API_KEY: z.optional(secret()),
  ATRIUM_HOME: z.optional(z.string()),
  ATRIUM_MASTER_KEY: z.optional(z.string().check(z.regex(/^[0-9a-f]{64}$/i, 'must be 64 hex digits'))),
  ATRIUM_PRIVATE_HOSTS: z._default(privateHosts(), []),
  ATRIUM_SHELL: z._default(flag(), false),
  ATRIUM_WORKSPACE: z.optional(z.string()),
  CHAT_RATE_LIMIT: z._default(whole(0, highestRate), 30),
  CLI_ENABLED: z._default(flag(), true),
  DATABASE_URL: z.optional(databaseUrl()),
  EMBEDDING_API_KEY: z.optional(secret()),
  EMBEDDING_BASE_URL: z.optional(serverUrl()),
  EMBEDDING_MODEL: z.optional(label()),
  EMBEDDING_PROVIDER: z.optional(choice(embeddingProviders)),
  GATEWAY_ALLOWED_ORIGINS: z._default(origins(), []),
  GATEWAY_AUTH_TOKEN: z.optional(secret()),
  GATEWAY_ENABLED: z._default(flag(), true),
  GATEWAY_HOST: z._default(host(), '127.0.0.1'),
  GATEWAY_PORT: z._default(whole(0, 65_535), 3000),
  GEMINI_API_KEY: z.optional(secret()),
  GOOGLE_API_KEY: z.optional(secret()),
  HTTP_ENABLED: z.optional(flag()),
  HTTP_HOST: z._default(host(), '0.0.0.0'),
  HTTP_PORT: z._default(whole(0, 65_535), 8080),
  HTTP_WEBHOOK_SECRET: z.optional(passphrase()),
  LLM_API_KEY: z.optional(secret()),
  LLM_BASE_URL: z.optional(serverUrl()),
  LLM_FALLBACK: z.optional(fallbacks()),
  LLM_MODEL: z.optional(label()),
  LLM_PRICE: z.optional(tokenPrice()),
  LLM_PROVIDER: z.optional(choice(providerNames)),
  LLM_SCRIPT: z.optional(z.string()),
  LLM_WINDOW: z.optional(whole(1_000, 100_000_000)),
  LOG_LEVEL: z._default(choice(logLevels), 'info'),
  OIDC_ALLOWED_DOMAINS: z._default(domains(), []),
  OIDC_AUDIENCE: z.optional(label()),
  OIDC_CLIENT_ID: z.optional(label()),
  OIDC_CLIENT_SECRET: z.optional(passphrase()),
  OIDC_ISSUER: z.optional(serverUrl()),
  OPENAI_API_KEY: z.optional(secret()),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.optional(serverUrl()),
  OTEL_EXPORTER_OTLP_HEADERS: z._default(headerList(), {}),
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: z._default(flag(), false),
  OTEL_SERVICE_NAME: z._default(label(), 'atrium'),
  RESPONSES_EXTERNAL_TOOLS: z._default(flag(), true),
  RESPONSES_TURN_TIMEOUT_SECS: z._default(whole(1, secondsPerDay), 120),
  SERVICE_REBORN_WEBUI_TOKEN: z.optional(secret()),
  SIGN_IN_RATE_LIMIT: z._default(whole(0, highestRate), 20),
  SPEND_PER_DAY_USD: z._default(amount(highestSpend), 0),
  SPEND_PER_TURN_USD: z._default(amount(highestSpend), 5),
  TOOL_PROCESSES: z._default(whole(1, 64), 4),
  TRUST_PROXY: z._default(trust(), false),
  TURNS_MAX_RUNNING: z._default(whole(1, 100_000), 4_000),
  WEBHOOK_RATE_LIMIT: z._default(whole(0, highestRate), 60),
} satisfies Record<Name, z.ZodMiniType>)

/** The checked values. */
export type Values = z.output<typeof Variables>
/** What was set, before it was checked: a faulty variable is not a missing one. */
export type Given = { readonly [N in Name]?: string }
/** Takes the line of a fault; the reading goes on, so that all are told at once. */
export type Report = (line: string) => void

/** What of an environment is ours and set. An empty text is the same as none. */
export function givenIn(env: Readonly<Record<string, string | undefined>>): Given {
  return Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])))
}

/** Reports each faulty variable and goes on as if it were not set. */
export function parse(given: Given, report: Report): Values {
  const first = z.safeParse(Variables, given)
  if (first.success) return first.data
  const faulty = new Map(first.error.issues.map((issue) => [issue.path[0] as Name, issue.message]))
  for (const [name, problem] of faulty) report(fault(name, problem))
  return z.parse(Variables, Object.fromEntries(Object.entries(given).filter(([name]) => !faulty.has(name as Name))))
}

/** One line: the variable, what is wrong, and an example of it or of the one that is missing. */
export function fault(name: Name, problem: string, missing: Name = name): string {
  return `${name} ${problem}. Example: ${missing}=${examples[missing]}`
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** An optional property is absent or has a value, never undefined. */
export function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>
}
