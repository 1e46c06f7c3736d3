// A server that speaks Streamable HTTP: the client package's transport over this service's own network code. Only the very
// host and port that the operator added are reached; redirects to another host are refused.
import { Readable } from 'node:stream'
import type { JSONRPCMessage, StreamableHTTPClientTransport, Transport } from '@modelcontextprotocol/client'
import { isObject, objectIn } from '#core/json.ts'
import { within } from '#lib/deadline.ts'
import { maskedStart } from '#lib/masked-start.ts'
import type { OpenAnswer, StreamDial } from '#net/dial.ts'
import { parseTarget } from '#net/fetch.ts'
import { type Deliver, eventsOf, lostAnswer, startOf, wholeOf } from './answer-body.ts'
import { type ExactArguments, exactCall } from './exact-arguments.ts'
import { createReconnection, endRequests } from './http-requests.ts'
import { isRefusedInSession, pingText, SessionOver, unknownSession } from './session.ts'

/** How long the end of a session is waited for. */
const defaultGoodbyeMs = 2_000
/** Of the text of a refusal. */
const maxRefusalChars = 500
/** Statuses whose answers have no body. */
const bodyless = [204, 205, 304]
/** The status for a message that gets no answer. */
const taken = 202

/** The token of a sign-in to one server. */
export type Bearer = {
  /** For the next request; undefined while nobody has signed in. */
  token(): Promise<string | undefined>
  /** The server answered 401 to this token. Returns another one to try, undefined if somebody must sign in. */
  refused(token: string, challenge: string | undefined): Promise<string | undefined>
}

export type HttpParts = {
  readonly url: string
  /** Headers of every request, with their values. */
  readonly headers: Readonly<Record<string, string>>
  readonly dial: StreamDial
  readonly exact: ExactArguments
  readonly bearer?: Bearer | undefined
  readonly goodbyeMs?: number | undefined
}

/** The server answered a request with 401: nobody is signed in, or the sign-in has ended. */
export class SignInNeeded extends Error {
  /** By this name the client package knows that a probe failed for want of a sign-in. */
  override readonly name = 'UnauthorizedError'
}

/** Why a server refused a request, from the client package's error. Undefined for other errors. */
export function refusedWords(error: unknown, mask: (text: string) => string): string | undefined {
  const data = error instanceof Error && 'data' in error ? error.data : undefined
  if (!isObject(data)) return undefined
  const { status, text } = data
  if (typeof status !== 'number' || status < 400) return undefined
  const hint = status === 404 || status === 405 ? ' (is the path of its URL right?)' : ''
  const said = typeof text === 'string' ? maskedStart(text, maxRefusalChars, mask).trim() : ''
  // A page tells a person on a terminal nothing.
  return `it answered HTTP ${status}${hint}${said === '' || said.startsWith('<') ? '' : `: ${said}`}`
}

export async function createHttpTransport(parts: HttpParts): Promise<Transport> {
  const { StreamableHTTPClientTransport: HttpTransport } = await import('@modelcontextprotocol/client')
  const texts = new Map<string, string>()
  const reconnection = createReconnection()
  const transport: StreamableHTTPClientTransport = new HttpTransport(new URL(parts.url), {
    fetch: createFetch(parts, texts, (message) => transport.onmessage?.(message)),
    reconnectionScheduler: (reconnect, delayMs) => reconnection.schedule(reconnect, delayMs),
  })
  endRequests(transport, () => reconnection.onMessage())
  sendExactly(transport, parts.exact, texts)
  const close = transport.close.bind(transport)
  return Object.assign(transport, {
    async close() {
      if (transport.sessionId !== undefined)
        await within(
          parts.goodbyeMs ?? defaultGoodbyeMs,
          transport.terminateSession().catch(() => {}),
          () => {},
        )
      await close()
    },
  })
}

/** Puts placeholders into messages for arguments whose text is known; the request replaces them. */
function sendExactly(
  transport: StreamableHTTPClientTransport,
  exact: ExactArguments,
  texts: Map<string, string>,
): void {
  const send = transport.send.bind(transport)
  Object.assign(transport, {
    async send(message: JSONRPCMessage, options?: Parameters<typeof send>[1]) {
      const call = exactCall(message, exact)
      if (!call) return send(message, options)
      texts.set(call.placeholder, call.text)
      try {
        return await send(call.message, options)
      } finally {
        texts.delete(call.placeholder)
      }
    },
  })
}

type FetchLike = (url: string | URL, init?: RequestInit) => Promise<Response>

function createFetch(parts: HttpParts, texts: ReadonlyMap<string, string>, deliver: Deliver): FetchLike {
  const { headers: own, dial, bearer } = parts
  const home = new URL(parts.url)
  return async (url, init = {}) => {
    const target = parseTarget(String(url))
    if (typeof target === 'string') throw new Error(target)
    if (new URL(url).host !== home.host) throw new Error(`a request to ${target.host} was refused: it is another host`)
    const signal = init.signal ?? new AbortController().signal
    const attempt = async (text: string | undefined, token: string | undefined): Promise<Response> => {
      const headers = new Map(new Headers(init.headers))
      for (const [name, value] of Object.entries(own)) headers.set(name.toLowerCase(), value)
      if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
      const body = text === undefined ? {} : { body: Buffer.from(filled(text, texts)) }
      const answer = await dial({ method: init.method ?? 'GET', target, headers, listed: true, ...body }, signal)
      if (answer.type === 'fault') throw new Error(answer.fault.message)
      return responseOf(answer, requestIdOf(text), deliver)
    }
    const signedIn = async (text: string | undefined): Promise<Response> => {
      const token = await bearer?.token()
      const first = await attempt(text, token)
      if (first.status !== 401) return first
      await first.body?.cancel()
      const next = token === undefined ? undefined : await bearer?.refused(token, challengeOf(first))
      const second = next === undefined ? first : await attempt(text, next)
      if (second.status !== 401) return second
      if (second !== first) await second.body?.cancel()
      throw new SignInNeeded('the server answered 401')
    }
    const answer = await signedIn(typeof init.body === 'string' ? init.body : undefined)
    if (!isRefusedInSession(init, answer)) return answer
    if (answer.status !== unknownSession) {
      const ping = await signedIn(pingText)
      await ping.body?.cancel()
      if (!isRefusedInSession(init, ping)) return answer
    }
    throw new SessionOver({ status: answer.status, text: await answer.text() })
  }
}

function challengeOf({ headers }: Response): string | undefined {
  return headers.get('www-authenticate') ?? undefined
}

function filled(body: string, texts: ReadonlyMap<string, string>): string {
  for (const [placeholder, text] of texts) {
    if (body.includes(placeholder)) return body.replace(`"${placeholder}"`, () => text)
  }
  return body
}

/** Undefined for what gets no answer: a notification, and an answer to a request of the server. */
function requestIdOf(text: string | undefined): unknown {
  const { method, id } = (text !== undefined && objectIn(text)) || {}
  return method === undefined ? undefined : id
}

function responseOf({ status, headers, body }: OpenAnswer, requestId: unknown, deliver: Deliver): Response {
  const init = { status, headers: [...headers].filter(([name]) => name !== 'content-encoding') }
  if (status === taken && requestId !== undefined) {
    body.destroy()
    return Response.json(lostAnswer(requestId, 'it answered HTTP 202 to a request and sent no answer'))
  }
  if (bodyless.includes(status)) {
    body.resume()
    return new Response(null, init)
  }
  // It was asked not to compress: what it sends must be readable as it is.
  if (headers.has('content-encoding') && headers.get('content-encoding') !== 'identity') {
    body.destroy()
    throw new Error('the answer is compressed')
  }
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') ?? false
  const bounded =
    status >= 400 ? startOf(body) : isStream ? eventsOf(body, requestId, deliver) : wholeOf(body, requestId, deliver)
  return new Response(Readable.toWeb(Readable.from(bounded)) as ReadableStream<Uint8Array>, init)
}
