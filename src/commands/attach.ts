// Reaching the agent from a command: through the service that runs on this home, or by opening the hall here.
import type { IncomingMessage } from 'node:http'
import { createInterface } from 'node:readline'
import { loadConfig } from '#config.ts'
import { AppError, type ErrorCode } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import { openHome, readNote, type ServiceNote } from '#home.ts'
import { request } from '#lib/http.ts'
import { openLog } from '#lib/log.ts'
import { openHall } from '#hall.ts'
import type { ChatEvent } from '#turns/chat.ts'
import { sendMessage } from '#turns/chat.ts'

/** How long a command waits for another one that holds the home for a moment. */
const lockWaitMs = 30_000
const lockPollMs = 100

export type Agent = {
  /** True when a running service does the work. */
  readonly attached: boolean
  send(message: string, threadId: string | undefined): AsyncIterable<ChatEvent>
  close(): Promise<void>
}

/** The agent of this home, wherever it runs. */
export async function reachAgent(door: 'run' | 'terminal'): Promise<Agent> {
  const config = loadConfig()
  for (const until = Date.now() + lockWaitMs; ; ) {
    const note = await runningService(config.home)
    if (note) return attachedAgent(note, door)
    try {
      return await ownAgent(door)
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'home_locked') || Date.now() > until) throw error
      await new Promise((resolve) => setTimeout(resolve, lockPollMs))
    }
  }
}

/** The note of a service that answers on this home. */
export async function runningService(home: string): Promise<ServiceNote | undefined> {
  const note = readNote(home)
  if (!note) return undefined
  try {
    await callService(note, 'GET', '/status')
    return note
  } catch {
    return undefined
  }
}

/** Calls the local door of a running service. */
export async function callService(
  note: ServiceNote,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<unknown> {
  const lines: string[] = []
  for await (const line of callLines(note, method, path, body)) lines.push(line)
  return lines.length > 0 ? JSON.parse(lines.join('\n')) : undefined
}

/** Tells a running service that settings have changed. */
export async function tellService(home: string): Promise<void> {
  const note = await runningService(home)
  if (note) await callService(note, 'POST', '/reload')
}

async function ownAgent(door: 'run' | 'terminal'): Promise<Agent> {
  const hall = await openHall({
    configure: loadConfig,
    log: await openLog({ level: 'warn', file: openHome(loadConfig().home).logFile }),
  })
  await hall.installDefaults((name) => {
    if (process.stderr.isTTY) process.stderr.write(`Preparing the tool ${name}, this once …\n`)
  })
  return {
    attached: false,
    send: (message, threadId) =>
      sendMessage(hall.turns, { user: operator, door, message, ...(threadId && { threadId }) }),
    close: () => hall.close(0),
  }
}

function attachedAgent(note: ServiceNote, door: 'run' | 'terminal'): Agent {
  return {
    attached: true,
    async *send(message, threadId) {
      for await (const line of callLines(note, 'POST', '/messages', { message, threadId, door }))
        yield JSON.parse(line) as ChatEvent
    },
    close: () => Promise.resolve(),
  }
}

async function* callLines(
  { port, token }: ServiceNote,
  method: string,
  path: string,
  body?: object,
): AsyncGenerator<string> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, method, path, headers: { authorization: `Bearer ${token}` } },
      resolve,
    )
    sent.once('error', (error) =>
      reject(new AppError('database_unavailable', 'the service does not answer', { cause: error })),
    )
    sent.end(body && JSON.stringify(body))
  })
  const lines = createInterface({ input: response, crlfDelay: Number.POSITIVE_INFINITY })
  if ((response.statusCode ?? 500) < 400) {
    yield* lines
    return
  }
  let text = ''
  for await (const line of lines) text += line
  const { error } = JSON.parse(text) as { error: { code: ErrorCode; message: string; param?: string } }
  throw new AppError(error.code, error.message, error.param === undefined ? {} : { param: error.param })
}
