// Connects a command to the agent: through the service that runs on this home, or by opening the app in this process.
import { setTimeout as pause } from 'node:timers/promises'
import { loadConfig, secretsIn } from '#config.ts'
import { AppError, type ErrorCode } from '#core/errors.ts'
import { openApp } from '#app.ts'
import { openOperator } from '#app/open-operator.ts'
import { openHome } from '#home.ts'
import { findSocket } from '#home/socket.ts'
import { openLog } from '#lib/log.ts'
import { newestVersion } from '#store/migrations.ts'
import type { OperatorClient } from '#turns/operator-client.ts'
import { listedBy } from './report.ts'
import { callService, serviceClient, silentWords } from './service-client.ts'

/** How long a command waits for another command that has locked the home. */
const lockWaitMs = 30_000
const lockPollMs = 100
/** How often a service is asked that cuts the connection. */
const maxTries = 5
const cutCodes: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE'])
const statusMs = 5_000
/** Timeout for long work in a running service, such as erasing a user's data. */
const workMs = 600_000

/** A client that must be closed. This closes an app that was opened for it; a running service goes on. */
type ReachedClient = { readonly client: OperatorClient; readonly close: () => Promise<void> }

/** A service that answers on a home, and its status. */
export type RunningService = { readonly socket: string; readonly status: Readonly<Record<string, unknown>> }

/** Asks the operator's client of this home about something that `list` lists. */
export async function askOperator<T>(list: string, work: (client: OperatorClient) => Promise<T>): Promise<T> {
  const { client, close } = await reachOperator()
  try {
    return await listedBy(list, () => work(client))
  } finally {
    await close()
  }
}

/** The operator's client of this home, in the running service or in this process. */
async function reachOperator(): Promise<ReachedClient> {
  const { home } = loadConfig()
  for (const until = performance.now() + lockWaitMs; ; ) {
    if (await runningService(home)) return { client: serviceClient(home), close: () => Promise.resolve() }
    try {
      return await ownClient()
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'home_locked') || performance.now() > until) throw error
      await pause(lockPollMs)
    }
  }
}

/**
 * The service that answers on this home. Throws forbidden when the home or its socket is somebody else's, the fault of a
 * service that runs and cannot tell its status, such as one that hangs or is without its database, and home_locked for a
 * service of another version, which may not know what a command asks of it.
 */
export async function runningService(home: string): Promise<RunningService | undefined> {
  const service = await findService(home)
  const schema = Number(service?.status['schema'] ?? 0)
  if (!service || schema === newestVersion) return service
  const { pid } = service.status
  const which = typeof pid === 'number' ? ` (process ${pid})` : ''
  const wayOut = schema > newestVersion ? 'use its own commands' : 'stop it, then start this one'
  throw new AppError('home_locked', `another version of Atrium runs on ${home}${which}: ${wayOut}`)
}

/** The same, of whichever version. */
export async function findService(home: string, withinMs = statusMs): Promise<RunningService | undefined> {
  for (let tries = 1; ; tries++) {
    const socket = findSocket(home)
    if (socket === undefined) return undefined
    try {
      const status = await callService(socket, { method: 'GET', path: '/status', withinMs })
      return { socket, status }
    } catch (error) {
      if (!(error instanceof AppError)) return undefined
      const cut = error.code === 'shutting_down' && isCut(error)
      if (error.code === 'shutting_down' && !cut) return undefined
      if (!cut || tries === maxTries) throw statusFault(home, error, withinMs)
    }
    // A service that ends cuts its connections too: it is gone a moment later.
    await pause(lockPollMs)
  }
}

/** True where the service took the connection and closed it. */
function isCut({ cause }: AppError): boolean {
  return cutCodes.has((cause as NodeJS.ErrnoException | undefined)?.code ?? '')
}

function statusFault(home: string, error: AppError, withinMs: number): AppError {
  const words: { readonly [C in ErrorCode]?: string } = {
    // The message of an outage is that of a request that may have stored something.
    database_unavailable: 'cannot tell its status: its database is away: see `atrium doctor`',
    request_timeout: `did not answer ${silentWords(withinMs)}`,
    shutting_down: 'closes every connection: too many files may be open, raise its limit with `ulimit -n`',
  }
  const why = words[error.code] ?? `cannot tell its status: ${error.message}`
  return new AppError(error.code, `a service runs on ${home}, but ${why}`, { cause: error })
}

/** Makes a running service read its settings again. What it reads is stored already: one that hangs is no fault of that. */
export async function reloadService(home = loadConfig().home, withinMs = statusMs): Promise<void> {
  try {
    // One of another version too.
    await post(await findService(home, withinMs), '/reload', {})
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'request_timeout') throw error
    process.stderr.write(`the change is stored; ${error.message}\n`)
  }
}

/** Sends a request to the service of this home, so that its turns and watchers see the change; undefined when none runs. */
export async function askService(path: string, body: object): Promise<unknown> {
  return post(await runningService(loadConfig().home), path, body)
}

async function ownClient(): Promise<ReachedClient> {
  const config = loadConfig()
  const app = await openApp({
    configure: loadConfig,
    log: openLog({ level: 'warn', file: openHome(config.home).logFile, secrets: secretsIn(config) }),
  })
  return {
    client: openOperator(app, { doors: () => [], login: () => Promise.resolve(undefined) }),
    close: () => app.close(0),
  }
}

async function post(service: RunningService | undefined, path: string, body: object): Promise<unknown> {
  return service && callService(service.socket, { method: 'POST', path, body, withinMs: workMs })
}
