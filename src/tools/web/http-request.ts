// The `http_request` tool: sends one request as the model wrote it and returns the answer unchanged.
import { AppError } from '#core/errors.ts'
import { byteLength, objectIn } from '#core/json.ts'
import { type PolicyRow, reachInParams, type Tool } from '#core/tool.ts'
import { type Fetch, type FetchRequest, parseTarget, type Refusal } from '#net/fetch.ts'
import type { UserId } from '#core/ids.ts'
import type { LeakScan } from '#safety/leaks.ts'
import { readParams, schemaOf } from '#core/tool-params.ts'
import { type Answer, checkOutgoing, refused, typeOf } from './answer.ts'
import { decodeText } from './decode.ts'
import { requestQuestion } from './request-question.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
const maxBodyBytes = 1024 * 1024
const maxHeaders = 50
const maxHeaderChars = 8_192
const maxAnswerChars = 100_000
const headerName = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/
/** Headers that the HTTP client or a proxy sets. Set by the model, they could change the request after it was judged. */
const reservedHeaders =
  /^(?:host|connection|content-length|transfer-encoding|upgrade|te|trailer|expect|keep-alive|accept-encoding|proxy-.*|x-http-method.*|x-method-override|x-original-.*|x-rewrite-url|x-forwarded-.*|forwarded)$/
/** The headers of an answer that the model gets to see. */
const shownHeaders =
  /^(?:content-type|location|etag|last-modified|retry-after|link|www-authenticate|allow|x-ratelimit-.*|ratelimit.*|x-total-count)$/

const parameters = schemaOf(
  {
    method: { type: 'string', enum: methods, description: 'Anything but GET and HEAD waits for approval.' },
    url: { type: 'string', minLength: 1, description: 'The address, https or http.' },
    headers: { type: 'object', additionalProperties: { type: 'string' }, description: 'Header names and values.' },
    body: { type: 'string', description: 'The body as text, at most 1 MiB. Say its kind by a content-type header.' },
  },
  ['method', 'url'],
)

type Params = {
  readonly method: (typeof methods)[number]
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export type HttpRequestParts = {
  readonly fetch: Fetch
  readonly refusal: Refusal
  readonly scan: (user: UserId) => LeakScan
}

export function createHttpRequest({ fetch, refusal, scan }: HttpRequestParts): Tool {
  return {
    spec: {
      name: 'http_request',
      description:
        'Sends an HTTP request, such as to an API, and returns status, headers and body as they come. For pages that are to be read, web_fetch is better. Credentials do not belong in it.',
      parameters,
    },
    effects: (args) => (onlyReads(objectIn(args)?.['method']) ? 'read' : 'write'),
    policy: { rows: ['request', 'fetch', 'fetch-made'], rowOf: rowOfRequest },
    about: {
      brief: 'Sends a request to any public web address',
      may: ['Send a request to any public web address'],
      cannot: ['Reach a private address, unless the operator lists it', 'Send what looks like a credential'],
    },
    reach: reachInParams,
    repeatable: false,
    untrusted: true,
    async ask(args, { user }) {
      const { method, url, headers, body } = await readRequest(args, scan(user))
      const why = refusal(url)
      if (why !== undefined) throw failed({ method, url }, why)
      const sent = {
        ...(headers.size > 0 && { headers: Object.fromEntries(headers) }),
        ...(body && { body: String(body) }),
      }
      return { question: requestQuestion(method, url), preview: { type: 'request', method, url, ...sent } }
    },
    async run(args, { user, signal, markUntrusted, reportUse }) {
      const request = await readRequest(args, scan(user))
      const fetched = await fetch(request, signal, (sent) => reportUse?.({ sent: [sent] }))
      if (fetched.type === 'fault') throw failed(request, fetched.message)
      markUntrusted?.(fetched.url)
      return resultText(request, fetched)
    },
  }
}

function onlyReads(method: unknown): boolean {
  return typeof method === 'string' && /^(?:get|head)$/i.test(method)
}

/** `fetch` for a read by URL alone, `fetch-made` for one with headers or a body, `request` for anything else. */
function rowOfRequest(args: string): PolicyRow {
  const { method, headers, body } = objectIn(args) ?? {}
  if (!onlyReads(method)) return 'request'
  return isEmpty(headers) && isEmpty(body) ? 'fetch' : 'fetch-made'
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** The checked request of a call. Throws invalid_input, or tool_refused for a secret. */
async function readRequest(args: string, scan: LeakScan): Promise<FetchRequest> {
  const { method, url, headers = {}, body } = readParams(parameters, args) as Params
  const target = parseTarget(url)
  if (typeof target === 'string') throw wrong('url', target)
  if (body !== undefined && (method === 'GET' || method === 'HEAD'))
    throw wrong('body', `is not allowed with ${method}`)
  if (body !== undefined && byteLength(body) > maxBodyBytes) throw wrong('body', `is over ${maxBodyBytes} bytes`)
  const checked = readHeaders(headers)
  await checkOutgoing([url, ...checked.values(), body ?? ''], scan)
  return { method, url, headers: checked, ...(body !== undefined && { body: Buffer.from(body) }) }
}

function readHeaders(headers: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const entries = Object.entries(headers)
  if (entries.length > maxHeaders) throw wrong('headers', `has more than ${maxHeaders} entries`)
  const checked = new Map<string, string>()
  for (const [original, value] of entries) {
    const name = original.toLowerCase()
    const shown = original.slice(0, 100)
    if (!headerName.test(name)) throw wrong('headers', `has a name that cannot be sent: ${JSON.stringify(shown)}`)
    if (reservedHeaders.test(name)) throw wrong('headers', `may not set ${shown}`)
    if (value.length > maxHeaderChars || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw wrong('headers', `has a value for ${shown} that cannot be sent`)
    }
    checked.set(name, value.trim())
  }
  return checked
}

function resultText({ method, url }: FetchRequest, answer: Answer): string {
  const from = answer.url === url ? [] : [`Address: ${answer.url}`]
  const headers = [...answer.headers].flatMap(([name, value]) => (shownHeaders.test(name) ? [`${name}: ${value}`] : []))
  const head = [`HTTP ${answer.status}`, ...from, ...headers].join('\n')
  return method === 'HEAD' ? head : `${head}\n\n${bodyOf(answer)}`
}

function bodyOf(answer: Answer): string {
  const { body } = answer
  if (body.length === 0) return '(no body)'
  const text = decodeText(body, answer.headers.get('content-type') ?? '')
  if (text === undefined) return `(${body.length} bytes of ${typeOf(answer) || 'no stated type'}: not text)`
  if (text.length <= maxAnswerChars) return text
  return `${text.slice(0, maxAnswerChars).toWellFormed()}\n[cut: ${text.length - maxAnswerChars} more characters]`
}

function failed({ method, url }: Pick<FetchRequest, 'method' | 'url'>, why: string): AppError {
  return refused(`${method} ${url} failed: ${why}`)
}

function wrong(param: string, problem: string): AppError {
  return new AppError('invalid_input', `${param}: ${problem}`, { param })
}
