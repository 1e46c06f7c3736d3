// What a tool may do, in plain words: what a person reads before saying yes.
import { showPattern } from '#safety/urls.ts'
import type { Capabilities } from './capabilities.ts'

/** One line for each right: hosts, secrets, variables, folders, other tools. */
export function describeAccess(capabilities: Capabilities): string[] {
  const { allowlist, credentials, auth, requiredSecrets, secretNames, workspace, aliases } = capabilities
  const lines = [
    ...allowlist.map(
      ({ host, pathPrefix, methods }) => `sends ${methods.join(', ')} to ${showPattern(host)}${pathPrefix}`,
    ),
    ...credentials.map(
      ({ secretName, hosts }) => `uses the secret ${secretName} at ${hosts.map(showPattern).join(', ')}`,
    ),
    ...secretNames.map((name) => `may ask whether the secret ${name} is set`),
    ...requiredSecrets.map(
      ({ name, optional }) => `needs the secret ${name} at set-up${optional ? ' (optional)' : ''}`,
    ),
    ...(auth ? [`takes the secret ${auth.secretName} by tool auth`] : []),
    ...variablesOf(capabilities).map((name) => `reads the environment variable ${name}`),
    ...(auth?.oauth ? [`signs in at ${auth.oauth.authorizationUrl}, tokens from ${auth.oauth.tokenUrl}`] : []),
    ...workspace.map((folder) => `reads the workspace folder ${folder}`),
    ...[...aliases.values()].map((name) => `runs the tool ${name}`),
  ]
  return lines.length > 0 ? [...new Set(lines)] : ['reaches nothing: no hosts, no secrets']
}

/** The rights that an update would add; empty when it asks for nothing new. */
export function widened(before: Capabilities, after: Capabilities): string[] {
  const had = new Set(describeAccess(before))
  return describeAccess(after).filter((line) => !had.has(line) && !line.startsWith('reaches nothing'))
}

/** Every environment variable that the file names. */
function variablesOf({ auth }: Capabilities): string[] {
  return [auth?.envVar, auth?.oauth?.clientIdEnv, auth?.oauth?.clientSecretEnv].filter((name) => name !== undefined)
}
