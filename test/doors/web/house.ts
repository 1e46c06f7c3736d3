// A whole gateway for tests: real HTTP on a free port over the app of the tests.
import type { TestContext } from 'node:test'
import type { IdentityStore } from '#core/account.ts'
import type { Store } from '#core/store.ts'
import { createChatLimit } from '#http/chat-rate.ts'
import { createWriteLimit } from '#http/write-rate.ts'
import type { Oidc } from '#http/oidc.ts'
import { createRequestCount } from '#http/request-log.ts'
import { createOrigins } from '#http/origin.ts'
import type { SocketBounds } from '#http/socket.ts'
import { createSessions, type Sessions } from '#http/session.ts'
import type { Trust } from '#http/address.ts'
import type { Timeouts } from '#http/open-fastify.ts'
import { createGateway, type Gateway } from '#http/server.ts'
import { silentLog } from '#lib/log.ts'
import { hashToken } from '#lib/token.ts'
import type { Documents } from '#memory/documents.ts'
import { createMetrics } from '#lib/metrics.ts'
import { createMemoryTools } from '#memory/memory-tools.ts'
import { createTurnMetrics } from '#turns/turn-metrics.ts'
import type { Turns } from '#turns/turns.ts'
import { eventually, type TestAppOptions, openTestApp } from '../test-app.ts'
import { mountRoutes, type RouteOptions } from './house-routes.ts'

export const operatorToken = 'operator-token-of-the-tests'
export const gatewayToken = 'gateway-token-of-the-tests'

export type HouseOptions = Pick<TestAppOptions, 'say' | 'model' | 'room' | 'wrapStore' | 'maxUserBytes'> &
  RouteOptions & {
    readonly perMinute?: number
    readonly writesPerMinute?: number
    readonly storeAway?: () => boolean
    readonly ping?: () => Promise<void>
    readonly draining?: () => boolean
    readonly timeouts?: Partial<Timeouts>
    /** The agent has its memory tools. */
    readonly memory?: true
    readonly trustProxy?: Trust
    readonly socketBounds?: Partial<SocketBounds>
    readonly allowedOrigins?: readonly string[]
    readonly oidc?: (identities: IdentityStore) => Oidc
  }

export type House = {
  readonly url: string
  readonly port: number
  readonly gateway: Gateway
  readonly store: Store
  readonly turns: Turns
  readonly sessions: Sessions
  /** A request with JSON both ways; `token` is the operator's unless given, null sends none. */
  readonly call: (method: string, path: string, options?: CallOptions) => Promise<Answer>
  readonly addUser: (name: string, expiresAt?: number) => Promise<string>
  readonly close: (graceMs?: number) => Promise<void>
}

type CallOptions = {
  readonly token?: string | null
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
type Answer = { status: number; headers: Headers; text: string; json: any }

export async function openHouse(t: TestContext, options: HouseOptions = {}): Promise<House> {
  const { now = Date.now } = options
  const metrics = createMetrics()
  const app = await openTestApp({
    ...options,
    observer: createTurnMetrics(metrics),
    ...(options.memory && { toolsOf: (documents: Documents) => createMemoryTools(documents) }),
  })
  const { store, turns } = app
  const operatorTokens = [gatewayToken, operatorToken]
  const sessions = createSessions({
    store: store.sessions,
    operatorHashes: operatorTokens.map(hashToken),
    now,
    log: silentLog,
  })
  const trustProxy = options.trustProxy ?? false
  const oidc = options.oidc?.(store.identities)
  const origins = createOrigins({ allowed: options.allowedOrigins ?? [], names: ['atrium.lan'], trustProxy })
  const chatLimit = createChatLimit({ limits: store.limits, perMinute: options.perMinute ?? 0, now })
  const writeLimit = createWriteLimit({ perMinute: options.writesPerMinute ?? 0, now })
  const gateway = await createGateway({
    auth: {
      operatorTokens,
      sessions,
      accounts: store.accounts,
      now,
      ...(oidc && { oidc }),
      ...(options.storeAway && { storeAway: options.storeAway }),
    },
    health: { ping: options.ping ?? (() => store.ping()), draining: options.draining ?? (() => false) },
    chatLimit,
    chatsPerMinute: options.perMinute ?? 0,
    writeLimit,
    refusal: () => turns.refusal(),
    ...(options.socketBounds && { socketBounds: options.socketBounds }),
    origins,
    trustProxy,
    log: silentLog,
    countRequest: createRequestCount(metrics),
    ...(options.timeouts && { timeouts: options.timeouts }),
  })
  await mountRoutes({ app, gateway, sessions, origins, oidc, chatLimit, writeLimit, metrics }, options)
  const { port, url } = await gateway.listen('127.0.0.1', 0)
  let closed = false
  async function close(graceMs = 0): Promise<void> {
    if (closed) return
    closed = true
    await Promise.all([gateway.close(graceMs), app.runner.drain(graceMs)])
    await app.close()
  }
  t.after(() => close())

  return {
    url,
    port,
    gateway,
    store,
    turns,
    sessions,
    close,
    async call(method, path, { token = operatorToken, body, headers = {} } = {}) {
      const response = await fetch(url + path, {
        method,
        headers: {
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && {
          body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
        }),
      })
      const text = await response.text()
      const isJson = text !== '' && response.headers.get('content-type')?.startsWith('application/json')
      return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined }
    },
    async addUser(name, expiresAt) {
      const token = `token-of-${name.replaceAll(' ', '-')}`
      await store.accounts.addUser(name, { hash: hashToken(token), ...(expiresAt !== undefined && { expiresAt }) })
      return token
    },
  }
}

/** A job once it is completed. */
export function completedJob(house: Pick<House, 'call'>, id: string, token = operatorToken): Promise<Answer> {
  return eventually(async () => {
    const job = await house.call('GET', `/api/jobs/${id}`, { token })
    return job.json.status === 'completed' && job
  })
}
