// The gateway: the HTTP server, and where its doors are. Imported only when it is opened.
import { hostname } from 'node:os'
import { errorEnvelope } from '#doors/openai/error-envelope.ts'
import { mountLive } from '#doors/web/live-routes.ts'
import { pageRoutes } from '#doors/web/pages.ts'
import type { App } from '#app.ts'
import { measureService } from '#app/gauges.ts'
import { openOidc } from '#app/open-oidc.ts'
import { provisionedToken } from '#home.ts'
import type { CountRequest } from '#http/request-log.ts'
import { createChatLimit } from '#http/chat-rate.ts'
import { createWriteLimit } from '#http/write-rate.ts'
import { metricsRoute, registerProcessMetrics } from '#http/metrics-route.ts'
import { createOrigins } from '#http/origin.ts'
import { createGateway } from '#http/server.ts'
import { createSessions } from '#http/session.ts'
import type { Log } from '#lib/log.ts'
import type { DoorParts } from '#service/door-parts.ts'
import { hashToken } from '#lib/token.ts'
import type { About } from '#turns/service-status.ts'

/** Concurrent sends of one user beyond the maximum of running turns, so that the turn limit answers first. */
const spareSends = 1_000

export type OpenDoor = {
  readonly name: string
  readonly address: string
  connections?(): Promise<number>
  /** A link that signs the operator in once: `known` while it works, else a new one. */
  loginLink?(known?: string): Promise<string>
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
  const { config, store, turns, threads, gates } = app
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
    health: {
      async ping() {
        await store.ping()
        await store.checkWrites()
      },
      draining: about.draining,
    },
    chatLimit,
    chatsPerMinute: config.chatRatePerMinute,
    writeLimit,
    refusal: () => turns.refusal(),
    trustProxy: config.trustProxy,
    maxSends: config.maxRunning + spareSends,
    log,
    countRequest: count,
  })
  const parts: DoorParts = {
    app,
    config,
    gateway,
    about,
    sessions,
    origins,
    chatLimit,
    writeLimit,
    log,
    ...(oidc && { oidc }),
  }
  // The doors are loaded with the first request to them: they are most of the gateway's code.
  gateway.mountLater(['/api', '/ws'], async () => {
    const { webFamilies } = await import('#service/web-families.ts')
    return () => webFamilies(parts)
  })
  const loadApi = async () => {
    const { apiFamilies } = await import('#service/api-families.ts')
    return () => apiFamilies(parts)
  }
  gateway.mountLater(['/api/v1', '/v1'], loadApi, errorEnvelope)
  mountLive(gateway.sockets, { turns, threads, gates, chatLimit, writeLimit, log })
  const issuer = config.oidc?.clientId === undefined ? {} : { issuer: config.oidc.issuer }
  gateway.mount({ routes: pageRoutes(issuer) })
  registerProcessMetrics(app.metrics)
  measureService(app.metrics, { turns, runner: app.runner, about })
  gateway.mount({ routes: [metricsRoute(app.metrics)] })
  const { url } = await gateway.listen(config.gateway.host, config.gateway.port)
  return {
    name: 'gateway',
    address: url,
    connections: () => gateway.connections(),
    async loginLink(known) {
      const [page = openable(url)] = config.gateway.allowedOrigins
      const start = `${page}/login#code=`
      if (known?.startsWith(start) && (await sessions.isOpenCode(known.slice(start.length)))) return known
      return `${start}${await sessions.makeCode()}`
    },
    close: (graceMs) => gateway.close(graceMs),
  }
}

/** An address that a browser on this machine can open, instead of the address of all interfaces. */
function openable(url: string): string {
  return url.replace('://0.0.0.0:', '://127.0.0.1:').replace('://[::]:', '://[::1]:')
}
