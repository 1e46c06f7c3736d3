// HTTP requests that the host sends for a guest within one call: checks the target, counts, adds credentials, sends, follows
// redirects. Credentials are added after every check and masked in every answer.
import type { LimitStore } from '#core/store.ts'
import { type LeakScan, stopsIn } from '#safety/leaks.ts'
import { createMask, maskBytes } from '#safety/secret-values.ts'
import { judgeUrl, originOf, showTarget } from '#safety/urls.ts'
import type { Capabilities } from '#sandbox/package/capabilities.ts'
import { credentialsFor, echoesOf, inject } from './credentials.ts'
import { withDeadline } from '#lib/deadline.ts'
import { inPace } from '#lib/pace.ts'
import { hourMs, minuteMs } from '#core/time.ts'
import type { Dial, Dialled, Outgoing, WireAnswer } from '#net/dial.ts'
import { requestFault, type RequestFault, ToolFault } from '#sandbox/sandbox-fault.ts'
import {
  maxRedirects,
  maxRequestBodyBytes,
  maxRequestsPerCall,
  maxResponseBytes,
  requestTimeoutMs,
} from '#sandbox/child/limits.ts'
import { readHeaders } from './headers.ts'
import { redirected } from './redirect.ts'

export type EgressParts = {
  /** The installed name of the tool. Rate limits are counted by it. */
  readonly tool: string
  readonly capabilities: Pick<Capabilities, 'allowlist' | 'rateLimit' | 'timeoutSecs' | 'credentials'>
  /** The value of a secret. `refused` is a value that the server answered with 401: the result is a newer one if possible. */
  readonly secret: (name: string, refused?: string) => Promise<string | undefined>
  /** Finds secrets in a guest's request. */
  readonly scan: () => LeakScan
  readonly limits: LimitStore
  readonly now: () => number
  readonly dial: Dial
}

export type GuestRequest = {
  readonly method: string
  readonly url: string
  /** A JSON object of strings. */
  readonly headers: string
  readonly body?: Buffer
  readonly timeoutMs?: number
}

export type GuestAnswer =
  | { readonly type: 'answer'; readonly status: number; readonly headers: string; readonly body: Buffer }
  | { readonly type: 'fault'; readonly fault: RequestFault }

/** The requests of a call, for `tool test` and the log. URLs are as the guest wrote them, without credentials. */
export type Traffic = {
  /** Requests that were sent. A failed one has status null, and the reason in `error`. */
  readonly requests: { method: string; url: string; status: number | null; error?: string }[]
  /** Requests that were not sent, or whose redirects were not followed. */
  readonly blocked: { method: string; url: string; reason: string }[]
  /** Names of secrets that a request needed and that are not set. */
  readonly missing: string[]
  /** Names of secrets that a server answered with 401. */
  readonly refused: Set<string>
  /** True once a request other than GET and HEAD may have changed something: it was sent and not answered with an error. */
  wrote: boolean
  /** Names of secrets that were sent. */
  readonly secrets: Set<string>
  /** Names of the leak rules that blocked a request with a secret in it. */
  readonly leaks: Set<string>
  /** Every spelling of the credentials that were sent. */
  readonly echoes: ReadonlySet<string>
}

export interface Egress {
  readonly traffic: Traffic
  request(request: GuestRequest, signal: AbortSignal): Promise<GuestAnswer>
}

/** Secret values by name. */
type Values = ReadonlyMap<string, string>
/** A request with its credentials added. */
type Authorized = { readonly request: Outgoing; readonly values: Values }

const redirectStatuses = [301, 302, 303, 307, 308]
const shownUrlChars = 500

/** Creates the egress of one call. */
export function createEgress(parts: EgressParts): Egress {
  // A set: many requests with one credential add its spellings once.
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

  /** Counts a request against the limits of the call and the tool's rates. A fault refuses it. */
  async function count(): Promise<RequestFault | undefined> {
    if (++sent > maxRequestsPerCall)
      return requestFault('too_many_requests', `more than ${maxRequestsPerCall} requests in one call`)
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
        return requestFault(
          'rate_limited',
          `${parts.tool} may send ${limit} requests per ${word}; try again in ${wait} s`,
        )
    }
    return undefined
  }

  /** Adds the credentials to a request. A fault says why they cannot be added. */
  async function withCredentials(request: Outgoing, refused: Values = new Map()): Promise<Authorized | RequestFault> {
    let authorized = request
    const values = new Map<string, string>()
    for (const { secretName, location } of credentialsFor(request.target, parts.capabilities.credentials)) {
      const secret = await valueOf(secretName, refused.get(secretName))
      if (typeof secret === 'object') return secret
      if (secret === undefined || secret === '') {
        if (!traffic.missing.includes(secretName)) traffic.missing.push(secretName)
        return requestFault('credential_missing', `the secret ${secretName} is not set`)
      }
      if (/[\r\n\0]/.test(secret))
        return requestFault('credential_missing', `the secret ${secretName} has a line break in it; set it again`)
      authorized = inject(authorized, location, secret)
      values.set(secretName, secret)
      traffic.secrets.add(secretName)
      for (const echo of echoesOf(location, secret)) echoes.add(echo)
    }
    return { request: authorized, values }
  }

  async function valueOf(name: string, refused: string | undefined): Promise<string | undefined | RequestFault> {
    try {
      return await parts.secret(name, refused)
    } catch (error) {
      if (error instanceof ToolFault) return requestFault('unreachable', error.message)
      throw error
    }
  }

  /** Sends a request with its credentials. After a 401 it is sent once more, if a credential could be renewed. */
  async function sendAuthorized(request: Outgoing, signal: AbortSignal): Promise<Dialled | RequestFault> {
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

  /** Sends one hop. Each hop counts as a request. Only hops to the first origin get credentials. */
  async function hop(request: Outgoing, withSecrets: boolean, signal: AbortSignal): Promise<WireAnswer | RequestFault> {
    const counted = await count()
    if (counted) return counted
    const entry = { method: request.method, url: shown(showTarget(request.target)) }
    // The call may be stopped meanwhile, and its report made. Requests are sent one after another.
    traffic.requests.push({ ...entry, status: null, error: 'the call was stopped before the answer' })
    const dialled = await (withSecrets ? sendAuthorized(request, signal) : send(request, signal))
    traffic.requests.pop()
    if ('code' in dialled) return dialled
    if (dialled.type === 'answer') traffic.requests.push({ ...entry, status: dialled.status })
    else if (isFailure(dialled.fault)) traffic.requests.push({ ...entry, status: null, error: dialled.fault.message })
    return dialled.type === 'answer' ? dialled : dialled.fault
  }

  async function follow(first: Outgoing, signal: AbortSignal): Promise<WireAnswer | RequestFault> {
    let request = first
    for (let hops = 0; ; hops++) {
      const sameOrigin = originOf(request.target) === originOf(first.target)
      const answer = await hop(request, sameOrigin, signal)
      if ('code' in answer) return answer
      const location = redirectStatuses.includes(answer.status) ? answer.headers.get('location') : undefined
      if (location === undefined) return masked(answer, [...echoes])
      if (hops === maxRedirects) return requestFault('blocked', `more than ${maxRedirects} redirects`, true)
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
      const leak = await inPace(stopsIn(parts.scan(), [guest.url, ...[...checked.headers].flat(), guest.body ?? '']))
      if (leak) {
        traffic.leaks.add(leak)
        const why = `the request carries a secret (${leak}): secrets are only sent by http.credentials`
        return refuse(requestFault('secret_in_request', why))
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

/** All checks of a request that need no I/O. */
function check(guest: GuestRequest, allowlist: Capabilities['allowlist']): Outgoing | RequestFault {
  const verdict = judgeUrl(guest.method, guest.url, allowlist)
  if (verdict.type === 'blocked') return requestFault('blocked', verdict.reason)
  const headers = readHeaders(guest.headers)
  if (typeof headers === 'string') return requestFault('invalid_request', headers)
  if ((guest.body?.length ?? 0) > maxRequestBodyBytes) {
    return requestFault('request_too_large', `the body is over ${maxRequestBodyBytes} bytes`)
  }
  const request = { method: guest.method.toUpperCase(), target: verdict.target, headers }
  return guest.body ? { ...request, body: guest.body } : request
}

function masked(answer: WireAnswer, echoes: readonly string[]): WireAnswer {
  if (echoes.length === 0) return answer
  const clean = createMask(echoes)
  const headers = new Map([...answer.headers].map(([name, value]) => [clean(name), clean(value)]))
  return { ...answer, headers, body: maskBytes(answer.body, echoes) }
}

/** True for a request that was tried and failed. Every other fault means that it was blocked. */
function isFailure({ code }: RequestFault): boolean {
  return code === 'unreachable' || code === 'timeout' || code === 'response_too_large'
}

function timeoutOf({ timeoutMs }: GuestRequest, timeoutSecs: number | undefined): number {
  const maxMs = timeoutSecs === undefined ? requestTimeoutMs : timeoutSecs * 1_000
  return Math.max(1, Math.min(timeoutMs ?? maxMs, maxMs))
}

function shown(url: string): string {
  return url.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, shownUrlChars)
}
