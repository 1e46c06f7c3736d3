// What a tool may do, in plain words: what a person reads before saying yes.
import { type HostPattern, isAddressHost, isLoopbackHost, showPattern } from '#safety/urls.ts'
import { addressKind } from '#net/addresses.ts'
import { callDeadlineMs, maxRequestsPerCall } from '#sandbox/child/limits.ts'
import type { OAuth } from './auth.ts'
import type { Location } from './http.ts'
import type { Capabilities } from './capabilities.ts'

/** One line for each right: hosts, secrets, variables, folders, other tools. */
export function describeAccess(capabilities: Capabilities): string[] {
  const { allowlist, credentials, auth, requiredSecrets, secretNames, workspace, aliases, actions } = capabilities
  const lines = [
    ...allowlist.map(
      ({ host, pathPrefix, methods }) =>
        `sends ${methods.join(', ')} to ${showPattern(host)}${pathPrefix}${nearby(host)}`,
    ),
    ...credentials.map(
      ({ secretName, hosts, location }) =>
        `uses the secret ${secretName} at ${hosts.map(showPattern).join(', ')}, ${placeOf(location)}`,
    ),
    ...secretNames.map((name) => `may ask whether the secret ${name} is set`),
    ...requiredSecrets.map(
      ({ name, optional }) => `needs the secret ${name} at set-up${optional ? ' (optional)' : ''}`,
    ),
    ...(auth ? [`takes the secret ${auth.secretName} by tool auth`] : []),
    ...(auth?.setupUrl === undefined ? [] : [`sends you to ${auth.setupUrl} for it`]),
    ...variablesOf(capabilities),
    ...(auth?.oauth ? signIn(auth.oauth) : []),
    ...workspace.map((folder) => `reads the workspace folder ${folder}`),
    ...[...aliases.values()].map((name) => `runs the tool ${name}`),
    ...actions.flatMap(({ id, readOnly }) =>
      readOnly ? [`does ${id} without being asked for: it may only send GET and HEAD`] : [],
    ),
  ]
  return lines.length > 0 ? [...new Set(lines)] : ['reaches nothing: no hosts, no secrets']
}

/** How long a call runs and how often it sends something. No right: a lower limit is no less to say yes to. */
export function describeLimits({ allowlist, rateLimit: { perMinute, perHour } }: Capabilities): string {
  const runs = `runs up to ${callDeadlineMs / 1_000} seconds at a time`
  if (allowlist.length === 0) return runs
  const [minute, hour] = [perMinute, perHour].map((rate) => rate?.toLocaleString('en'))
  const rates = [...(minute ? [`${minute} requests a minute`] : []), ...(hour ? [`${hour} requests an hour`] : [])]
  return `${runs}, with up to ${rates.join(' and ') || `${maxRequestsPerCall} requests`}`
}

/** The rights that an update would add; empty when it asks for nothing new. */
export function widened(before: Capabilities, after: Capabilities): string[] {
  const had = new Set(describeAccess(before))
  const added = describeAccess(after).filter((line) => !had.has(line) && !line.startsWith('reaches nothing'))
  return after.allowlist.length === 0 ? added : [...added, ...fasterRates(before.rateLimit, after.rateLimit)]
}

function fasterRates(before: Capabilities['rateLimit'], after: Capabilities['rateLimit']): string[] {
  const rates = [
    ['minute', before.perMinute, after.perMinute],
    ['hour', before.perHour, after.perHour],
  ] as const
  return rates
    .filter(([, old, now]) => (now ?? Number.POSITIVE_INFINITY) > (old ?? Number.POSITIVE_INFINITY))
    .map(([word, old, now]) => `sends ${now ?? 'any number of'} requests per ${word}, no longer at most ${old}`)
}

/** Every environment variable that the file names, with what becomes of its value. */
function variablesOf({ auth }: Capabilities): string[] {
  const uses = [
    [auth?.envVar, `the secret ${auth?.secretName}`],
    [auth?.oauth?.clientIdEnv, 'the client id'],
    [auth?.oauth?.clientSecretEnv, 'the client secret'],
  ] as const
  return uses.flatMap(([name, use]) => (name === undefined ? [] : [`reads the environment variable ${name} as ${use}`]))
}

function signIn({ authorizationUrl, tokenUrl, clientId, scopes }: OAuth): string[] {
  const client = clientId === undefined ? '' : `, as the client ${clientId}`
  return [
    `signs in at ${authorizationUrl}, tokens from ${tokenUrl}${client}`,
    ...scopes.map((scope) => `asks for the scope ${scope} at sign-in`),
  ]
}

function placeOf(location: Location): string {
  switch (location.type) {
    case 'bearer':
      return 'as a bearer token'
    case 'basic':
      return `as the password of ${location.username}`
    case 'header':
      return `in the header ${location.name}`
    case 'query_param':
      return `in the query as ${location.name}`
    case 'url_path':
      return `in the path as {${location.placeholder}}`
    default:
      return location satisfies never
  }
}

/** A word of warning at a host that is not on the internet. */
function nearby({ host }: HostPattern): string {
  if (isLoopbackHost(host)) return ' (this machine)'
  const inside = isAddressHost(host) && addressKind(host.replaceAll(/[[\]]/g, '')) !== 'public'
  return inside ? ' (a private network)' : ''
}
