// The HTTP that the host does for a guest within one call: judged, counted, sent, followed, masked. The guest hands in
// texts and gets texts back; credentials are added after every check and taken out of every answer.
import type { LimitStore } from '#core/store.ts'
import { type LeakScan, stopsIn } from '#safety/leaks.ts'
import { createMask, maskBytes } from '#safety/secret-values.ts'
import { judgeUrl, originOf, showTarget, type Target } from '#safety/urls.ts'
import type { Capabilities } from '#sandbox/package/capabilities.ts'
import { credentialsFor, echoesOf, inject } from './credentials.ts'
import { withDeadline } from '#lib/deadline.ts'
import type { Dial, Dialled, Outgoing, WireAnswer } from '#net/dial.ts'
import { type RequestFault, ToolFault } from '#sandbox/sandbox-fault.ts'
import {
  maxRedirects,
  maxRequestBodyBytes,
  maxRequestsPerCall,
  maxResponseBytes,
  requestTimeoutMs,
} from '#sandbox/child/limits.ts'
import { readHeaders } from './headers.ts'

export type EgressParts = {
  /** The installed name: rate limits are counted under it. */
  readonly tool: string
  readonly capabilities: Pick<Capabilities, 'allowlist' | 'rateLimit' | 'timeoutSecs' | 'credentials'>
  /** A secret's value. `refused` is one that the server did not take: another is given, where there is one. */
  readonly secret: (name: string, refused?: string) => Promise<string | undefined>
  /** Finds secrets in what a guest sends. */
  readonly scan: () => LeakScan
  readonly limits: LimitStore
  readonly now: () => number
  readonly dial: Dial
}

export type GuestRequest = {
  readonly method: string
  readonly url: string
  /** A JSON object of texts. */
  readonly headers: string
  readonly body?: Buffer
  readonly timeoutMs?: number
}

export type GuestAnswer =
  | { readonly type: 'answer'; readonly status: number; readonly headers: string; readonly body: Buffer }
  | { readonly type: 'fault'; readonly fault: RequestFault }

/** What happened, for `tool test` and the log. URLs are as the guest wrote them: no credential is in them. */
export type Traffic = {
  /** Sent, or tried: one that failed has no status, and says why. */
  readonly requests: { method: string; url: string; status: number | null; error?: string }[]
  /** Not done at all. */
  readonly blocked: { method: string; url: string; reason: string }[]
  /** The secrets that a request needed and nobody has set. */
  readonly missing: string[]
  /** Those that a server did not take. */
  readonly refused: Set<string>
  /** True once something may have been changed: a request other than GET and HEAD that was not refused. */
  wrote: boolean
  /** The names of those that went out. */
  readonly secrets: Set<string>
  /** The rules by which requests were not done, for a secret in them. */
  readonly leaks: Set<string>
  /** Every spelling of the credentials that went out. */
  readonly echoes: ReadonlySet<string>
}

export interface Egress {
  readonly traffic: Traffic
  request(request: GuestRequest, signal: AbortSignal): Promise<GuestAnswer>
}

/** Secrets by their names. */
type Values = ReadonlyMap<string, string>
/** A request with its credentials, and which they are. */
type Dressed = { readonly request: Outgoing; readonly values: Values }

const redirects = [301, 302, 303, 307, 308]
const minuteMs = 60_000
const hourMs = 60 * minuteMs
const shownUrlChars = 500
/** What the guest set for one origin and must not reach another. */
const privateHeaders = ['authorization', 'cookie', 'x-api-key']

/** The egress of one call. */
export function createEgress(parts: EgressParts): Egress {
  // A set: fifty requests with one credential have no more spellings than one.
  const echoes = new Set<string>()
  const traffic: Traffic = {
    requests: [],
    blocked: [],
    missing: [],
    refused: new Set(),
    wrote: false,
    secrets: new Set(),
    leaks: new Set(),
    echoes,
  }
  let sent = 0

  /** Counts a request against the call and the tool's rates; a text is the refusal. */
  async function count(): Promise<RequestFault | undefined> {
    if (++sent > maxRequestsPerCall)
      return fault('too_many_requests', `more than ${maxRequestsPerCall} requests in one call`)
    const { perMinute, perHour } = parts.capabilities.rateLimit
    for (const [limit, windowMs, word] of [
      [perMinute, minuteMs, 'minute'],
      [perHour, hourMs, 'hour'],
    ] as const) {
      if (limit === undefined) continue
      const { allowed, retryAfterMs } = await parts.limits.take(
        `tool:${parts.tool}:${word}`,
        limit,
        windowMs,
        parts.now(),
      )
      const wait = Math.ceil(retryAfterMs / 1_000)
      if (!allowed)
        return fault('rate_limited', `${parts.tool} may send ${limit} requests per ${word}; try again in ${wait} s`)
    }
    return undefined
  }

  /** The request with its credentials, or why it cannot have them. */
  async function withCredentials(request: Outgoing, refused: Values = new Map()): Promise<Dressed | RequestFault> {
    let dressed = request
    const values = new Map<string, string>()
    for (const { secretName, location } of credentialsFor(request.target, parts.capabilities.credentials)) {
      const secret = await valueOf(secretName, refused.get(secretName))
      if (typeof secret === 'object') return secret
      if (secret === undefined || secret === '') {
        if (!traffic.missing.includes(secretName)) traffic.missing.push(secretName)
        return fault('credential_missing', `the secret ${secretName} is not set`)
      }
      if (/[\r\n\0]/.test(secret))
        return fault('credential_missing', `the secret ${secretName} has a line break in it; set it again`)
      dressed = inject(dressed, location, secret)
      values.set(secretName, secret)
      traffic.secrets.add(secretName)
      for (const echo of echoesOf(location, secret)) echoes.add(echo)
    }
    return { request: dressed, values }
  }

  async function valueOf(name: string, refused: string | undefined): Promise<string | undefined | RequestFault> {
    try {
      return await parts.secret(name, refused)
    } catch (error) {
      if (error instanceof ToolFault) return fault('unreachable', error.message)
      throw error
    }
  }

  /** Sends a request with its credentials. A server that does not take them is asked once more with renewed ones. */
  async function sendDressed(request: Outgoing, signal: AbortSignal): Promise<Dialled | RequestFault> {
    const first = await withCredentials(request)
    if ('code' in first) return first
    const answer = await send(first.request, signal)
    if (first.values.size === 0 || answer.type === 'fault' || answer.status !== 401) return answer
    const next = await withCredentials(request, first.values)
    const changed = !('code' in next) && [...next.values].some(([name, value]) => first.values.get(name) !== value)
    const again = changed && (await count()) === undefined ? await send(next.request, signal) : answer
    if (again.type === 'answer' && again.status === 401)
      for (const name of first.values.keys()) traffic.refused.add(name)
    return again
  }

  async function send(request: Outgoing, signal: AbortSignal): Promise<Dialled> {
    const dialled = await parts.dial(request, { maxBytes: maxResponseBytes, signal })
    const changes = request.method !== 'GET' && request.method !== 'HEAD'
    if (changes && (dialled.type === 'fault' ? dialled.fault.sent : dialled.status < 400)) traffic.wrote = true
    return dialled
  }

  /** One hop: everything is checked anew, so that a redirect has no more rights than a first request. */
  async function hop(request: Outgoing, withSecrets: boolean, signal: AbortSignal): Promise<WireAnswer | RequestFault> {
    const counted = await count()
    if (counted) return counted
    const dialled = await (withSecrets ? sendDressed(request, signal) : send(request, signal))
    if ('code' in dialled) return dialled
    const place = { method: request.method, url: shown(showTarget(request.target)) }
    if (dialled.type === 'answer') traffic.requests.push({ ...place, status: dialled.status })
    else if (isFailure(dialled.fault)) traffic.requests.push({ ...place, status: null, error: dialled.fault.message })
    return dialled.type === 'answer' ? dialled : dialled.fault
  }

  async function follow(first: Outgoing, signal: AbortSignal): Promise<WireAnswer | RequestFault> {
    let request = first
    for (let hops = 0; ; hops++) {
      const sameOrigin = originOf(request.target) === originOf(first.target)
      const answer = await hop(request, sameOrigin, signal)
      if ('code' in answer) return answer
      const location = redirects.includes(answer.status) ? answer.headers.get('location') : undefined
      if (location === undefined) return masked(answer, [...echoes])
      if (hops === maxRedirects) return fault('blocked', `more than ${maxRedirects} redirects`, true)
      const next = redirected(
        request,
        { status: answer.status, location, echoes: [...echoes] },
        parts.capabilities.allowlist,
      )
      if ('code' in next) return next
      request = next
    }
  }

  return {
    traffic,
    async request(guest, signal) {
      const method = guest.method.toUpperCase()
      const refuse = (refusal: RequestFault): GuestAnswer => {
        if (!isFailure(refusal))
          traffic.blocked.push({ method: shown(method), url: shown(guest.url), reason: refusal.message })
        return { type: 'fault', fault: refusal }
      }
      const checked = check(guest, parts.capabilities.allowlist)
      if ('code' in checked) return refuse(checked)
      const leak = stopsIn(parts.scan(), [guest.url, ...checked.headers.values(), guest.body ?? ''])
      if (leak) {
        traffic.leaks.add(leak)
        const why = `the request carries a secret (${leak}): they only go out by http.credentials`
        return refuse(fault('secret_in_request', why))
      }
      const answer = await withDeadline(timeoutOf(guest, parts.capabilities.timeoutSecs), signal, (either) =>
        follow(checked, either),
      )
      if ('code' in answer) return refuse(answer)
      return {
        type: 'answer',
        status: answer.status,
        headers: JSON.stringify(Object.fromEntries(answer.headers)),
        body: answer.body,
      }
    },
  }
}

/** Everything that can be said about a request before it costs anything. */
function check(guest: GuestRequest, allowlist: Capabilities['allowlist']): Outgoing | RequestFault {
  const verdict = judgeUrl(guest.method, guest.url, allowlist)
  if (verdict.type === 'blocked') return fault('blocked', verdict.reason)
  const headers = readHeaders(guest.headers)
  if (typeof headers === 'string') return fault('invalid_request', headers)
  if ((guest.body?.length ?? 0) > maxRequestBodyBytes) {
    return fault('request_too_large', `the body is over ${maxRequestBodyBytes} bytes`)
  }
  const request = { method: guest.method.toUpperCase(), target: verdict.target, headers }
  return guest.body ? { ...request, body: guest.body } : request
}

type Redirect = { readonly status: number; readonly location: string; readonly echoes: readonly string[] }

/** The request that a redirect asks for, judged like any other; without the guest's own secrets on another origin. */
function redirected(
  request: Outgoing,
  { status, location, echoes }: Redirect,
  allowlist: Capabilities['allowlist'],
): Outgoing | RequestFault {
  if (echoes.some((echo) => location.includes(echo))) return fault('blocked', 'a redirect carries a credential', true)
  const keeps = status === 307 || status === 308 || request.method === 'GET' || request.method === 'HEAD'
  const method = keeps ? request.method : 'GET'
  const verdict = judgeUrl(method, absolute(request.target, location), allowlist)
  if (verdict.type === 'blocked') return fault('blocked', `a redirect was not followed: ${verdict.reason}`, true)
  const foreign = originOf(verdict.target) !== originOf(request.target)
  const dropped = [...(foreign ? privateHeaders : []), ...(keeps ? [] : ['content-type'])]
  const headers = new Map([...request.headers].filter(([name]) => !dropped.includes(name)))
  const next = { method, target: verdict.target, headers }
  return keeps && request.body ? { ...next, body: request.body } : next
}

/** A location as a full URL. Relative ones are only taken in their absolute-path form: others need dot segments. */
function absolute(from: Target, location: string): string {
  if (/^[a-z][a-z0-9+.-]*:/i.test(location)) return location
  if (location.startsWith('//')) return `${from.scheme}:${location}`
  const base = showTarget({ ...from, path: '', query: '' })
  if (location.startsWith('/')) return `${base}${location}`
  if (location.startsWith('?')) return `${base}${from.path}${location}`
  return `${base}${from.path.replace(/[^/]*$/, '')}${location}`
}

function masked(answer: WireAnswer, echoes: readonly string[]): WireAnswer {
  if (echoes.length === 0) return answer
  const clean = createMask(echoes)
  const headers = new Map([...answer.headers].map(([name, value]) => [clean(name), clean(value)]))
  return { ...answer, headers, body: maskBytes(answer.body, echoes) }
}

/** True when it was tried and failed; every other fault means that it was not done. */
function isFailure({ code }: RequestFault): boolean {
  return code === 'unreachable' || code === 'timeout' || code === 'response_too_large'
}

function timeoutOf({ timeoutMs }: GuestRequest, timeoutSecs: number | undefined): number {
  const most = timeoutSecs === undefined ? requestTimeoutMs : timeoutSecs * 1_000
  return Math.max(1, Math.min(timeoutMs ?? most, most))
}

function fault(code: RequestFault['code'], message: string, sent = false): RequestFault {
  return { code, message, sent }
}

function shown(url: string): string {
  return url.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, shownUrlChars)
}
