// Reaching the agent from a command: through the service that runs on this home, or by opening the app here.
import { setTimeout as pause } from 'node:timers/promises'
import { loadConfig, secretsIn } from '#config.ts'
import { AppError } from '#core/errors.ts'
import { openApp } from '#app.ts'
import { openOperator } from '#app/open-operator.ts'
import { openHome } from '#home.ts'
import { findSocket } from '#home/socket.ts'
import { openLog } from '#lib/log.ts'
import type { OperatorClient } from '#turns/operator-client.ts'
import { callService, serviceClient } from './service-client.ts'

/** How long a command waits for another one that holds the home for a moment. */
const lockWaitMs = 30_000
const lockPollMs = 100
const statusMs = 5_000
/** How long a running service may take for work of its own, such as erasing all that a user has. */
const workMs = 600_000

/** A client to be closed: the app that was opened for it ends then, a running service goes on. */
export type ReachedClient = { readonly client: OperatorClient; readonly close: () => Promise<void> }

/** A service that answers on a home, and what it said of itself. */
export type RunningService = { readonly socket: string; readonly status: Readonly<Record<string, unknown>> }

/** The operator's client of this home, wherever the agent runs. */
export async function reachOperator(): Promise<ReachedClient> {
  const { home } = loadConfig()
  for (const until = Date.now() + lockWaitMs; ; ) {
    if (await runningService(home)) return { client: serviceClient(home), close: () => Promise.resolve() }
    try {
      return await ownClient()
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

async function ownClient(): Promise<ReachedClient> {
  const config = loadConfig()
  const app = await openApp({
    configure: loadConfig,
    log: openLog({ level: 'warn', file: openHome(config.home).logFile, secrets: secretsIn(config) }),
  })
  return { client: openOperator(app, () => []), close: () => app.close(0) }
}
