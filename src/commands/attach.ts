// Reaching the agent from a command: through the service that runs on this home, or by opening the app here.
import type { IncomingMessage } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { loadConfig, secretsIn } from '#config.ts'
import type { LocalDoor } from '#core/doors.ts'
import { AppError, type ErrorCode } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import type { Part } from '#core/item.ts'
import { openApp } from '#app.ts'
import { openHome } from '#home.ts'
import { findSocket } from '#home/socket.ts'
import { request } from '#lib/http.ts'
import { openLog } from '#lib/log.ts'
import { answerChat, type ChatAnswer, type ChatEvent, sendMessage } from '#turns/exchange.ts'
import type { Turns } from '#turns/turns.ts'

/** How long a command waits for another one that holds the home for a moment. */
const lockWaitMs = 30_000
const lockPollMs = 100
/** How long a running service may take to begin its answer: a stopped process still has its socket. */
const answerMs = 30_000
const statusMs = 5_000
/** The same for work of its own, such as erasing all that a user has. */
const workMs = 600_000
const maxLineChars = 64 * 1024 * 1024

export type Agent = {
  /** True when a running service does the work. */
  readonly attached: boolean
  send(message: string, threadId: string | undefined, files?: readonly Part[]): AsyncIterable<ChatEvent>
  /** Answers a gate; its turn goes on. */
  answer(answer: Omit<ChatAnswer, 'user'>): AsyncIterable<ChatEvent>
  /** Stops a turn; its events then end. */
  cancel(turnId: string): Promise<void>
  close(): Promise<void>
}

/** A service that answers on a home, and what it said of itself. */
export type RunningService = { readonly socket: string; readonly status: Readonly<Record<string, unknown>> }

export type Ask = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: object
  readonly withinMs?: number
  /** Ends what is being read. */
  readonly signal?: AbortSignal
}

/** The agent of this home, wherever it runs. */
export async function reachAgent(door: LocalDoor): Promise<Agent> {
  const { home } = loadConfig()
  for (const until = Date.now() + lockWaitMs; ; ) {
    const service = await runningService(home)
    if (service) return attachedAgent(service, door)
    try {
      return await ownAgent(door)
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'home_locked') || Date.now() > until) throw error
      await pause(lockPollMs)
    }
  }
}

/** The service that answers on this home. Throws forbidden when the home or its socket is somebody else's. */
export async function runningService(home: string): Promise<RunningService | undefined> {
  const socket = findSocket(home)
  if (socket === undefined) return undefined
  try {
    const status = await callService(socket, { method: 'GET', path: '/status', withinMs: statusMs })
    return { socket, status }
  } catch {
    return undefined
  }
}

/** Tells a running service that settings have changed. */
export async function tellService(home: string): Promise<void> {
  await askService(home, '/reload', {})
}

/** Has the running service do something, so that what it runs hears of it; undefined when none runs. */
export async function askService(home: string, path: string, body: object): Promise<unknown> {
  const service = await runningService(home)
  return service && callService(service.socket, { method: 'POST', path, body, withinMs: workMs })
}

/** The agent of a app that is open in this process. */
export function agentOf(turns: Turns, door: LocalDoor, close: () => Promise<void>): Agent {
  return {
    attached: false,
    send: (message, threadId, files = []) =>
      sendMessage(turns, { user: operator, door, message, files, ...(threadId && { threadId }) }),
    answer: (answer) => answerChat(turns, { user: operator, ...answer }),
    cancel: async (turnId) => void (await turns.cancel(operator, turnId)),
    close,
  }
}

async function ownAgent(door: LocalDoor): Promise<Agent> {
  const config = loadConfig()
  const app = await openApp({
    configure: loadConfig,
    log: openLog({ level: 'warn', file: openHome(config.home).logFile, secrets: secretsIn(config) }),
  })
  return agentOf(app.turns, door, () => app.close(0))
}

function attachedAgent({ socket }: RunningService, door: LocalDoor): Agent {
  async function* events(path: string, body: object): AsyncGenerator<ChatEvent> {
    for await (const line of linesOf(socket, { method: 'POST', path, body })) yield JSON.parse(line) as ChatEvent
  }
  return {
    attached: true,
    send: (message, threadId, files) => events('/messages', { message, threadId, files, door }),
    answer: (answer) => events('/answers', answer),
    cancel: async (turnId) => void (await callService(socket, { method: 'POST', path: '/cancel', body: { turnId } })),
    close: () => Promise.resolve(),
  }
}

/** One answer of a running service. Throws what the service said, or shutting_down when it went away. */
export async function callService(socket: string, ask: Ask): Promise<Record<string, unknown>> {
  const lines: string[] = []
  for await (const line of linesOf(socket, ask)) lines.push(line)
  return JSON.parse(lines.join('\n')) as Record<string, unknown>
}

/** The lines of an answer, as they come. */
export async function* linesOf(socket: string, ask: Ask): AsyncGenerator<string> {
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

function open(socketPath: string, { method, path, body, withinMs = answerMs, signal }: Ask): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, method, path, agent: false, ...(signal && { signal }) })
    const late = setTimeout(() => sent.destroy(new Error(`no answer within ${withinMs} ms`)), withinMs)
    sent.once('response', (response) => {
      clearTimeout(late)
      resolve(response)
    })
    // Not once: a request may fail again after it was answered, and nobody would hear it.
    sent.on('error', (cause) => {
      clearTimeout(late)
      reject(new AppError('shutting_down', 'the service on this home does not answer: try again', { cause }))
    })
    sent.end(body && JSON.stringify(body))
  })
}

async function faultIn(response: IncomingMessage): Promise<AppError> {
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk as string
  const { error } = JSON.parse(text) as { error: { code: ErrorCode; message: string; param?: string } }
  return new AppError(error.code, error.message, error.param === undefined ? {} : { param: error.param })
}
