// The `auth` and `setup` parts of a capability file: how a user gives a tool its secrets.
import * as z from 'zod/mini'
import { isProviderKey } from '#core/providers.ts'
import { entries, fields, flag, integer, list, text } from './checked.ts'

export type Auth = ReturnType<typeof authOf>
export type OAuth = NonNullable<Auth['oauth']>
export type RequiredSecret = z.output<typeof requiredSecret>

export const secretName = text({ pattern: /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/, example: 'github_token' })

/** Variables of the service and the machine. A capability file that could name them could send their values out. */
const reservedPrefixes = (
  'ATRIUM_ GATEWAY_ HTTP_ HTTPS_ SERVICE_ LLM_ OIDC_ OTEL_ DATABASE_ PG NODE_ NPM_ LD_ DYLD_ SSH_ AWS_ RESPONSES_ ' +
  'WEBHOOK_ CHAT_ TOOL_ CLI_ TRUST_ EMBEDDING_'
).split(' ')
const reservedNames = ['PATH', 'HOME', 'USER', 'SHELL', 'PWD', 'TMPDIR', 'LANG', 'LOG_LEVEL', 'NO_PROXY', 'ALL_PROXY']
/** Any variable with such a prefix is a provider's: keys end in _API_KEY, _AUTH_TOKEN, _ADMIN_KEY, _API_KEY_2 and more. */
const providerPrefixes =
  'OPENAI ANTHROPIC CLAUDE GEMINI GOOGLE_GENERATIVE_AI GOOGLE_AI GOOGLE_API GOOGLE_APPLICATION VERTEX ' +
  'MISTRAL GROQ OPENROUTER DEEPSEEK XAI COHERE TOGETHER FIREWORKS AZURE_OPENAI BEDROCK OLLAMA CEREBRAS NEARAI'
const providerName = new RegExp(`^(?:(?:${providerPrefixes.replaceAll(' ', '|')})_|GOOGLE_(?:KEY|TOKEN)$)`)

/** OAuth parameters that only the host sets. With them a file could redirect the code or ask for more scopes. */
const reservedParams = (
  'client_id client_secret redirect_uri response_type response_mode scope state nonce code grant_type code_verifier ' +
  'code_challenge code_challenge_method request request_uri'
).split(' ')

const link = text({
  pattern: /^https:\/\/[A-Za-z0-9.-]+(?::\d{1,5})?(?:[/?#][\x21-\x7e]*)?$/,
  example: 'https://example.com/tokens',
})

/** Plain http is only allowed to this machine, for tests. */
const serverLink = text({
  pattern:
    /^(?:https:\/\/[A-Za-z0-9.-]+|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(?:[/?][\x21\x22\x24-\x7e]*)?$/,
  example: 'https://login.example.com/token',
})

const variable = text({ pattern: /^[A-Za-z_][A-Za-z0-9_]{0,99}$/, example: 'GITHUB_TOKEN' }).check(
  z.refine((name) => !isReservedVariable(name), {
    error: ({ input }) => `must not be ${String(input)}: it belongs to the service, a model provider or the machine`,
  }),
)

const oauth = fields({
  authorization_url: serverLink,
  token_url: serverLink,
  issuer: z.optional(serverLink),
  client_id: z.optional(text()),
  client_id_env: z.optional(variable),
  client_secret_env: z.optional(variable),
  scopes: z._default(list(text()), []),
  use_pkce: z._default(flag(), true),
  extra_params: z._default(entries(text()), {}),
}).check(
  z.refine((each) => each.client_id !== undefined || each.client_id_env !== undefined, {
    error: 'needs client_id or client_id_env',
  }),
  ({ value, issues }) => {
    for (const name of Object.keys(value.extra_params).filter((each) => reservedParams.includes(each.toLowerCase()))) {
      const message = 'is a parameter that only the host sets'
      issues.push({ code: 'custom', path: ['extra_params', name], message, input: value })
    }
  },
)

/** The `auth` part of a file. */
export const authSchema = fields({
  secret_name: secretName,
  display_name: z.optional(text()),
  instructions: z.optional(text()),
  setup_url: z.optional(link),
  token_hint: z.optional(text()),
  env_var: z.optional(variable),
  oauth: z.optional(oauth),
  validation_endpoint: z.optional(
    fields({
      url: serverLink,
      method: z._default(z.enum(['GET', 'HEAD'], { error: 'must be GET or HEAD' }), 'GET'),
      success_status: z._default(integer(200, 299), 200),
    }),
  ),
})

/** An entry of `setup.required_secrets`. A string is the name of a required secret. */
export const requiredSecret = z.pipe(
  z.transform((each: unknown) => (typeof each === 'string' ? { name: each } : each)),
  fields({ name: secretName, prompt: z.optional(text()), optional: z._default(flag(), false) }),
)

/** The checked `auth` part under the names of the code. */
export function authOf(auth: z.output<typeof authSchema>) {
  return {
    secretName: auth.secret_name,
    displayName: auth.display_name,
    instructions: auth.instructions,
    setupUrl: auth.setup_url,
    tokenHint: auth.token_hint,
    envVar: auth.env_var,
    oauth: auth.oauth && {
      authorizationUrl: auth.oauth.authorization_url,
      tokenUrl: auth.oauth.token_url,
      clientId: auth.oauth.client_id,
      clientIdEnv: auth.oauth.client_id_env,
      clientSecretEnv: auth.oauth.client_secret_env,
      scopes: auth.oauth.scopes,
      usePkce: auth.oauth.use_pkce,
      extraParams: new Map(Object.entries(auth.oauth.extra_params)),
      /** The expected `iss` parameter of the redirect (RFC 9207). */
      issuer: auth.oauth.issuer,
    },
    /** A request that succeeds only with a valid token. */
    validation: auth.validation_endpoint && {
      url: auth.validation_endpoint.url,
      method: auth.validation_endpoint.method,
      status: auth.validation_endpoint.success_status,
    },
  }
}

/** True for a variable that a capability file may not name. */
export function isReservedVariable(name: string): boolean {
  const upper = name.toUpperCase()
  const prefixed = reservedPrefixes.some((prefix) => upper.startsWith(prefix))
  return prefixed || reservedNames.includes(upper) || isProviderKey(upper) || providerName.test(upper)
}
