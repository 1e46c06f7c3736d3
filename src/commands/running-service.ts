// Connects a command to the agent: through the service that runs on this home, or by opening the app in this process.
import { setTimeout as pause } from 'node:timers/promises'
import { loadConfig, secretsIn } from '#config.ts'
import { AppError } from '#core/errors.ts'
import { openApp } from '#app.ts'
import { openOperator } from '#app/open-operator.ts'
import { openHome } from '#home.ts'
import { findSocket } from '#home/socket.ts'
import { openLog } from '#lib/log.ts'
import { newestVersion } from '#store/migrations.ts'
import type { OperatorClient } from '#turns/operator-client.ts'
import { listedBy } from './report.ts'
import { callService, serviceClient } from './service-client.ts'

/** How long a command waits for another command that has locked the home. */
const lockWaitMs = 30_000
const lockPollMs = 100
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
 * service that runs and cannot tell its status, such as one without its database, and home_locked for a service of another
 * version, which may not know what a command asks of it.
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
export async function findService(home: string): Promise<RunningService | undefined> {
  const socket = findSocket(home)
  if (socket === undefined) return undefined
  try {
    const status = await callService(socket, { method: 'GET', path: '/status', withinMs: statusMs })
    return { socket, status }
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'shutting_down') return undefined
    // The message of an outage is that of a request that may have stored something.
    const why = error.code === 'database_unavailable' ? 'its database is away: see `atrium doctor`' : error.message
    throw new AppError(error.code, `a service runs on ${home}, but cannot tell its status: ${why}`, { cause: error })
  }
}

/** Makes a running service read its settings again. */
export async function reloadService(home: string): Promise<void> {
  // One of another version too: what it reads is stored already.
  await post(await findService(home), '/reload', {})
}

/** Sends a request to the running service, so that its turns and watchers see the change; undefined when none runs. */
export async function askService(home: string, path: string, body: object): Promise<unknown> {
  return post(await runningService(home), path, body)
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
