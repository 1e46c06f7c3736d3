// The secrets that a tool needs, by its capability file. Pure.
import type { RequiredSecret } from '#sandbox/package/auth.ts'
import type { Capabilities } from '#sandbox/package/capabilities.ts'
import { showPattern } from '#safety/urls.ts'

/** The name in the secret store of a tool's secret. A tool cannot name provider keys or secrets of other tools. */
export function storedSecretName(tool: string, name: string): string {
  return `tool/${tool}/${name}`
}

/** The tool and the secret of a name made by `storedSecretName`; undefined for any other name. */
export function readStoredSecretName(name: string): { tool: string; secret: string } | undefined {
  const parts = /^tool\/([^/]+)\/([^/]+)$/.exec(name)
  return parts ? { tool: parts[1] ?? '', secret: parts[2] ?? '' } : undefined
}

/**
 * The secrets that the set-up asks for: those that the file requires, the OAuth client, and those of credentials that
 * nothing else sets. Secrets whose existence the tool may ask about are optional.
 */
export function setupSecrets(capabilities: Capabilities): readonly RequiredSecret[] {
  const { requiredSecrets, credentials, secretNames, auth } = capabilities
  const found = new Map(requiredSecrets.map((each) => [each.name, each]))
  const add = (name: string, optional: boolean): void => {
    if (name !== auth?.secretName && !found.has(name)) found.set(name, { name, optional })
  }
  const { id, secret } = clientSecrets(capabilities)
  if (id !== undefined) add(id, false)
  if (secret !== undefined) add(secret, true)
  for (const { secretName } of credentials) add(secretName, false)
  for (const name of secretNames) add(name, true)
  return [...found.values()]
}

/** The steps, in order, that still have to set secrets which the tool cannot work without. */
export function openSteps(capabilities: Capabilities, has: (secret: string) => boolean): readonly ('setup' | 'auth')[] {
  const { auth } = capabilities
  const needsSetup = requiredAtSetup(capabilities).some((name) => !has(name))
  return [...(needsSetup ? (['setup'] as const) : []), ...(auth && !has(auth.secretName) ? (['auth'] as const) : [])]
}

/** The names of the secrets that a tool cannot work without. */
export function requiredSecretNames(capabilities: Capabilities): readonly string[] {
  const { auth } = capabilities
  return [...requiredAtSetup(capabilities), ...(auth ? [auth.secretName] : [])]
}

function requiredAtSetup(capabilities: Capabilities): readonly string[] {
  return setupSecrets(capabilities).flatMap(({ name, optional }) => (optional ? [] : [name]))
}

/**
 * The names of the secrets for the client of a tool's OAuth, which are used when neither the file nor a variable sets it.
 * They are named like the variables, in the case that the set-up uses, else in lower case.
 */
export function clientSecrets({ auth, requiredSecrets }: Capabilities): { id?: string; secret?: string } {
  const oauth = auth?.oauth
  const named = (variable: string): string =>
    requiredSecrets.find(({ name }) => name.toLowerCase() === variable.toLowerCase())?.name ?? variable.toLowerCase()
  return {
    ...(oauth?.clientId === undefined && oauth?.clientIdEnv !== undefined && { id: named(oauth.clientIdEnv) }),
    ...(oauth?.clientSecretEnv !== undefined && { secret: named(oauth.clientSecretEnv) }),
  }
}

/** The environment variable that takes precedence over a stored secret, if there is one. */
export function variableOf({ auth, ...rest }: Capabilities, secret: string): string | undefined {
  if (auth?.secretName === secret) return auth.envVar
  const client = clientSecrets({ auth, ...rest })
  if (client.id === secret) return auth?.oauth?.clientIdEnv
  return client.secret === secret ? auth?.oauth?.clientSecretEnv : undefined
}

/** The hosts that a tool sends a secret to. A secret of the OAuth client goes to the token endpoint. */
export function hostsOf({ credentials, auth }: Capabilities, secret: string): string[] {
  const hosts = credentials
    .filter(({ secretName }) => secretName === secret)
    .flatMap((each) => each.hosts.map(showPattern))
  if (auth?.oauth && secret !== auth.secretName && hosts.length === 0) return [new URL(auth.oauth.tokenUrl).host]
  return [...new Set(hosts)]
}
