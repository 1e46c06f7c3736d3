// A request to anywhere on the public internet: who may be reached, redirects judged anew, a size and a deadline.
import type { SentRequest } from '#core/tool.ts'
import { withDeadline } from '#lib/deadline.ts'
import { isAddressHost, isLoopbackHost, originOf, showTarget, type Target } from '#safety/urls.ts'
import { addressKind } from './addresses.ts'
import type { Dial, Outgoing, WireAnswer } from './dial.ts'

const maxRedirects = 5
const maxBytes = 5 * 1024 * 1024
const timeoutMs = 30_000
const maxUrlChars = 8_192

/** Header names are lower case. */
export type FetchRequest = {
  readonly method: string
  readonly url: string
  readonly headers: ReadonlyMap<string, string>
  readonly body?: Buffer
}

export type Fetched =
  | (WireAnswer & {
      /** Where the answer came from, after all redirects. */
      readonly url: string
    })
  | { readonly type: 'fault'; readonly message: string }

/** Sends a request and follows its redirects. Every failure is a value. `sending` is told of each that goes out. */
export type Fetch = (
  request: FetchRequest,
  signal: AbortSignal,
  sending?: (sent: SentRequest) => void,
) => Promise<Fetched>

type Sending = Parameters<Fetch>[2]

export type FetchParts = {
  readonly dial: Dial
  /** Hosts, `name` or `name:port`, that may be private; IPv6 addresses in brackets. */
  readonly privateHosts: readonly string[]
}

export function createFetch({ dial, privateHosts }: FetchParts): Fetch {
  const isListed = ({ host, port }: Target): boolean =>
    privateHosts.includes(host) || privateHosts.includes(`${host}:${port}`)

  /** One hop: a redirect has no more rights than a first request. */
  async function hop(request: Outgoing, signal: AbortSignal, sending?: Sending): Promise<WireAnswer | string> {
    const listed = isListed(request.target)
    const kind = listed ? undefined : privateKind(request.target)
    if (kind) return blocked(`${request.target.host} is a ${kind} address`)
    sending?.({ method: request.method, host: new URL(showTarget(request.target)).host })
    const dialled = await dial({ ...request, listed }, { maxBytes, signal })
    if (dialled.type === 'answer') return dialled
    return dialled.fault.code === 'blocked' ? blocked(dialled.fault.message) : dialled.fault.message
  }

  async function follow(first: Outgoing, signal: AbortSignal, sending?: Sending): Promise<Fetched> {
    let request = first
    for (let hops = 0; ; hops++) {
      const answer = await hop(request, signal, sending)
      if (typeof answer === 'string') return failed(answer)
      const next = redirected(request, answer)
      if (typeof next === 'string') return failed(`a redirect was not followed: ${next}`)
      if (!next) return { ...answer, url: showTarget(request.target) }
      if (hops === maxRedirects) return failed(`more than ${maxRedirects} redirects`)
      request = next
    }
  }

  return ({ url, ...request }, signal, sending) => {
    const target = readAddress(url)
    if (typeof target === 'string') return Promise.resolve(failed(target))
    return withDeadline(timeoutMs, signal, (either) => follow({ ...request, target }, either, sending))
  }
}

/** Reads a URL as browsers do, once: what is judged is what is dialled. A string tells why it is refused. */
export function readAddress(text: string): Target | string {
  if (text.length > maxUrlChars) return `the URL is longer than ${maxUrlChars} characters`
  if (/\p{Cc}/u.test(text)) return 'the URL has a control character'
  const url = URL.parse(text)
  if (!url) return 'the URL is not of the form https://host/path'
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return `the scheme ${url.protocol.slice(0, 20)} is not allowed; use https or http`
  }
  if (url.username !== '' || url.password !== '') return 'the URL carries a user name or password'
  if (url.hostname.endsWith('.')) return 'the host ends with a dot'
  const scheme = url.protocol === 'https:' ? 'https' : 'http'
  const port = Number(url.port || (scheme === 'https' ? 443 : 80))
  return { scheme, host: url.hostname, port, path: url.pathname, query: url.search }
}

/** What kind of address a host is by its very spelling, unless it is public or a name. */
function privateKind({ host }: Target): string | undefined {
  if (isLoopbackHost(host)) return 'loopback'
  const kind = isAddressHost(host) ? addressKind(host.replaceAll(/[[\]]/g, '')) : 'public'
  return kind === 'public' ? undefined : kind
}

const redirects = [301, 302, 303, 307, 308]
/** What a request may carry to an origin that it was not made for. */
const plainHeaders = ['accept', 'accept-language', 'content-type', 'user-agent']

/** The request that an answer asks for; undefined where it asks for none, or for a body to go where nobody sent it. */
function redirected(request: Outgoing, { status, headers }: WireAnswer): Outgoing | string | undefined {
  const location = redirects.includes(status) ? headers.get('location') : undefined
  if (location === undefined) return undefined
  const url = URL.parse(location, showTarget(request.target))
  const target = url ? readAddress(url.href) : 'its address cannot be read'
  if (typeof target === 'string') return target
  const reads = request.method === 'GET' || request.method === 'HEAD'
  const foreign = originOf(target) !== originOf(request.target)
  const keeps = reads || status === 307 || status === 308
  if (!reads && keeps && foreign) return undefined
  const left = [...request.headers].filter(
    ([name]) => (!foreign || plainHeaders.includes(name)) && (keeps || !name.startsWith('content-')),
  )
  const next = { method: keeps ? request.method : 'GET', target, headers: new Map(left) }
  return keeps && request.body ? { ...next, body: request.body } : next
}

function blocked(why: string): string {
  return `${why}; the operator can allow a private host in ATRIUM_PRIVATE_HOSTS`
}

function failed(message: string): Fetched {
  return { type: 'fault', message }
}
