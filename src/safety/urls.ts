// Where a tool may send a request: the pure decision for a method and a URL against an allowlist.

/** A host of an allowlist: exactly this name or address, or every name below it. A port counts only when it is written. */
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

/** A URL that was read strictly. `path` and `query` are as they were written; `query` has its question mark. */
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

const maxUrlChars = 8_192
const maxHostChars = 253
const defaultPort = { http: 80, https: 443 }

/** Decides a request. What is not written in the allowlist is blocked; the reason says which part did not fit. */
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
    return blocked(`${printable(method)} is not an allowed method there`)
  }
  return { type: 'allowed', target }
}

/** Reads a URL with no room for two readings; a string tells why it is refused. */
export function readUrl(url: string): Target | string {
  if (url.length > maxUrlChars) return `the URL is longer than ${maxUrlChars} characters`
  // A space, a control or a backslash is where two parsers part ways.
  if (/[\0- \\\x7f]/.test(url)) return 'the URL has a space, a control character or a backslash'
  const parts = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)(\?[^#]*)?(?:#.*)?$/i.exec(url)
  if (!parts) return 'the URL is not of the form https://host/path'
  const [, schemeText = '', authority = '', path = '', query = ''] = parts
  const scheme = schemeText.toLowerCase()
  if (scheme !== 'https' && scheme !== 'http') return `the scheme ${scheme}: is not allowed; use https`
  if (authority.includes('@')) return 'the URL carries a user name or password'
  const place = readAuthority(authority)
  if (typeof place === 'string') return place
  const fault = pathFault(path)
  if (fault) return fault
  const target: Target = {
    scheme,
    host: place.host,
    port: place.port ?? defaultPort[scheme],
    path: path === '' ? '/' : path,
    query,
  }
  return agreesWithStandard(url, target) ? target : 'the host can be read in more than one way'
}

/** Reads a host of an allowlist; a string tells why it is refused. */
export function readHostPattern(text: string): HostPattern | string {
  if (text === '*' || text.startsWith('*:')) return 'a bare * would allow every host; name the hosts'
  if (/[/?#@\\\s]/.test(text)) return 'write the host alone, such as api.example.com or *.example.com'
  const wild = text.startsWith('*.')
  const place = readAuthority(wild ? text.slice(2) : text)
  if (typeof place === 'string') return place
  const port = place.port === undefined ? {} : { port: place.port }
  if (!wild) return { type: 'exact', host: place.host, ...port }
  if (isAddressHost(place.host) || !place.host.includes('.')) {
    return 'a pattern needs a domain of at least two labels, such as *.example.com'
  }
  return { type: 'subdomains', host: place.host, ...port }
}

/** True when the pattern covers the host, ports aside. */
export function matchesHost(pattern: HostPattern, host: string): boolean {
  return pattern.type === 'exact' ? host === pattern.host : host.endsWith(`.${pattern.host}`)
}

/** True when every host that `inner` covers is also covered by `outer`, the port included. */
export function coversPattern(outer: HostPattern, inner: HostPattern): boolean {
  if (inner.port !== undefined && outer.port !== inner.port) return false
  if (inner.type === 'exact') return matchesHost(outer, inner.host)
  return outer.type === 'subdomains' && (inner.host === outer.host || inner.host.endsWith(`.${outer.host}`))
}

/** How a pattern is written. */
export function showPattern({ type, host, port }: HostPattern): string {
  return `${type === 'subdomains' ? '*.' : ''}${host}${port === undefined ? '' : `:${port}`}`
}

/** True for an address in place of a name; an IPv6 one has brackets. */
export function isAddressHost(host: string): boolean {
  return host.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(host)
}

/** True for a host that is this machine by its very spelling. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

/** Scheme, host and port as one text: what a credential and a redirect are bound to. */
export function originOf({ scheme, host, port }: Target): string {
  return `${scheme}://${host}:${port}`
}

/** The URL of a target, its port only where it is not the scheme's own. */
export function showTarget({ scheme, host, port, path, query }: Target): string {
  return `${scheme}://${host}${port === defaultPort[scheme] ? '' : `:${port}`}${path}${query}`
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
  // A last label that is a number makes resolvers read the whole as an address, in any of its old notations.
  if (/(?:^|\.)(?:\d+|0x[0-9a-f]*)$/.test(host)) {
    const canonical = host.split('.').length === 4 && host.split('.').every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part))
    if (!canonical || host.split('.').some((part) => Number(part) > 255)) return 'the address is not four plain numbers'
    return undefined
  }
  const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/
  return host.split('.').every((each) => label.test(each)) ? undefined : 'the host is not a valid name'
}

/** What a path may not hold: anything that a server could fold into another path. */
function pathFault(path: string): string | undefined {
  if (/%(?![0-9a-f]{2})/i.test(path)) return 'the path has a broken percent-encoding'
  if (/%(?:2f|5c)/i.test(path)) return 'the path has an encoded slash'
  if (/%(?:25)+(?:2e|2f|5c)/i.test(path)) return 'the path has a twice-encoded slash or dot'
  if (/%(?:[01][0-9a-f]|7f)/i.test(path)) return 'the path has an encoded control character'
  // Two bytes for what needs one: no valid text, but some servers read a dot or a slash in it.
  if (/%c[01]|%e0%[89]|%f0%8/i.test(path)) return 'the path has an overlong encoding'
  const dotted = path.split('/').some((segment) => {
    const plain = segment.replaceAll(/%2e/gi, '.').replace(/(?:;|%3b).*$/i, '')
    return plain === '.' || plain === '..'
  })
  return dotted ? 'the path has a dot segment' : undefined
}

/** The platform's own parser must see the same host and port: it is the one that others use. */
function agreesWithStandard(url: string, target: Target): boolean {
  try {
    const standard = new URL(url)
    return standard.hostname === target.host && Number(standard.port || defaultPort[target.scheme]) === target.port
  } catch {
    return false
  }
}

function printable(text: string): string {
  return /^[A-Za-z]{1,20}$/.test(text) ? text.toUpperCase() : 'this'
}
