// How servers describe their sign-in: the challenge of a 401, the metadata of a resource (RFC 9728) and of an
// authorization server (RFC 8414). Pure: discover.ts sends the requests.
import { isObject } from '#core/json.ts'
import { isListedHost } from '#net/guarded-dial.ts'

const maxHeaderChars = 16_384
const maxUrlChars = 2_048
const maxScopes = 100
const maxScopeChars = 1_000
const maxServers = 10
const maxShownChars = 200

/** Hosts that the operator named, as `name` or `name:port`: they may be private, and reached with plain http. */
export type PrivateHosts = readonly string[]

/** The sign-in that a 401 or 403 asks for. */
export type Challenge = { readonly metadataUrl?: string; readonly scopes?: readonly string[] }

/** Reads the Bearer challenge of a WWW-Authenticate header; other schemes in it are skipped. */
export function readChallenge(header: string | undefined): Challenge {
  const text = (header ?? '').slice(0, maxHeaderChars)
  const begin = /(?:^|[,\s])bearer(?=[\s,]|$)/i.exec(text)
  if (!begin) return {}
  const params = new Map<string, string>()
  const rest = text.slice(begin.index + begin[0].length)
  // Each step takes a parameter and the comma after it. A name without a value begins the next scheme.
  const param = /\s*([A-Za-z0-9_-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))\s*(?:,|$)/y
  for (let found = param.exec(rest); found; found = param.exec(rest)) {
    const [, name = '', quoted, plain] = found
    const value = quoted === undefined ? (plain ?? '') : quoted.replaceAll(/\\(.)/g, '$1')
    if (!params.has(name.toLowerCase())) params.set(name.toLowerCase(), value)
  }
  const metadataUrl = params.get('resource_metadata')
  const scopes = scopesIn(params.get('scope'))
  return {
    ...(metadataUrl !== undefined && { metadataUrl }),
    ...(scopes.length > 0 && { scopes }),
  }
}

/** Where the metadata of a resource may be: at its path, then at its host. */
export function resourceMetadataUrls(resource: string): string[] {
  return wellKnown(new URL(resource), 'oauth-protected-resource')
}

/** Where the metadata of an authorization server may be, by its issuer. */
export function serverMetadataUrls(issuer: string): string[] {
  const url = new URL(issuer)
  let end = url.pathname.length
  while (url.pathname[end - 1] === '/') end--
  const path = url.pathname.slice(0, end)
  const all = [
    `${url.origin}/.well-known/oauth-authorization-server${path}`,
    `${url.origin}/.well-known/openid-configuration${path}`,
    `${url.origin}${path}/.well-known/openid-configuration`,
  ]
  return [...new Set(all)]
}

function wellKnown({ origin, pathname, search }: URL, name: string): string[] {
  const path = pathname === '/' ? '' : pathname
  return [...new Set([`${origin}/.well-known/${name}${path}${search}`, `${origin}/.well-known/${name}`])]
}

export type ResourceMetadata = {
  /** The identifier of the resource, for the `resource` parameter. */
  readonly resource: string
  /** Its authorization servers. */
  readonly issuers: readonly Issuer[]
  readonly scopes: readonly string[]
}

/** The spellings of an issuer that its metadata may have: one, where somebody named it. */
export type Issuer = readonly [string, ...string[]]

/**
 * Reads the metadata of a resource. A string says what is wrong with it. The resource must be the address that was asked,
 * or a path above it on the same host: else a server could have tokens made for another.
 */
export function readResourceMetadata(body: string, url: string, hosts: PrivateHosts): ResourceMetadata | string {
  const metadata = parsed(body)
  if (!metadata) return 'its metadata is not a JSON object'
  const { resource, authorization_servers: servers } = metadata
  if (typeof resource !== 'string' || !covers(resource, url)) return 'its metadata is that of another resource'
  const issuers = Array.isArray(servers) ? servers.filter((each) => typeof each === 'string').slice(0, maxServers) : []
  const usable = issuers.filter((issuer) => isServerUrl(issuer, hosts))
  if (usable.length === 0) return `its metadata names no authorization server with https${wayOut(issuers)}`
  return { resource, issuers: usable.map((issuer) => [issuer]), scopes: scopeList(metadata['scopes_supported']) }
}

/**
 * A resource without metadata, as the protocol had it before RFC 9728: its host is its authorization server. Libraries
 * write the issuer with a slash at its end or without.
 */
export function ownServer(url: string): ResourceMetadata {
  const { origin, pathname, search } = new URL(url)
  return { resource: `${origin}${pathname}${search}`, issuers: [[origin, `${origin}/`]], scopes: [] }
}

function covers(resource: string, url: string): boolean {
  const [above, asked] = [URL.parse(resource), URL.parse(url)]
  if (!above || !asked || above.origin !== asked.origin || above.username !== '' || above.hash !== '') return false
  const path = above.pathname.endsWith('/') ? above.pathname : `${above.pathname}/`
  return `${asked.pathname}/`.startsWith(path) && (above.search === '' || above.search === asked.search)
}

export type ServerMetadata = {
  readonly issuer: string
  readonly authorizationUrl: string
  readonly tokenUrl: string
  readonly registrationUrl?: string
  /** The server sends its `iss` with every redirect (RFC 9207). */
  readonly sendsIssuer: boolean
  readonly scopes: readonly string[]
  /** How clients prove themselves at the token endpoint. */
  readonly clientAuth: readonly string[]
}

/** Reads the metadata of an authorization server. Its issuer must be exactly the one that was asked. */
export function readServerMetadata(body: string, asked: Issuer, hosts: PrivateHosts): ServerMetadata | string {
  const metadata = parsed(body)
  if (!metadata) return 'its metadata is not a JSON object'
  const issuer = asked.find((each) => each === metadata['issuer'])
  if (issuer === undefined) return 'its metadata names another issuer'
  const [authorizationUrl, tokenUrl] = [metadata['authorization_endpoint'], metadata['token_endpoint']]
  if (!isServerUrl(authorizationUrl, hosts) || !isServerUrl(tokenUrl, hosts))
    return `its metadata has no endpoints with https${wayOut([authorizationUrl, tokenUrl])}`
  const methods = metadata['code_challenge_methods_supported']
  if (!Array.isArray(methods) || !methods.includes('S256')) return 'it does not support PKCE with S256'
  const registrationUrl = metadata['registration_endpoint']
  const clientAuth = metadata['token_endpoint_auth_methods_supported']
  return {
    issuer,
    authorizationUrl,
    tokenUrl,
    ...(isServerUrl(registrationUrl, hosts) && { registrationUrl }),
    sendsIssuer: metadata['authorization_response_iss_parameter_supported'] === true,
    scopes: scopeList(metadata['scopes_supported']),
    clientAuth: Array.isArray(clientAuth)
      ? clientAuth.filter((each) => typeof each === 'string')
      : ['client_secret_basic'],
  }
}

/** The scopes to ask for: those of the challenge, else those of the resource, and a refresh token where it is offered. */
export function scopesFor(challenge: Challenge, resource: ResourceMetadata, server: ServerMetadata): readonly string[] {
  const asked = challenge.scopes ?? resource.scopes
  const renews = server.scopes.includes('offline_access') && !asked.includes('offline_access')
  return renews ? [...asked, 'offline_access'] : asked
}

export type RegisteredClient = { readonly id: string; readonly secret?: string }

/** The request to register a client (RFC 7591). A public client, where the server takes one. */
export function registrationBody(
  redirectUris: readonly string[],
  { clientAuth }: ServerMetadata,
  scopes: readonly string[],
) {
  const method =
    ['none', 'client_secret_basic', 'client_secret_post'].find((each) => clientAuth.includes(each)) ?? 'none'
  return {
    client_name: 'Atrium',
    application_type: 'native',
    redirect_uris: redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: method,
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
  }
}

/** Reads the answer to a registration. A string says why there is no client. */
export function readRegistration({ status, body }: { status: number; body: string }): RegisteredClient | string {
  const answer = parsed(body) ?? {}
  const [id, secret] = [answer['client_id'], answer['client_secret']]
  if (status === 200 || status === 201) {
    if (typeof id !== 'string' || id === '' || id.length > maxScopeChars) return 'it gave no client id'
    return { id, ...(typeof secret === 'string' && secret !== '' && { secret }) }
  }
  const reason = answer['error']
  return typeof reason === 'string' ? `it refused the registration: ${reason.slice(0, 100)}` : `it answered ${status}`
}

/** True for an https address, or plain http to a host that the operator named. */
function isServerUrl(value: unknown, hosts: PrivateHosts): value is string {
  const url = typeof value === 'string' && value.length <= maxUrlChars ? URL.parse(value) : null
  if (!url || url.username !== '' || url.password !== '' || url.hash !== '') return false
  const { protocol, hostname: host, port } = url
  return protocol === 'https:' || (protocol === 'http:' && isListedHost({ host, port: Number(port || 80) }, hosts))
}

/** How the operator can allow the first of these addresses that has plain http. */
function wayOut(addresses: readonly unknown[]): string {
  const urls = addresses.map((each) => (typeof each === 'string' ? URL.parse(each) : null))
  const host = urls.find((url) => url?.protocol === 'http:')?.host
  return host === undefined ? '' : `; ATRIUM_PRIVATE_HOSTS can allow ${host.slice(0, maxShownChars)} without it`
}

function scopeList(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(isScope).slice(0, maxScopes) : []
}

function scopesIn(text: string | undefined): string[] {
  return (text ?? '').split(' ').filter(isScope).slice(0, maxScopes)
}

function isScope(value: unknown): value is string {
  return typeof value === 'string' && value.length <= maxScopeChars && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value)
}

function parsed(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
