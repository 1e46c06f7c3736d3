// Decides whether an allowlist permits a request by its method and URL.

/** A host of an allowlist: exactly this name or address, or every subdomain. Without a port, the scheme's default applies. */
export type HostPattern = {
  readonly type: 'exact' | 'subdomains'
  /** Lower case; an IPv6 address keeps its brackets. */
  readonly host: string
  readonly port?: number
}

/** One entry of an allowlist. */
export type Endpoint = {
  readonly host: HostPattern
  readonly pathPrefix: string
  /** Upper case. */
  readonly methods: readonly string[]
}

/** A URL after strict parsing. `path` and `query` are as written; `query` includes its question mark. */
export type Target = {
  readonly scheme: 'http' | 'https'
  readonly host: string
  readonly port: number
  readonly path: string
  readonly query: string
}

export type UrlVerdict =
  | { readonly type: 'allowed'; readonly target: Target }
  | { readonly type: 'blocked'; readonly reason: string }

/** Longer URLs are refused. */
export const maxUrlChars = 8_192
const maxHostChars = 253
/** No host is longer, with a name and password and however it is spelled. */
const maxAuthorityChars = 1_000
const defaultPort = { http: 80, https: 443 }

/** Parses a URL as the platform does; null for one that is too long. A host of many accents takes the square of its length. */
export function parseUrl(url: string): URL | null {
  if (url.length > maxUrlChars) return null
  const [, authority = ''] = /^[^:/?#]*:[\\/\s]*([^\\/?#]*)/.exec(url) ?? []
  return authority.length > maxAuthorityChars ? null : URL.parse(url)
}

/** Blocks every request that no entry of the allowlist permits; the reason says which part did not match. */
export function judgeUrl(method: string, url: string, allowlist: readonly Endpoint[]): UrlVerdict {
  const target = readUrl(url)
  if (typeof target === 'string') return blocked(target)
  const byHost = allowlist.filter(({ host }) => matchesHost(host, target.host))
  if (byHost.length === 0) return blocked(`the host ${target.host} is not in the allowlist`)
  if (target.scheme === 'http' && !(isLoopbackHost(target.host) && byHost.some(({ host }) => host.type === 'exact'))) {
    return blocked('plain http is only allowed to a loopback host that the allowlist names; use https')
  }
  const byPort = byHost.filter(({ host }) => (host.port ?? defaultPort[target.scheme]) === target.port)
  if (byPort.length === 0) return blocked(`port ${target.port} of ${target.host} is not in the allowlist`)
  const byPath = byPort.filter(({ pathPrefix }) => target.path.startsWith(pathPrefix))
  if (byPath.length === 0) return blocked(`the path is outside the allowed prefixes of ${target.host}`)
  if (!byPath.some(({ methods }) => methods.includes(method.toUpperCase()))) {
    return blocked(`${shownMethod(method)} is not an allowed method there`)
  }
  return { type: 'allowed', target }
}

/** Parses a URL and refuses any ambiguity; returns a string that says why it was refused. */
export function readUrl(url: string): Target | string {
  if (url.length > maxUrlChars) return `the URL is longer than ${maxUrlChars} characters`
  // Parsers disagree about spaces, control characters and backslashes.
  if (/[\0- \\\x7f]/.test(url)) return 'the URL has a space, a control character or a backslash'
  const parts = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)(\?[^#]*)?(?:#.*)?$/is.exec(url)
  if (!parts) return 'the URL is not of the form https://host/path'
  const [, schemeText = '', authority = '', path = '', query = ''] = parts
  const scheme = schemeText.toLowerCase()
  if (scheme !== 'https' && scheme !== 'http') return `the scheme ${scheme}: is not allowed; use https`
  if (authority.includes('@')) return 'the URL carries a user name or password'
  const address = readAuthority(authority)
  if (typeof address === 'string') return address
  const fault = pathFault(path)
  if (fault) return fault
  const target: Target = {
    scheme,
    host: address.host,
    port: address.port ?? defaultPort[scheme],
    path: path === '' ? '/' : path,
    query,
  }
  return agreesWithStandard(url, target) ? target : 'the host can be read in more than one way'
}

/** Parses a host of an allowlist; returns a string that says why it was refused. */
export function readHostPattern(text: string): HostPattern | string {
  if (text === '*' || text.startsWith('*:')) return 'a bare * would allow every host; name the hosts'
  if (/[/?#@\\\s]/.test(text)) return 'write the host alone, such as api.example.com or *.example.com'
  const wild = text.startsWith('*.')
  const address = readAuthority(wild ? text.slice(2) : text)
  if (typeof address === 'string') return address
  if (!wild) return { type: 'exact', ...address }
  if (isAddressHost(address.host) || !address.host.includes('.')) {
    return 'a pattern needs a domain of at least two labels, such as *.example.com'
  }
  return { type: 'subdomains', ...address }
}

/** True when the pattern covers the host. Ignores the port. */
export function matchesHost(pattern: HostPattern, host: string): boolean {
  return pattern.type === 'exact' ? host === pattern.host : host.endsWith(`.${pattern.host}`)
}

/** True when every host that `inner` covers is also covered by `outer`, the port included. */
export function coversPattern(outer: HostPattern, inner: HostPattern): boolean {
  if (inner.port !== undefined && outer.port !== inner.port) return false
  if (inner.type === 'exact') return matchesHost(outer, inner.host)
  return outer.type === 'subdomains' && (inner.host === outer.host || inner.host.endsWith(`.${outer.host}`))
}

/** A pattern as text, the way an allowlist writes it. */
export function showPattern({ type, host, port }: HostPattern): string {
  return `${type === 'subdomains' ? '*.' : ''}${host}${port === undefined ? '' : `:${port}`}`
}

/** True for an IP address instead of a name; IPv6 has brackets. */
export function isAddressHost(host: string): boolean {
  return host.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(host)
}

/** True for a host that names this machine without a lookup. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

/** Scheme, host and port as one text. Credentials and redirects are bound to it. */
export function originOf({ scheme, host, port }: Target): string {
  return `${scheme}://${host}:${port}`
}

/** The URL of a target, without the scheme's default port. */
export function showTarget(target: Target): string {
  return `${target.scheme}://${showServer(target)}${target.path}${target.query}`
}

/** The host, with the port if it is not the scheme's default. */
export function showServer({ scheme, host, port }: Target): string {
  return port === defaultPort[scheme] ? host : `${host}:${port}`
}

function blocked(reason: string): UrlVerdict {
  return { type: 'blocked', reason }
}

function readAuthority(text: string): { host: string; port?: number } | string {
  const parts = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(text.toLowerCase())
  if (!parts) return 'the host is not a name or an address'
  const [, host = '', portText] = parts
  const fault = host.startsWith('[') ? addressFault(host) : nameFault(host)
  if (fault) return fault
  if (portText === undefined) return { host }
  if (!/^[1-9]\d{0,4}$/.test(portText) || Number(portText) > 65_535) return 'the port is not a number from 1 to 65535'
  return { host, port: Number(portText) }
}

function addressFault(host: string): string | undefined {
  if (!/^\[[0-9a-f:.]+\]$/.test(host)) return 'the IPv6 address is not valid'
  try {
    return new URL(`https://${host}/`).hostname === host ? undefined : 'the IPv6 address is not in its shortest form'
  } catch {
    return 'the IPv6 address is not valid'
  }
}

function nameFault(host: string): string | undefined {
  if (host === '') return 'the host is empty'
  if (host.endsWith('.')) return 'the host ends with a dot'
  if (host.includes('%')) return 'the host is percent-encoded'
  if (!/^[\x21-\x7e]+$/.test(host)) return 'the host is not ASCII; write it in its xn-- form'
  if (host.length > maxHostChars) return 'the host is too long'
  // If the last label is a number, resolvers read the host as an IPv4 address, in any of its old notations.
  if (/(?:^|\.)(?:\d+|0x[0-9a-f]*)$/.test(host)) {
    const canonical = host.split('.').length === 4 && host.split('.').every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part))
    if (!canonical || host.split('.').some((part) => Number(part) > 255)) return 'the address is not four plain numbers'
    return undefined
  }
  const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/
  return host.split('.').every((each) => label.test(each)) ? undefined : 'the host is not a valid name'
}

/** Refuses everything in a path that a server could normalize into another path. */
function pathFault(path: string): string | undefined {
  if (/%(?![0-9a-f]{2})/i.test(path)) return 'the path has a broken percent-encoding'
  if (/%(?:2f|5c)/i.test(path)) return 'the path has an encoded slash'
  if (/%(?:25)+(?:2e|2f|5c)/i.test(path)) return 'the path has a twice-encoded slash or dot'
  if (/%(?:[01][0-9a-f]|7f)/i.test(path)) return 'the path has an encoded control character'
  // An overlong encoding is not valid UTF-8, but some servers read a dot or a slash in it.
  if (/%c[01]|%e0%[89]|%f0%8/i.test(path)) return 'the path has an overlong encoding'
  const dotted = path.split('/').some((segment) => {
    const plain = segment.replaceAll(/%2e/gi, '.').replace(/(?:;|%3b).*$/i, '')
    return plain === '.' || plain === '..'
  })
  return dotted ? 'the path has a dot segment' : undefined
}

/** True when the platform's URL parser, which other code relies on, sees the same host and port. */
function agreesWithStandard(url: string, target: Target): boolean {
  try {
    const standard = new URL(url)
    return standard.hostname === target.host && Number(standard.port || defaultPort[target.scheme]) === target.port
  } catch {
    return false
  }
}

function shownMethod(method: string): string {
  return /^[A-Za-z]{1,20}$/.test(method) ? method.toUpperCase() : 'this'
}
