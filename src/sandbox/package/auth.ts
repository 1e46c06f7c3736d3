// The auth and setup parts of a capability file: how a user gives a tool its secrets.
import { entries, fields, type Findings, flag, items, text } from './checked.ts'

export type OAuth = {
  readonly authorizationUrl: string
  readonly tokenUrl: string
  readonly clientId?: string
  readonly clientIdEnv?: string
  readonly clientSecretEnv?: string
  readonly scopes: readonly string[]
  readonly usePkce: boolean
  readonly extraParams: ReadonlyMap<string, string>
}

export type Auth = {
  readonly secretName: string
  readonly displayName?: string
  readonly instructions?: string
  readonly setupUrl?: string
  readonly tokenHint?: string
  readonly envVar?: string
  readonly oauth?: OAuth
}

export type RequiredSecret = { readonly name: string; readonly prompt?: string; readonly optional: boolean }

/** How a secret is named. */
export const secretName = { pattern: /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/, like: 'github_token' }

const authKeys = ['secret_name', 'display_name', 'instructions', 'setup_url', 'token_hint', 'env_var', 'oauth']
const oauthKeys = ['authorization_url', 'token_url', 'client_id', 'client_id_env', 'client_secret_env', 'scopes']

/** Variables that are the service's or the machine's own: a file that could name them would read them out. */
const ownPrefixes = ['ATRIUM_', 'GATEWAY_', 'HTTP_', 'HTTPS_', 'SERVICE_', 'LLM_', 'OIDC_', 'DATABASE_', 'PG', 'NODE_']
const ownMore = ['NPM_', 'LD_', 'DYLD_', 'SSH_', 'AWS_', 'RESPONSES_', 'WEBHOOK_', 'CHAT_', 'TOOL_', 'CLI_', 'TRUST_']
const ownNames = ['PATH', 'HOME', 'USER', 'SHELL', 'PWD', 'TMPDIR', 'LANG', 'LOG_LEVEL', 'NO_PROXY', 'ALL_PROXY']
/** Whatever such a name begins is a provider's: keys come as _API_KEY, _AUTH_TOKEN, _ADMIN_KEY, _API_KEY_2 and more. */
const providers =
  'OPENAI ANTHROPIC CLAUDE GEMINI GOOGLE_GENERATIVE_AI GOOGLE_AI GOOGLE_API GOOGLE_APPLICATION VERTEX ' +
  'MISTRAL GROQ OPENROUTER DEEPSEEK XAI COHERE TOGETHER FIREWORKS AZURE_OPENAI BEDROCK OLLAMA CEREBRAS NEARAI'
const providerName = new RegExp(`^(?:(?:${providers.replaceAll(' ', '|')})_|GOOGLE_(?:KEY|TOKEN)$)`)

/** What makes a sign-in safe: a file that set these could send the code elsewhere or ask for more than its scopes. */
const ownParams = (
  'client_id client_secret redirect_uri response_type response_mode scope state nonce code grant_type code_verifier ' +
  'code_challenge code_challenge_method request request_uri'
).split(' ')

export function readAuth(value: unknown, findings: Findings): Auth | undefined {
  if (value === undefined) return undefined
  const auth = fields(value, 'auth', authKeys, findings)
  const optional = (key: string): string | undefined => text(auth[key], `auth.${key}`, findings, { optional: true })
  const secret = text(auth.secret_name, 'auth.secret_name', findings, secretName)
  const displayName = optional('display_name')
  const instructions = optional('instructions')
  const setupUrl = readLink(auth.setup_url, 'auth.setup_url', findings)
  const tokenHint = optional('token_hint')
  const envVar = readVariable(auth.env_var, 'auth.env_var', findings)
  const oauth = readOAuth(auth.oauth, findings)
  return {
    secretName: secret ?? '',
    ...(displayName !== undefined && { displayName }),
    ...(instructions !== undefined && { instructions }),
    ...(setupUrl !== undefined && { setupUrl }),
    ...(tokenHint !== undefined && { tokenHint }),
    ...(envVar !== undefined && { envVar }),
    ...(oauth && { oauth }),
  }
}

export function readRequiredSecrets(value: unknown, findings: Findings): RequiredSecret[] {
  return items(value, 'setup.required_secrets', findings).flatMap(([each, path]) => {
    if (typeof each === 'string') {
      const name = text(each, path, findings, secretName)
      return name === undefined ? [] : [{ name, optional: false }]
    }
    const entry = fields(each, path, ['name', 'prompt', 'optional'], findings)
    const name = text(entry.name, `${path}.name`, findings, secretName)
    const prompt = text(entry.prompt, `${path}.prompt`, findings, { optional: true })
    const optional = flag(entry.optional, `${path}.optional`, findings) ?? false
    return name === undefined ? [] : [{ name, ...(prompt !== undefined && { prompt }), optional }]
  })
}

/** True for a variable that a capability file may not name. */
export function isOwnVariable(name: string): boolean {
  const upper = name.toUpperCase()
  const prefixed = [...ownPrefixes, ...ownMore].some((prefix) => upper.startsWith(prefix))
  return prefixed || ownNames.includes(upper) || providerName.test(upper)
}

function readVariable(value: unknown, path: string, findings: Findings): string | undefined {
  const options = { pattern: /^[A-Za-z_][A-Za-z0-9_]{0,99}$/, like: 'GITHUB_TOKEN', optional: true }
  const name = text(value, path, findings, options)
  if (name === undefined || !isOwnVariable(name)) return name
  findings.faults.push(`${path} must not be ${name}: it belongs to the service, a model provider or the machine`)
  return undefined
}

function readLink(value: unknown, path: string, findings: Findings, optional = true): string | undefined {
  return text(value, path, findings, {
    pattern: /^https:\/\/[A-Za-z0-9.-]+(?::\d{1,5})?(?:[/?#][\x21-\x7e]*)?$/,
    like: 'https://example.com/tokens',
    optional,
  })
}

function readOAuth(value: unknown, findings: Findings): OAuth | undefined {
  if (value === undefined) return undefined
  const path = 'auth.oauth'
  const oauth = fields(value, path, [...oauthKeys, 'use_pkce', 'extra_params'], findings)
  const authorizationUrl = readLink(oauth.authorization_url, `${path}.authorization_url`, findings, false)
  const tokenUrl = readLink(oauth.token_url, `${path}.token_url`, findings, false)
  const clientId = text(oauth.client_id, `${path}.client_id`, findings, { optional: true })
  const clientIdEnv = readVariable(oauth.client_id_env, `${path}.client_id_env`, findings)
  const clientSecretEnv = readVariable(oauth.client_secret_env, `${path}.client_secret_env`, findings)
  if (oauth.client_id === undefined && oauth.client_id_env === undefined) {
    findings.faults.push(`${path} needs client_id or client_id_env`)
  }
  const extra = entries(oauth.extra_params, `${path}.extra_params`, findings).flatMap(([name, each, where]) => {
    const param = text(each, where, findings)
    if (ownParams.includes(name.toLowerCase())) findings.faults.push(`${where} is a parameter that only the host sets`)
    return param === undefined ? [] : [[name, param] as const]
  })
  return {
    authorizationUrl: authorizationUrl ?? '',
    tokenUrl: tokenUrl ?? '',
    ...(clientId !== undefined && { clientId }),
    ...(clientIdEnv !== undefined && { clientIdEnv }),
    ...(clientSecretEnv !== undefined && { clientSecretEnv }),
    scopes: items(oauth.scopes, `${path}.scopes`, findings).flatMap(
      ([each, where]) => text(each, where, findings) ?? [],
    ),
    usePkce: flag(oauth.use_pkce, `${path}.use_pkce`, findings) ?? true,
    extraParams: new Map(extra),
  }
}
