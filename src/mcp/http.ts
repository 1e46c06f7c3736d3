// A server that speaks Streamable HTTP: the client package's transport over this service's own network code. Only the very
// host and port that the operator added are reached; redirects to another host are refused.
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { JSONRPCMessage, StreamableHTTPClientTransport, Transport } from '@modelcontextprotocol/client'
import { isObject, objectIn } from '#core/json.ts'
import { within } from '#lib/deadline.ts'
import type { OpenAnswer, StreamDial } from '#net/dial.ts'
import { parseTarget } from '#net/fetch.ts'
import type { ExactArguments } from './exact-arguments.ts'

const maxAnswerBytes = 8 * 1024 * 1024
const goodbyeMs = 2_000
/** The code of an error of this side, in the range that the protocol leaves free. */
export const lostCode = -32_000
/** Statuses whose answers have no body. */
const bodyless = [204, 205, 304]

/** The token of a sign-in to one server. */
export type Bearer = {
  /** For the next request; undefined while nobody has signed in. */
  token(): Promise<string | undefined>
  /** The server answered 401 to this token. Returns another one to try, undefined if somebody must sign in. */
  refused(token: string | undefined, challenge: string | undefined): Promise<string | undefined>
}

export type HttpParts = {
  readonly url: string
  /** Headers of every request, with their values. */
  readonly headers: Readonly<Record<string, string>>
  readonly dial: StreamDial
  readonly exact: ExactArguments
  readonly bearer?: Bearer | undefined
}

/** The server answered a request with 401: nobody is signed in, or the sign-in has ended. */
export class SignInNeeded extends Error {
  /** By this name the client package knows that a probe failed for want of a sign-in. */
  override readonly name = 'UnauthorizedError'
}

export async function createHttpTransport(parts: HttpParts): Promise<Transport> {
  const { StreamableHTTPClientTransport: HttpTransport } = await import('@modelcontextprotocol/client')
  const texts = new Map<string, string>()
  const transport = new HttpTransport(new URL(parts.url), { fetch: createFetch(parts, texts) })
  sendExactly(transport, parts.exact, texts)
  const close = transport.close.bind(transport)
  return Object.assign(transport, {
    async close() {
      if (transport.sessionId !== undefined)
        await within(
          goodbyeMs,
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
      const params: unknown = 'params' in message ? message.params : undefined
      const args = isObject(params) ? params['arguments'] : undefined
      const text = isObject(args) ? exact.get(args) : undefined
      if (text === undefined || !isObject(params)) return send(message, options)
      const placeholder = randomUUID()
      texts.set(placeholder, text)
      try {
        return await send({ ...message, params: { ...params, arguments: placeholder } }, options)
      } finally {
        texts.delete(placeholder)
      }
    },
  })
}

type FetchLike = (url: string | URL, init?: RequestInit) => Promise<Response>

function createFetch(parts: HttpParts, texts: ReadonlyMap<string, string>): FetchLike {
  const { headers: own, dial, bearer } = parts
  const home = new URL(parts.url)
  return async (url, init = {}) => {
    const target = parseTarget(String(url))
    if (typeof target === 'string') throw new Error(target)
    if (new URL(url).host !== home.host) throw new Error(`a request to ${target.host} was refused: it is another host`)
    const body = typeof init.body === 'string' ? Buffer.from(filled(init.body, texts)) : undefined
    const requestId = typeof init.body === 'string' ? objectIn(init.body)?.['id'] : undefined
    const signal = init.signal ?? new AbortController().signal
    const attempt = async (token: string | undefined): Promise<Response> => {
      const headers = new Map(new Headers(init.headers))
      for (const [name, value] of Object.entries(own)) headers.set(name.toLowerCase(), value)
      if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
      const request = { method: init.method ?? 'GET', target, headers, listed: true, ...(body && { body }) }
      const answer = await dial(request, signal)
      if (answer.type === 'fault') throw new Error(answer.fault.message)
      return responseOf(answer, requestId)
    }
    const token = await bearer?.token()
    const first = await attempt(token)
    if (first.status !== 401) return first
    await first.body?.cancel()
    const next = await bearer?.refused(token, first.headers.get('www-authenticate') ?? undefined)
    const second = next === undefined ? first : await attempt(next)
    if (second.status !== 401) return second
    if (second !== first) await second.body?.cancel()
    throw new SignInNeeded('the server answered 401')
  }
}

function filled(body: string, texts: ReadonlyMap<string, string>): string {
  for (const [placeholder, text] of texts) {
    if (body.includes(placeholder)) return body.replace(`"${placeholder}"`, () => text)
  }
  return body
}

function responseOf({ status, headers, body }: OpenAnswer, requestId: unknown): Response {
  const init = { status, headers: [...headers].filter(([name]) => name !== 'content-encoding') }
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
  const bounded = Readable.from(isStream ? eventsOf(body, requestId) : wholeOf(body))
  return new Response(Readable.toWeb(bounded) as ReadableStream<Uint8Array>, init)
}

async function* wholeOf(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxAnswerBytes) throw tooLarge()
    yield chunk
  }
}

/**
 * A stream of events may be long, each event not. The client package would wait for the answer to a request whose stream
 * is broken: an error is put at its end. A stream whose events have ids is taken up again instead.
 */
async function* eventsOf(body: AsyncIterable<Buffer>, requestId: unknown): AsyncGenerator<Buffer> {
  let bytes = 0
  let tail = '\n'
  let resumable = false
  let fault = 'the answer ended too early'
  try {
    for await (const chunk of body) {
      const text = tail + chunk.toString('latin1')
      const end = Math.max(text.lastIndexOf('\n\n'), text.lastIndexOf('\r\r'), text.lastIndexOf('\n\r\n'))
      bytes = end < 0 ? bytes + chunk.length : text.length - end
      if (bytes > maxAnswerBytes) throw tooLarge()
      resumable ||= /[\r\n]id:/.test(text)
      tail = text.slice(-3)
      yield chunk
    }
  } catch (error) {
    if (requestId === undefined || (resumable && bytes <= maxAnswerBytes)) throw error
    fault = bytes > maxAnswerBytes ? tooLarge().message : 'the connection was lost'
  }
  if (requestId === undefined || (resumable && bytes <= maxAnswerBytes)) return
  const message = JSON.stringify({ jsonrpc: '2.0', id: requestId, error: { code: lostCode, message: fault } })
  yield Buffer.from(`\n\nevent: message\ndata: ${message}\n\n`)
}

function tooLarge(): Error {
  return new Error(`the answer is over ${maxAnswerBytes / 1024 / 1024} MiB`)
}
