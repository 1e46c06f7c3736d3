// The gateway with all its doors. Imported only when it is opened, because it is most of the code that a start loads.
import { hostname } from 'node:os'
import { completionsRoutes } from '#doors/completions/routes.ts'
import { responsesRoutes } from '#doors/responses/routes.ts'
import { webRoutes } from '#doors/web/door.ts'
import { mountLive } from '#doors/web/chat-socket.ts'
import { pageRoutes } from '#doors/web/pages.ts'
import { mcpAuthRoutes } from '#doors/web/mcp-auth-routes.ts'
import { mcpRoutes } from '#doors/web/mcp-routes.ts'
import { skillUpload } from '#doors/web/skill-routes.ts'
import { toolAccessRoutes } from '#doors/web/tool-access-routes.ts'
import { toolRoutes } from '#doors/web/tool-routes.ts'
import type { App } from '#app.ts'
import { measureService } from '#app/gauges.ts'
import { openOidc } from '#app/open-oidc.ts'
import { provisionedToken } from '#home.ts'
import type { CountRequest } from '#http/request-log.ts'
import { parseLossless } from '#http/lossless-json.ts'
import { createChatLimit } from '#http/chat-rate.ts'
import { createWriteLimit } from '#http/write-rate.ts'
import { metricsRoute, registerProcessMetrics } from '#http/metrics-route.ts'
import { createOrigins } from '#http/origin.ts'
import { createGateway } from '#http/server.ts'
import { createSessions } from '#http/session.ts'
import type { Log } from '#lib/log.ts'
import { hashToken } from '#lib/token.ts'
import type { About } from '#turns/service-status.ts'

/** Concurrent sends of one user beyond the maximum of running turns, so that the turn limit answers first. */
const spareSends = 1_000

export type OpenDoor = {
  readonly name: string
  readonly address: string
  connections?(): Promise<number>
  /** A link that signs the operator in; it works once. */
  loginLink?(): Promise<string>
  close(graceMs: number): Promise<void>
}

export type GatewayParts = {
  readonly about: About
  /** The operator's token for this start. */
  readonly token: string
  readonly count: CountRequest
  readonly log: Log
}

export async function openGateway(app: App, { about, token, count, log }: GatewayParts): Promise<OpenDoor> {
  const { config, store, turns, threads, gates, documents, skills } = app
  const operatorTokens = [token, config.operatorToken ?? provisionedToken(app.home)]
  const sessions = createSessions({ store: store.sessions, operatorHashes: operatorTokens.map(hashToken), log })
  const origins = createOrigins({
    allowed: config.gateway.allowedOrigins,
    names: [config.gateway.host, hostname(), `${hostname()}.local`],
    trustProxy: config.trustProxy,
  })
  const chatLimit = createChatLimit({ limits: store.limits, perMinute: config.chatRatePerMinute })
  const writeLimit = createWriteLimit({ perMinute: config.writeRatePerMinute })
  const oidc = await openOidc(app, log)
  const gateway = await createGateway({
    auth: { operatorTokens, accounts: store.accounts, sessions, storeAway: app.storeAway, ...(oidc && { oidc }) },
    origins,
    health: { ping: () => store.ping(), draining: about.draining },
    chatLimit,
    chatsPerMinute: config.chatRatePerMinute,
    writeLimit,
    trustProxy: config.trustProxy,
    maxSends: config.maxRunning + spareSends,
    log,
    countRequest: count,
  })
  const { lastCall } = gateway
  const web = webRoutes({
    turns,
    threads,
    gates,
    usage: store.usage,
    missionCosts: (user, days) => store.missions.costs(user, days),
    accounts: store.accounts,
    documents,
    skills,
    missions: app.missions,
    notifications: app.notifications,
    lastCall,
    sessions,
    ...(oidc && config.oidc?.clientId !== undefined && { oidc }),
    authenticate: gateway.authenticate,
    limits: store.limits,
    signInsPerMinute: config.signInsPerMinute,
    clientAddress: gateway.clientAddress,
    origins,
    settings: app.settings,
    models: app.models,
    routes: () => gateway.routes(),
    about,
  })
  gateway.mount({ routes: web })
  gateway.mount({ routes: toolRoutes({ toolAdmin: app.toolAdmin }), parse: parseLossless })
  gateway.mount({ routes: mcpRoutes({ mcp: app.mcp }), parse: parseLossless })
  gateway.mount({ routes: mcpAuthRoutes({ mcp: app.mcp, gates, origins }) })
  gateway.mount(skillUpload({ skills }))
  mountLive(gateway.sockets, { turns, threads, gates, chatLimit, writeLimit, log })
  const issuer = config.oidc?.clientId === undefined ? {} : { issuer: config.oidc.issuer }
  gateway.mount({ routes: pageRoutes(issuer) })
  gateway.mount({
    routes: toolAccessRoutes({ gates, access: () => app.access(), origins }),
  })
  gateway.mount(
    responsesRoutes({
      turns,
      threads,
      externalTools: config.responses.externalTools,
      rules: config.responses.rules,
      readers: app.readers,
      turnTimeoutMs: config.responses.turnTimeoutSecs * 1000,
      registered: () => app.tools().byName,
      lastCall,
      log,
    }),
  )
  const taskLimit = createChatLimit({ limits: store.limits, perMinute: config.chatRatePerMinute, name: 'task' })
  gateway.mount(
    completionsRoutes({
      turns,
      threads,
      gates,
      readers: app.readers,
      externalTools: config.responses.externalTools,
      turnTimeoutMs: config.responses.turnTimeoutSecs * 1000,
      foreignTools: config.responses.rules.foreignTools,
      registered: () => app.tools().byName,
      choices: () => app.models.names(),
      progress: config.completionsProgress,
      limits: { chat: chatLimit, task: taskLimit },
      origins,
      lastCall,
      log,
    }),
  )
  registerProcessMetrics(app.metrics)
  measureService(app.metrics, { turns, runner: app.runner, about })
  gateway.mount({ routes: [metricsRoute(app.metrics)] })
  const { url } = await gateway.listen(config.gateway.host, config.gateway.port)
  return {
    name: 'gateway',
    address: url,
    connections: () => gateway.connections(),
    loginLink: async () => `${openable(url)}/login#code=${await sessions.makeCode()}`,
    close: (graceMs) => gateway.close(graceMs),
  }
}

/** An address that a browser on this machine can open, instead of the address of all interfaces. */
function openable(url: string): string {
  return url.replace('://0.0.0.0:', '://127.0.0.1:').replace('://[::]:', '://[::1]:')
}
