// The routes of the gateway of the tests: those of the browser app, of MCP servers and of the API doors.
import { specifiedRules } from '#config/responses.ts'
import { readConfig } from '#config.ts'
import { createBuiltInSource } from '#app/built-in-source.ts'
import { measureService } from '#app/gauges.ts'
import { createSettingsAdmin, type SettingsParts } from '#app/settings-admin.ts'
import { createToolAdmin } from '#app/tool-admin.ts'
import { joinSources } from '#app/tool-sources.ts'
import { AppError } from '#core/errors.ts'
import type { OfferedModels } from '#core/admin.ts'
import type { McpAdmin, McpServers, McpSignIns } from '#core/mcp.ts'
import type { ReadPdf } from '#core/pdf.ts'
import type { Store } from '#core/store.ts'
import { completionsRoutes } from '#doors/completions/routes.ts'
import { responsesRoutes } from '#doors/responses/routes.ts'
import { webRoutes } from '#doors/web/door.ts'
import { mountLive } from '#doors/web/live-routes.ts'
import { mcpAuthRoutes } from '#doors/web/mcp-auth-routes.ts'
import { mcpRoutes } from '#doors/web/mcp-routes.ts'
import { skillUpload } from '#doors/web/skill-routes.ts'
import { toolAccessRoutes } from '#doors/web/tool-access-routes.ts'
import { toolRoutes, trialPaths } from '#doors/web/tool-routes.ts'
import type { ChatLimit, WriteLimit } from '#http/caller.ts'
import { metricsRoute, registerProcessMetrics } from '#http/metrics-route.ts'
import type { Oidc } from '#http/oidc.ts'
import type { Origins } from '#http/origin.ts'
import type { Route } from '#http/routes.ts'
import type { Gateway } from '#http/server.ts'
import type { Sessions } from '#http/session.ts'
import { silentLog } from '#lib/log.ts'
import type { Metrics } from '#lib/metrics.ts'
import { createMcpAdmin } from '#mcp/admin.ts'
import { createServers } from '#mcp/servers.ts'
import { createMissions } from '#missions/missions.ts'
import { createRefusal } from '#net/fetch.ts'
import { createNotifications } from '#reach/notifications.ts'
import { createPushKeys } from '#reach/push-keys.ts'
import type { SendBy } from '#reach/way.ts'
import { readSafetySettings } from '#safety/policy-settings.ts'
import { createComponentSource } from '#sandbox/component-source.ts'
import { readPdf } from '#tools/web/pdf.ts'
import type { About } from '#turns/service-status.ts'
import { accessOver } from '../../sandbox/auth/access-over.ts'
import { patienceMs } from '../../until.ts'
import type { TestApp, TestAppOptions } from '../test-app.ts'
import { allOn, createMasks } from '../../mcp/masks.ts'

export type RouteOptions = Pick<TestAppOptions, 'tools' | 'now'> & {
  readonly patienceMs?: number
  readonly readPdf?: ReadPdf
  /** The MCP servers, over the store of the house. */
  readonly mcp?: (store: Store) => McpAdmin & Partial<McpSignIns>
  /** Tests a model before it is stored; without it, every model passes. */
  readonly tryChoice?: SettingsParts['tryChoice']
  /** More variables of the environment, for the settings. */
  readonly environment?: Readonly<Record<string, string>>
  /** What becomes of messages to ntfy; without it, every one is sent. */
  readonly ntfy?: SendBy
  /** The models that can be chosen for a thread; without them, nothing is offered. */
  readonly models?: OfferedModels
  /** More routes. */
  readonly mount?: readonly Route[]
}

type RouteParts = {
  readonly app: TestApp
  readonly gateway: Gateway
  readonly sessions: Sessions
  readonly origins: Origins
  readonly oidc: Oidc | undefined
  readonly chatLimit: ChatLimit
  readonly writeLimit: WriteLimit
  readonly metrics: Metrics
}

const noModels: OfferedModels = { names: () => [], list: () => Promise.resolve([]) }
/** Nobody stops a turn by leaving. */
const readers = {
  open: () => ({ left() {}, done() {} }),
  seen() {},
  canStop: () => false,
  isLeft: () => false,
  gone() {},
}

export async function mountRoutes(parts: RouteParts, options: RouteOptions): Promise<void> {
  const { app, gateway, metrics } = parts
  const about = aboutOf(parts, options)
  await mountWeb(parts, options, about)
  mountMcp(parts, options)
  mountApis(parts)
  registerProcessMetrics(metrics)
  measureService(metrics, { turns: app.turns, runner: app.runner, about })
  gateway.mount({ routes: [metricsRoute(metrics), ...(options.mount ?? [])] })
}

function aboutOf({ app: { store }, gateway }: RouteParts, { models = noModels }: RouteOptions): About {
  return {
    version: '1.2.3',
    uptimeMs: () => 5_999,
    model: () => ({ provider: 'test', name: 'test-1' }),
    offeredModels: () => models.names(),
    databaseBackend: store.backend,
    storage: store.storage,
    sandboxEnabled: () => Promise.resolve(false),
    doors: () => [{ name: 'web', address: 'http://127.0.0.1' }],
    connections: () => gateway.connections(),
    draining: () => false,
  }
}

/** The settings and tools as the operator changes them. */
async function openAdmin({ store, runner }: TestApp, options: RouteOptions) {
  const home = { HOME: '/nowhere', ...options.environment }
  let stored = await store.settings.all()
  const reload = async (): Promise<void> => {
    stored = await store.settings.all()
  }
  const settings = createSettingsAdmin({
    store,
    config: () => readConfig(home, stored),
    configure: (changed) => readConfig(home, changed),
    model: () => runner.model(),
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
  const policy = () => readSafetySettings(stored).policy
  return { settings, sources, toolAdmin: createToolAdmin({ settings: store.settings, sources, policy, reload }) }
}

async function mountWeb(parts: RouteParts, options: RouteOptions, about: About): Promise<void> {
  const { app, gateway, sessions, origins, oidc, chatLimit, writeLimit } = parts
  const { store, turns, threads, gates } = app
  const { now = Date.now } = options
  const { settings, sources, toolAdmin } = await openAdmin(app, options)
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
    refusalOf: createRefusal({ privateHosts: [] }),
  })
  const web = webRoutes({
    log: silentLog,
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
    settings,
    models: options.models ?? noModels,
    routes: () => gateway.routes(),
    about,
    ...(options.patienceMs !== undefined && { patienceMs: options.patienceMs }),
  })
  gateway.mount({ routes: web })
  const { access } = accessOver({ store, now })
  gateway.mount({ routes: toolRoutes({ toolAdmin, access: () => Promise.resolve(access) }), findExact: trialPaths })
  gateway.mount(skillUpload({ skills: app.skills }))
  gateway.mount({ routes: toolAccessRoutes({ gates, access: () => Promise.resolve(access), origins }) })
  mountLive(gateway.sockets, { turns, threads, gates, chatLimit, writeLimit, log: silentLog })
}

function mountMcp({ app, gateway, origins }: RouteParts, options: RouteOptions): void {
  const mcp = (options.mcp ?? noServers)(app.store)
  const refuse = () => Promise.reject(new AppError('invalid_input', 'nobody signs in in tests'))
  const openMcp = (): Promise<McpServers> => Promise.resolve({ signIn: refuse, finishSignIn: refuse, ...mcp })
  gateway.mount({ routes: mcpRoutes({ mcp: openMcp }), findExact: trialPaths })
  gateway.mount({ routes: mcpAuthRoutes({ mcp: openMcp, gates: app.gates, origins }) })
}

/** MCP servers that cannot be reached. */
function noServers({ mcp: store, secrets }: Store): McpAdmin {
  const openTransport = () => Promise.reject(new AppError('tool_refused', 'no server is reached in tests'))
  const servers = createServers({ store, openTransport, callMs: 1, idleMs: 1, version: '1', log: silentLog })
  return createMcpAdmin({ servers, store, ...createMasks(), secrets, switches: allOn })
}

function mountApis({ app: { turns, threads, gates }, gateway, origins, chatLimit }: RouteParts): void {
  const shared = {
    turns,
    threads,
    readers,
    externalTools: true,
    turnTimeoutMs: patienceMs,
    registered: () => new Set<string>(),
    lastCall: gateway.lastCall,
    log: silentLog,
  }
  gateway.mount(responsesRoutes({ ...shared, rules: specifiedRules }))
  gateway.mount(
    completionsRoutes({
      ...shared,
      gates,
      foreignTools: 'refuse',
      choices: () => [],
      progress: true,
      limits: { chat: chatLimit, task: chatLimit },
      origins,
    }),
  )
}
