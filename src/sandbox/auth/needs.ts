// Which secrets a tool needs, read from its capability file. Pure.
import type { RequiredSecret } from '#sandbox/package/auth.ts'
import type { Capabilities } from '#sandbox/package/capabilities.ts'
import { showPattern } from '#safety/urls.ts'

/** Where a tool's secret is kept: apart from provider keys and from other tools', which it cannot name. */
export function toolSecret(tool: string, name: string): string {
  return `tool/${tool}/${name}`
}

/** The tool and the secret of such a place; undefined for any other name. */
export function readToolSecret(place: string): { tool: string; secret: string } | undefined {
  const parts = /^tool\/([^/]+)\/([^/]+)$/.exec(place)
  return parts ? { tool: parts[1] ?? '', secret: parts[2] ?? '' } : undefined
}

/**
 * What a set-up asks for: the secrets that the file names for it, the client of its OAuth, those of credentials that
 * nothing else would set, and, as optional ones, those that the tool may only ask about.
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

/** What brings the secrets that a tool cannot work without and that nobody has stored yet, in the order to do it. */
export function openSteps(capabilities: Capabilities, has: (secret: string) => boolean): readonly ('setup' | 'auth')[] {
  const { auth } = capabilities
  const lacks = setupSecrets(capabilities).some(({ name, optional }) => !optional && !has(name))
  return [...(lacks ? (['setup'] as const) : []), ...(auth && !has(auth.secretName) ? (['auth'] as const) : [])]
}

/**
 * The secrets that stand for the client of a tool's OAuth where neither the file nor a variable gives it: named as the
 * variables are, in whichever case the set-up writes them.
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

/** The variable that stands for a secret, if one does. */
export function variableOf({ auth, ...rest }: Capabilities, secret: string): string | undefined {
  if (auth?.secretName === secret) return auth.envVar
  const client = clientSecrets({ auth, ...rest })
  if (client.id === secret) return auth?.oauth?.clientIdEnv
  return client.secret === secret ? auth?.oauth?.clientSecretEnv : undefined
}

/** The hosts that a tool sends a secret to. */
export function hostsOf({ credentials, auth }: Capabilities, secret: string): string[] {
  const hosts = credentials
    .filter(({ secretName }) => secretName === secret)
    .flatMap((each) => each.hosts.map(showPattern))
  const client = auth?.oauth ? [new URL(auth.oauth.tokenUrl).host] : []
  const isClient = auth?.oauth !== undefined && secret !== auth.secretName && hosts.length === 0
  return [...new Set([...hosts, ...(isClient ? client : [])])]
}
