// Client of the service that runs on a home, through its Unix socket: single replies, streamed lines, and the operator's
// client.
import type { IncomingMessage } from 'node:http'
import type { ListChange } from '#core/bus.ts'
import { AppError, type ErrorCode } from '#core/errors.ts'
import { durationWords } from '#core/words.ts'
import { findSocket } from '#home/socket.ts'
import { request } from '#lib/http.ts'
import type { OperatorClient } from '#turns/operator-client.ts'
import type { Watched } from '#turns/watch.ts'

/** Timeout for the start of a response: a stopped process still has its socket. */
const responseMs = 30_000
const maxLineChars = 64 * 1024 * 1024

export type Ask = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: object
  readonly withinMs?: number
  /** Aborts the request and its response. */
  readonly signal?: AbortSignal
}

/**
 * The client of the service that runs on a home. Every call finds the socket anew, so that it works after a restart of
 * the service. Throws shutting_down while none runs.
 */
export function serviceClient(home: string): OperatorClient {
  // Responses are trusted: both sides of the socket have the same types.
  const ask = async (verb: string, body: object = {}): Promise<never> =>
    (await callService(socketOf(home), { method: 'POST', path: `/operator/${verb}`, body })) as never
  async function* stream<T>(verb: string, body: object, signal: AbortSignal): AsyncGenerator<T> {
    const lines = linesOf(socketOf(home), { method: 'POST', path: `/operator/${verb}`, body, signal })
    try {
      for await (const line of lines) yield JSON.parse(line) as T
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
  return {
    send: (message) => ask('send', message),
    answer: (threadId, answer) => ask('answer', { threadId, answer }),
    cancel: (turnId) => ask('cancel', { turnId }),
    editQueued: async (turnId, message) => void (await ask('editQueued', { turnId, message })),
    removeQueued: async (turnId) => void (await ask('removeQueued', { turnId })),
    stopAll: (threadId) => ask('stopAll', { threadId }),
    thread: async (threadId) => (await ask('thread', { threadId })) ?? undefined,
    threads: () => ask('threads'),
    gates: () => ask('gates'),
    receipt: async (turnId) => (await ask('receipt', { turnId })) ?? undefined,
    status: () => ask('status'),
    login: async (known) => (await ask('login', { known })) ?? undefined,
    models: () => ask('models'),
    setModel: async (threadId, model) => void (await ask('setModel', { threadId, ...(model !== null && { model }) })),
    tools: () => ask('tools'),
    memory: (query) => ask('memory', { query }),
    skills: () => ask('skills'),
    missions: async (request) => (await ask('missions', request)) ?? undefined,
    notifications: async (request) => (await ask('notifications', request)) ?? undefined,
    follow: (turnId, signal) => stream<readonly Watched[]>('follow', { turnId }, signal),
    watch: (threadId, after, signal) => stream<readonly Watched[]>('watch', { threadId, after }, signal),
    changes: (signal) => stream<readonly ListChange[]>('changes', {}, signal),
  }
}

function socketOf(home: string): string {
  const socket = findSocket(home)
  if (socket === undefined) throw new AppError('shutting_down', 'no service runs on this home')
  return socket
}

/**
 * One response of a running service. Throws the service's error, shutting_down when the service went away, or request_timeout
 * when it is there and does not answer.
 */
export async function callService(socket: string, ask: Ask): Promise<Record<string, unknown>> {
  const lines: string[] = []
  for await (const line of linesOf(socket, ask)) lines.push(line)
  return JSON.parse(lines.join('\n')) as Record<string, unknown>
}

/** The lines of a response, as they arrive. */
async function* linesOf(socket: string, ask: Ask): AsyncGenerator<string> {
  const response = await open(socket, ask)
  if ((response.statusCode ?? 500) >= 400) throw await faultIn(response)
  let rest = ''
  try {
    for await (const chunk of response.setEncoding('utf8')) {
      const lines = (rest + (chunk as string)).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > maxLineChars) throw new Error('a line of the answer is too long')
      yield* lines
    }
  } catch (error) {
    throw new AppError('shutting_down', 'the service went away; a turn that it had begun goes on after its restart', {
      cause: error,
    })
  }
  if (rest !== '') yield rest
}

function open(
  socketPath: string,
  { method, path, body, withinMs = responseMs, signal }: Ask,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, method, path, agent: false, ...(signal && { signal }) })
    const late = setTimeout(() => sent.destroy(silentFault(withinMs)), withinMs)
    sent.once('response', (response) => {
      clearTimeout(late)
      resolve(response)
    })
    // `on`, not `once`: a request may fail again after its response, and an unhandled error would end the process.
    sent.on('error', (cause) => {
      clearTimeout(late)
      reject(connectionFault(cause, withinMs))
    })
    sent.end(body && JSON.stringify(body))
  })
}

/** How long a service was silent, and the way out. */
export function silentWords(withinMs: number): string {
  return `within ${durationWords(withinMs)}: try again; if it hangs or was stopped, end it and start it anew`
}

function connectionFault(cause: Error, withinMs: number): AppError {
  if (cause instanceof AppError) return cause
  // The queue of a process that accepts nothing is full.
  if ((cause as NodeJS.ErrnoException).code === 'EAGAIN') return silentFault(withinMs)
  return new AppError('shutting_down', 'the service on this home does not answer: try again', { cause })
}

function silentFault(withinMs: number): AppError {
  return new AppError('request_timeout', `the service on this home did not answer ${silentWords(withinMs)}`)
}

async function faultIn(response: IncomingMessage): Promise<AppError> {
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk as string
  const { error } = JSON.parse(text) as { error: { code: ErrorCode; message: string; param?: string } }
  return new AppError(error.code, error.message, error.param === undefined ? {} : { param: error.param })
}
