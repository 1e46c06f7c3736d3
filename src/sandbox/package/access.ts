// The rights of a tool as rows, made from its capability file. The command line and the web page word them.
import type { AccessRow } from '#core/admin.ts'
import { coversPattern, type Endpoint, type HostPattern } from '#safety/urls.ts'
import { isAddressHost, isLoopbackHost, showPattern } from '#safety/urls.ts'
import { addressKind } from '#net/addresses.ts'
import { callDeadlineMs, maxRequestsPerCall } from '#sandbox/child/limits.ts'
import type { Auth, OAuth } from './auth.ts'
import type { Credential, Location } from './http.ts'
import type { Capabilities } from './capabilities.ts'

/** One row for each right: hosts, secrets, variables, folders, other tools. Empty for a tool without rights. */
export function accessRows(capabilities: Capabilities): AccessRow[] {
  const { allowlist, credentials, auth, requiredSecrets, secretNames, workspace, aliases, actions } = capabilities
  const rows: AccessRow[] = [
    ...allowlist.map(({ host, pathPrefix: path, methods }) => {
      const near = nearOf(host)
      return { kind: 'http' as const, methods, host: showPattern(host), path, ...(near && { near }) }
    }),
    ...credentials.map(({ secretName: secret, hosts, location }) => {
      return { kind: 'secret' as const, secret, hosts: hosts.map(showPattern), place: placeOf(location) }
    }),
    ...secretNames.map((secret) => ({ kind: 'secret_known' as const, secret })),
    ...requiredSecrets.map(({ name: secret, optional }) => ({ kind: 'setup' as const, secret, optional })),
    ...(auth ? authRows(auth) : []),
    ...workspace.map((folder) => ({ kind: 'workspace' as const, folder })),
    ...[...aliases.values()].map((tool) => ({ kind: 'tool' as const, tool })),
    ...actions.flatMap(({ id, readOnly }) => (readOnly ? [{ kind: 'action' as const, action: id }] : [])),
  ]
  return [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()]
}

/** `after` without the hosts, methods, secrets and folders that `before` covers: they may be narrower there than here. */
export function withoutRightsOf(before: Capabilities, after: Capabilities): Capabilities {
  return {
    ...after,
    allowlist: after.allowlist.flatMap((endpoint) => {
      const methods = endpoint.methods.filter(
        (method) => !before.allowlist.some((each) => covers(each, endpoint, method)),
      )
      return methods.length > 0 ? [{ ...endpoint, methods }] : []
    }),
    credentials: after.credentials.flatMap((credential) => {
      const key = credentialKey(credential)
      const known = before.credentials.filter((each) => credentialKey(each) === key).flatMap(({ hosts }) => hosts)
      const hosts = credential.hosts.filter((host) => !known.some((each) => coversHost(each, host)))
      return hosts.length > 0 ? [{ ...credential, hosts }] : []
    }),
    workspace: after.workspace.filter((folder) => !before.workspace.some((each) => folder.startsWith(each))),
  }
}

function covers(outer: Endpoint, inner: Endpoint, method: string): boolean {
  return (
    coversHost(outer.host, inner.host) &&
    inner.pathPrefix.startsWith(outer.pathPrefix) &&
    outer.methods.includes(method)
  )
}

/** Without a port, only the scheme's default port is covered, so both must name the same one or none. */
function coversHost(outer: HostPattern, inner: HostPattern): boolean {
  return outer.port === inner.port && coversPattern(outer, inner)
}

/** Which secret goes where in a request. */
function credentialKey({ secretName, location }: Credential): string {
  return JSON.stringify([secretName, location])
}

/** The time limit of a call and the tool's request rates. Not a right, so `accessRows` leaves it out. */
export function limitsRow({ allowlist, rateLimit: { perMinute, perHour } }: Capabilities): AccessRow {
  const seconds = callDeadlineMs / 1_000
  if (allowlist.length === 0) return { kind: 'limits', seconds }
  if (!perMinute && !perHour) return { kind: 'limits', seconds, requests: maxRequestsPerCall }
  return { kind: 'limits', seconds, ...(perMinute && { minute: perMinute }), ...(perHour && { hour: perHour }) }
}

/** How a tool signs in, and every environment variable that its file names, with its use. */
function authRows({ secretName: secret, setupUrl, envVar, oauth }: Auth): AccessRow[] {
  return [
    { kind: 'auth', secret },
    ...(setupUrl === undefined ? [] : [{ kind: 'page' as const, url: setupUrl }]),
    ...(envVar === undefined ? [] : [{ kind: 'env' as const, variable: envVar, use: 'secret' as const, secret }]),
    ...(oauth ? signInRows(oauth) : []),
  ]
}

function signInRows({
  authorizationUrl,
  tokenUrl,
  clientId,
  clientIdEnv,
  clientSecretEnv,
  scopes,
}: OAuth): AccessRow[] {
  const variables = [
    [clientIdEnv, 'client_id'],
    [clientSecretEnv, 'client_secret'],
  ] as const
  return [
    ...variables.flatMap(([variable, use]) =>
      variable === undefined ? [] : [{ kind: 'env' as const, variable, use }],
    ),
    {
      kind: 'sign_in',
      url: authorizationUrl,
      tokens: tokenUrl,
      ...(clientId !== undefined && { client: clientId }),
    },
    ...scopes.map((scope) => ({ kind: 'scope' as const, scope })),
  ]
}

type Place = Extract<AccessRow, { kind: 'secret' }>['place']

function placeOf(location: Location): Place {
  switch (location.type) {
    case 'bearer':
      return { type: 'bearer' }
    case 'basic':
      return { type: 'basic', name: location.username }
    case 'header':
      return { type: 'header', name: location.name }
    case 'query_param':
      return { type: 'query', name: location.name }
    case 'url_path':
      return { type: 'path', name: location.placeholder }
    default:
      return location satisfies never
  }
}

/** `machine` for this machine, `network` for a private network; undefined for the internet. */
function nearOf({ host }: HostPattern): 'machine' | 'network' | undefined {
  if (isLoopbackHost(host)) return 'machine'
  const inside = isAddressHost(host) && addressKind(host.replaceAll(/[[\]]/g, '')) !== 'public'
  return inside ? 'network' : undefined
}
