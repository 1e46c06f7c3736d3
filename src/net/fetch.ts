// Fetches from the public internet, with an address check at each redirect, a size limit and a deadline.
import type { SentRequest } from '#core/tool.ts'
import { withDeadline } from '#lib/deadline.ts'
import { maxUrlChars, originOf, parseUrl, showTarget, type Target } from '#safety/urls.ts'
import type { Dial, Outgoing, WireAnswer } from './dial.ts'
import { blockedHost, isListedHost, withWayOut } from './guarded-dial.ts'

const maxRedirects = 5
const maxBytes = 5 * 1024 * 1024
const timeoutMs = 30_000

/** Header names are lower case. */
export type FetchRequest = {
  readonly method: string
  readonly url: string
  readonly headers: ReadonlyMap<string, string>
  readonly body?: Buffer
}

export type Fetched =
  | (WireAnswer & {
      /** The final URL, after all redirects. */
      readonly url: string
    })
  | FetchFault
/** `blocked`: an address that tools may not reach. */
type FetchFault = { readonly type: 'fault'; readonly code?: 'blocked'; readonly message: string }

/** Sends a request and follows redirects. Failures are returned, not thrown. `onSend` is called for each request. */
export type Fetch = (
  request: FetchRequest,
  signal: AbortSignal,
  onSend?: (sent: SentRequest) => void,
) => Promise<Fetched>

type OnSend = Parameters<Fetch>[2]

export type FetchParts = {
  readonly dial: Dial
  /** Hosts that may be private, as `name` or `name:port`; IPv6 addresses in brackets. */
  readonly privateHosts: readonly string[]
}

/** Why a URL is refused without a request; undefined if a request decides. A name is not looked up: that would tell it. */
export type Refusal = (url: string) => string | undefined

export function createRefusal({ privateHosts }: Pick<FetchParts, 'privateHosts'>): Refusal {
  return (url) => {
    const target = parseTarget(url)
    return typeof target === 'string' ? target : blockedHost(target, privateHosts)?.message
  }
}

export function createFetch({ dial, privateHosts }: FetchParts): Fetch {
  /** Sends one hop. A redirect is checked like the first request. */
  async function hop(request: Outgoing, signal: AbortSignal, onSend?: OnSend): Promise<WireAnswer | FetchFault> {
    const refused = blockedHost(request.target, privateHosts)
    if (refused) return blocked(refused.message)
    const listed = isListedHost(request.target, privateHosts)
    onSend?.({ method: request.method, host: new URL(showTarget(request.target)).host })
    const dialled = await dial({ ...request, listed }, { maxBytes, signal })
    if (dialled.type === 'answer') return dialled
    const { code, message, kind } = dialled.fault
    return code === 'blocked' ? blocked(withWayOut(message, kind)) : failed(message)
  }

  async function follow(first: Outgoing, signal: AbortSignal, onSend?: OnSend): Promise<Fetched> {
    let request = first
    for (let hops = 0; ; hops++) {
      const answer = await hop(request, signal, onSend)
      if (answer.type === 'fault') return answer
      const next = redirectOf(request, answer)
      if (typeof next === 'string') return failed(`a redirect was not followed: ${next}`)
      if (!next) return { ...answer, url: showTarget(request.target) }
      if (hops === maxRedirects) return failed(`more than ${maxRedirects} redirects`)
      request = next
    }
  }

  return ({ url, ...request }, signal, onSend) => {
    const target = parseTarget(url)
    if (typeof target === 'string') return Promise.resolve(failed(target))
    return withDeadline(timeoutMs, signal, (either) => follow({ ...request, target }, either, onSend))
  }
}

/** Parses a URL once, so that the checked target is the one that is dialled. Returns the reason if it is refused. */
export function parseTarget(text: string): Target | string {
  if (text.length > maxUrlChars) return `the URL is longer than ${maxUrlChars} characters`
  if (/\p{Cc}/u.test(text)) return 'the URL has a control character'
  const url = parseUrl(text)
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

const redirects = [301, 302, 303, 307, 308]
/** Headers that are kept on a redirect to another origin. */
const plainHeaders = ['accept', 'accept-language', 'content-type', 'user-agent']

/**
 * The next request after a redirect, or why it is refused. Undefined without a redirect, and for one that would send a
 * body to another origin.
 */
function redirectOf(request: Outgoing, { status, headers }: WireAnswer): Outgoing | string | undefined {
  const location = redirects.includes(status) ? headers.get('location') : undefined
  if (location === undefined) return undefined
  const url = URL.parse(location, showTarget(request.target))
  const target = url ? parseTarget(url.href) : 'its URL cannot be read'
  if (typeof target === 'string') return target
  const reads = request.method === 'GET' || request.method === 'HEAD'
  const crossOrigin = originOf(target) !== originOf(request.target)
  const keepsMethod = reads || status === 307 || status === 308
  if (!reads && keepsMethod && crossOrigin) return undefined
  const kept = [...request.headers].filter(
    ([name]) => (!crossOrigin || plainHeaders.includes(name)) && (keepsMethod || !name.startsWith('content-')),
  )
  const next = { method: keepsMethod ? request.method : 'GET', target, headers: new Map(kept) }
  return keepsMethod && request.body ? { ...next, body: request.body } : next
}

function blocked(message: string): FetchFault {
  return { type: 'fault', code: 'blocked', message }
}

function failed(message: string): FetchFault {
  return { type: 'fault', message }
}
