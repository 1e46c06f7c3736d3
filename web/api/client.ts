// HTTP client of the gateway; nothing else calls `fetch`. Every failure is an ApiFault with a message fit to show.
import { sentence } from '#core/words.ts'

const deadlineMs = 30_000

/** A failed request. The code is `offline` when the gateway was not reached. */
export class ApiFault extends Error {
  readonly status: number
  readonly code: string
  readonly retryAfterSecs: number | undefined
  /** The field of the request that is at fault. */
  readonly param: string | undefined

  constructor(status: number, code: string, message: string, more: { retryAfterSecs?: number; param?: string } = {}) {
    super(message)
    this.status = status
    this.code = code
    this.retryAfterSecs = more.retryAfterSecs
    this.param = more.param
  }
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Options = {
  /** JSON, or a file as it is. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  readonly deadlineMs?: number
  /** The request survives the page's unload. */
  readonly keepalive?: boolean
}

let signedOut: () => void = () => {}

/** Sets the handler for a 401 answer: the session is gone. */
export function onSignedOut(act: () => void): void {
  signedOut = act
}

/** Sends a request and returns the JSON of the answer; undefined for an empty body. Throws ApiFault. */
export async function request<T>(method: Method, path: string, options: Options = {}): Promise<T> {
  const { response, text } = await send(method, path, options)
  if (response.ok) return (text === '' ? undefined : parse(text)) as T
  if (response.status === 401 && path !== '/api/login') signedOut()
  throw faultOf(response, text)
}

type Answer = { readonly response: Response; readonly text: string }

/** Sends a request and reads the answer: the connection may break in the middle of it. */
async function send(method: Method, path: string, { body, headers = {}, signal, ...rest }: Options): Promise<Answer> {
  const deadline = AbortSignal.timeout(rest.deadlineMs ?? deadlineMs)
  try {
    const response = await fetch(path, {
      method,
      credentials: 'same-origin',
      keepalive: rest.keepalive ?? false,
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: body instanceof Blob ? body : JSON.stringify(body) }),
    })
    return { response, text: await response.text() }
  } catch (error) {
    if (signal?.aborted) throw error
    throw new ApiFault(0, 'offline', 'Atrium was not reached.')
  }
}

/** A proxy may answer with a page of its own, such as a sign-in. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiFault(0, 'offline', 'Atrium was not reached: something else answered at its address.')
  }
}

function faultOf(response: Response, text: string): ApiFault {
  const retryAfterSecs = Number(response.headers.get('retry-after'))
  const after = retryAfterSecs > 0 ? { retryAfterSecs } : {}
  try {
    const { error } = JSON.parse(text) as { error: { code: string; message: string; param?: string } }
    const more = { ...after, ...(error.param !== undefined && { param: error.param }) }
    return new ApiFault(response.status, error.code, sentence(error.message), more)
  } catch {
    const readable = text.length > 0 && text.length < 200 && !text.trimStart().startsWith('<')
    const words = readable ? text : `The gateway answered ${response.status}.`
    return new ApiFault(response.status, `http_${response.status}`, sentence(words), after)
  }
}

/** The message to show for anything thrown. */
export function faultText(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
