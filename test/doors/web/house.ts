// A whole gateway for tests: real HTTP on a free port over the app of the tests.
import type { TestContext } from 'node:test'
import { specifiedRules } from '#config/responses.ts'
import type { IdentityStore } from '#core/account.ts'
import { AppError } from '#core/errors.ts'
import type { OfferedModels } from '#core/admin.ts'
import type { McpAdmin, McpServers, McpSignIns } from '#core/mcp.ts'
import type { Store } from '#core/store.ts'
import { completionsRoutes } from '#doors/completions/routes.ts'
import { responsesRoutes } from '#doors/responses/routes.ts'
import { webRoutes } from '#doors/web/door.ts'
import { mountLive } from '#doors/web/live-routes.ts'
import { mcpAuthRoutes } from '#doors/web/mcp-auth-routes.ts'
import { mcpRoutes } from '#doors/web/mcp-routes.ts'
import { skillUpload } from '#doors/web/skill-routes.ts'
import { toolAccessRoutes } from '#doors/web/tool-access-routes.ts'
import { toolRoutes } from '#doors/web/tool-routes.ts'
import { parseLossless } from '#http/lossless-json.ts'
import { createChatLimit } from '#http/chat-rate.ts'
import { createWriteLimit } from '#http/write-rate.ts'
import type { Oidc } from '#http/oidc.ts'
import type { Route } from '#http/routes.ts'
import { createMissions } from '#missions/missions.ts'
import type { ReadPdf } from '#core/pdf.ts'
import { readPdf } from '#tools/web/pdf.ts'
import { refusalOf } from '#net/post.ts'
import { createNotifications } from '#reach/notifications.ts'
import { createPushKeys } from '#reach/push-keys.ts'
import type { SendBy } from '#reach/way.ts'
import { createRequestCount } from '#http/request-log.ts'
import { readConfig } from '#config.ts'
import { createBuiltInSource } from '#app/built-in-source.ts'
import { measureService } from '#app/gauges.ts'
import { createSettingsAdmin, type SettingsParts } from '#app/settings-admin.ts'
import { createToolAdmin } from '#app/tool-admin.ts'
import { joinSources } from '#app/tool-sources.ts'
import { metricsRoute, registerProcessMetrics } from '#http/metrics-route.ts'
import { createOrigins } from '#http/origin.ts'
import type { SocketBounds } from '#http/socket.ts'
import { createSessions, type Sessions } from '#http/session.ts'
import type { Trust } from '#http/address.ts'
import type { Timeouts } from '#http/open-fastify.ts'
import { createGateway, type Gateway } from '#http/server.ts'
import { silentLog } from '#lib/log.ts'
import { hashToken } from '#lib/token.ts'
import { createMcpAdmin } from '#mcp/admin.ts'
import { createServers } from '#mcp/servers.ts'
import type { Documents } from '#memory/documents.ts'
import { createMetrics } from '#lib/metrics.ts'
import { createMemoryTools } from '#memory/memory-tools.ts'
import { readSafetySettings } from '#safety/policy-settings.ts'
import { createComponentSource } from '#sandbox/component-source.ts'
import type { About } from '#turns/service-status.ts'
import { createTurnMetrics } from '#turns/turn-metrics.ts'
import type { Turns } from '#turns/turns.ts'
import { accessOver } from '../../sandbox/auth/access-over.ts'
import { patienceMs } from '../../until.ts'
import { eventually, type TestAppOptions, openTestApp } from '../test-app.ts'

export const operatorToken = 'operator-token-of-the-tests'
export const gatewayToken = 'gateway-token-of-the-tests'

/** MCP servers that cannot be reached. */
function noServers({ mcp: store, secrets }: Store): McpAdmin {
  const openTransport = () => Promise.reject(new AppError('tool_refused', 'no server is reached in tests'))
  const servers = createServers({ store, openTransport, callMs: 1, idleMs: 1, version: '1', log: silentLog })
  return createMcpAdmin({ servers, store, mask: (text) => text, secrets })
}

export type HouseOptions = Pick<
  TestAppOptions,
  'say' | 'model' | 'tools' | 'now' | 'room' | 'wrapStore' | 'maxUserBytes'
> & {
  readonly perMinute?: number
  readonly writesPerMinute?: number
  readonly storeAway?: () => boolean
  readonly ping?: () => Promise<void>
  readonly patienceMs?: number
  readonly readPdf?: ReadPdf
  readonly draining?: () => boolean
  readonly timeouts?: Partial<Timeouts>
  /** The MCP servers, over the store of the house. */
  readonly mcp?: (store: Store) => McpAdmin & Partial<McpSignIns>
  /** The agent has its memory tools. */
  readonly memory?: true
  readonly trustProxy?: Trust
  readonly socketBounds?: Partial<SocketBounds>
  readonly allowedOrigins?: readonly string[]
  readonly oidc?: (identities: IdentityStore) => Oidc
  /** Tests a model before it is stored; without it, every model passes. */
  readonly tryChoice?: SettingsParts['tryChoice']
  /** More variables of the environment, for the settings. */
  readonly environment?: Readonly<Record<string, string>>
  /** What becomes of messages to ntfy; without it, every one is sent. */
  readonly ntfy?: SendBy
  /** The models that can be chosen for a thread. */
  readonly models?: OfferedModels
  /** More routes. */
  readonly mount?: readonly Route[]
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

/** Nothing is offered. */
const noModels: OfferedModels = { names: () => [], list: () => Promise.resolve([]) }

export async function openHouse(t: TestContext, options: HouseOptions = {}): Promise<House> {
  const { now = Date.now, models = noModels } = options
  const metrics = createMetrics()
  const app = await openTestApp({
    ...options,
    observer: createTurnMetrics(metrics),
    ...(options.memory && { toolsOf: (documents: Documents) => createMemoryTools(documents) }),
  })
  const { store, turns, threads, gates } = app
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
  const about: About = {
    version: '1.2.3',
    startedAt: now() - 5_000,
    model: () => ({ provider: 'test', name: 'test-1' }),
    offeredModels: () => models.names(),
    databaseBackend: store.backend,
    storage: store.storage,
    sandboxEnabled: () => Promise.resolve(false),
    doors: () => [{ name: 'web', address: 'http://127.0.0.1' }],
    connections: () => gateway.connections(),
    draining: () => false,
  }
  const home = { HOME: '/nowhere', ...options.environment }
  let stored = await store.settings.all()
  const reload = async (): Promise<void> => {
    stored = await store.settings.all()
  }
  const settingsAdmin = createSettingsAdmin({
    store,
    config: () => readConfig(home, stored),
    configure: (settings) => readConfig(home, settings),
    model: () => app.runner.model(),
    tryChoice: options.tryChoice ?? (() => Promise.resolve(undefined)),
    providerModels: ({ provider, apiKey }) => Promise.resolve([`${provider} with ${apiKey}`]),
    reload,
  })
  const components = createComponentSource({
    records: store.tools,
    secrets: store.secrets,
    openSandbox: () => Promise.reject(new Error('no sandbox here')),
    log: silentLog,
  })
  const sources = joinSources([createBuiltInSource(options.tools ?? []), components], silentLog)
  const toolAdmin = createToolAdmin({
    settings: store.settings,
    sources,
    policy: () => readSafetySettings(stored).policy,
    reload,
  })
  const missions = createMissions({
    store,
    turns,
    toolNames: (user) => new Set(sources.tools(user).byName.keys()),
    onChange: () => {},
  })
  const notifications = createNotifications({
    store,
    bus: { signal: () => {}, publishChange: () => {} },
    ways: { ntfy: () => Promise.resolve(options.ntfy ?? (() => Promise.resolve({ type: 'sent' }))) },
    pushKeys: createPushKeys(store.notifications),
    refusalOf: (url) => refusalOf(url, []),
  })
  const web = webRoutes({
    turns,
    threads,
    gates,
    usage: store.usage,
    missionCosts: (user, days) => store.missions.costs(user, days),
    accounts: store.accounts,
    documents: app.documents,
    skills: app.skills,
    missions: () => Promise.resolve(missions),
    notifications: () => Promise.resolve(notifications),
    now,
    lastCall: gateway.lastCall,
    // In this process: a worker of a busy machine would take its time.
    readPdf: options.readPdf ?? ((bytes) => readPdf(bytes)),
    sessions,
    ...(oidc && { oidc }),
    authenticate: gateway.authenticate,
    limits: store.limits,
    signInsPerMinute: 20,
    clientAddress: gateway.clientAddress,
    origins,
    settings: settingsAdmin,
    models,
    routes: () => gateway.routes(),
    about,
    ...(options.patienceMs !== undefined && { patienceMs: options.patienceMs }),
  })
  gateway.mount({ routes: web })
  gateway.mount({ routes: toolRoutes({ toolAdmin }), parse: parseLossless })
  const mcp = (options.mcp ?? noServers)(store)
  const refuse = () => Promise.reject(new AppError('invalid_input', 'nobody signs in in tests'))
  const openMcp = (): Promise<McpServers> => Promise.resolve({ signIn: refuse, finishSignIn: refuse, ...mcp })
  gateway.mount({ routes: mcpRoutes({ mcp: openMcp }), parse: parseLossless })
  gateway.mount({ routes: mcpAuthRoutes({ mcp: openMcp, gates: app.gates, origins }) })
  gateway.mount(skillUpload({ skills: app.skills }))
  const { access } = accessOver({ store, now })
  gateway.mount({
    routes: toolAccessRoutes({
      gates,
      access: () => Promise.resolve(access),
      origins,
    }),
  })
  mountLive(gateway.sockets, { turns, threads, gates, chatLimit, writeLimit, log: silentLog })
  gateway.mount(
    responsesRoutes({
      turns,
      threads,
      externalTools: true,
      rules: specifiedRules,
      readers: { open: () => ({ left() {}, done() {} }), seen() {}, canStop: () => false, gone() {} },
      turnTimeoutMs: patienceMs,
      registered: () => new Set(),
      lastCall: gateway.lastCall,
      log: silentLog,
    }),
  )
  gateway.mount(
    completionsRoutes({
      turns,
      threads,
      gates,
      readers: { open: () => ({ left() {}, done() {} }), seen() {}, canStop: () => false, gone() {} },
      externalTools: true,
      turnTimeoutMs: patienceMs,
      foreignTools: 'refuse',
      registered: () => new Set(),
      choices: () => [],
      progress: true,
      limits: { chat: chatLimit, task: chatLimit },
      origins,
      lastCall: gateway.lastCall,
      log: silentLog,
    }),
  )
  registerProcessMetrics(metrics)
  measureService(metrics, { turns, runner: app.runner, about })
  gateway.mount({ routes: [metricsRoute(metrics), ...(options.mount ?? [])] })
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

/** A job once it has a status. */
export function jobOnce(
  house: Pick<House, 'call'>,
  id: string,
  status: string,
  token = operatorToken,
): Promise<Answer> {
  return eventually(async () => {
    const job = await house.call('GET', `/api/jobs/${id}`, { token })
    return job.json.status === status && job
  })
}
