// The web gateway's HTTP server: what holds for every route, whichever door it belongs to.
import { setMaxListeners } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  fastify,
} from 'fastify'
import { AppError } from '#core/errors.ts'
import type { Log } from '#lib/log.ts'
import { type CountRequest, logRequests, requestIdOf } from './request-log.ts'
import { type ClientAddress, createClientAddress, networkOf, type Trust, trustOf } from './address.ts'
import { createArrivals } from './body-quota.ts'
import { type Authenticate, type AuthParts, createAuth, credentialOf, refuse } from './auth.ts'
import { bodyLimit, checkAnnouncedSize, checkEncoding, takeJsonOnly } from './body.ts'
import { answerClientError } from './client-errors.ts'
import type { Caller, ChatLimit } from './caller.ts'
import { type HealthParts, healthRoutes } from './health.ts'
import { boundConnections, listenOn } from './listen.ts'
import type { Origins } from './origin.ts'
import { faultHandler, pathOf } from './reply.ts'
import { createSockets, type Sockets, type SocketTimes } from './socket.ts'
import { methodsOf, type Route, type RouteFamily, type Who } from './routes.ts'
import { createFlights, dropUnread, placeMs, unreadMs } from './in-flight.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** As in the row of the route; whoever has a token, where there is none. */
    who?: Who
    counted?: true
  }
}

const maxHeaderBytes = 16 * 1024
/** The largest body that is read from whoever has shown nothing. */
const strangersLimit = 16 * 1024
/** At the end of the grace, answers that were waited for get this long to go out before the cut. */
const lastCallMs = 250
/** Connections that fall idle while the server closes must not hold it. */
const sweepMs = 50

export type Timeouts = {
  readonly headersMs: number
  /** Within this the whole request must have come, so that half-sent bodies end. Answers have no deadline: streams. */
  readonly requestMs: number
  readonly keepAliveMs: number
  /** How long an answer may lie unread. */
  readonly unreadMs: number
  /** How long a request waits while answers before it lie unread, or bodies before it are half sent. */
  readonly placeMs: number
  /** How often the first three are looked at. */
  readonly checkMs: number
}

const defaultTimeouts: Timeouts = {
  headersMs: 30_000,
  requestMs: 120_000,
  keepAliveMs: 72_000,
  unreadMs,
  placeMs,
  checkMs: 5_000,
}

/** Bodies are checked by the doors, so no route has a schema; fastify's own checker would be loaded all the same. */
const noSchemas: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema },
}

export type GatewayParts = {
  readonly auth: Omit<AuthParts, 'log'>
  readonly health: HealthParts
  readonly chatLimit: ChatLimit
  readonly origins: Origins
  readonly socketTimes?: Partial<SocketTimes>
  readonly trustProxy?: Trust
  readonly timeouts?: Partial<Timeouts>
  /** Messages of one user under way at once. */
  readonly maxSends?: number
  readonly log: Log
  readonly countRequest?: CountRequest
}

export type Gateway = {
  readonly app: FastifyInstance
  /** Adds a door's routes, before `listen`. */
  mount(family: RouteFamily): void
  /** Where a door takes WebSockets. */
  readonly sockets: Pick<Sockets, 'mount'>
  /** Who somebody is, by what they show. */
  readonly authenticate: Authenticate
  /** The address that a request came from. */
  readonly clientAddress: ClientAddress
  /** Every route that stands, under its whole path. */
  routes(): readonly Route[]
  /** Throws port_in_use or invalid_config, naming the variable to set. */
  listen(host: string, port: number): Promise<{ readonly port: number; readonly url: string }>
  /** Fires when the grace of `close` is over: whoever waits on somebody's behalf should answer with what there is. */
  readonly lastCall: AbortSignal
  /** TCP connections open now. */
  connections(): Promise<number>
  /** Takes no more, lets open requests and streams finish for a while, then cuts them. */
  close(graceMs: number): Promise<void>
}

export async function createGateway(parts: GatewayParts): Promise<Gateway> {
  const { log } = parts
  const authenticate = createAuth({ ...parts.auth, log })
  const { origins, socketTimes: times } = parts
  const clientAddress = createClientAddress(parts.trustProxy ?? false)
  const addressOf = (request: IncomingMessage): string => networkOf(clientAddress(request))
  const sockets = createSockets({ authenticate, origins, log, ...(times && { times }) })
  const app = openApp(parts, sockets)
  boundConnections(app.server, log)
  const routes: Route[] = []
  const waitMs = parts.timeouts?.placeMs ?? placeMs
  const flights = createFlights(waitMs, parts.maxSends)
  const arrivals = createArrivals(waitMs)
  const lastCall = new AbortController()
  setMaxListeners(0, lastCall.signal)
  let closing = false

  /** Before a body is read: what is refused here costs little. */
  async function enter(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    protect(request.url, reply)
    const { headers, httpVersion } = request.raw
    if (headers.host === undefined && httpVersion !== '1.0') {
      throw new AppError('invalid_input', 'the request has no Host header', { param: 'Host' })
    }
    const { who, counted } = request.routeOptions.config
    if (request.is404 ? isApi(request.url) : who !== 'anyone') {
      const caller = await authenticate(credentialOf(request.raw), { request: requestIdOf(reply.raw) })
      if ('status' in caller) return refuse(request, reply, caller)
      if (caller.session && !isMeant(request)) return refuse(request, reply, { status: 403 })
      if (who === 'operator' && !caller.operator) return refuse(request, reply, { status: 403 })
      request.caller = caller
      if (closing) throw new AppError('shutting_down', 'the service is going down: try again', { retryAfterSecs: 5 })
      flights.begin(caller, counted === true, reply.raw)
      if (counted) await parts.chatLimit.take(caller)
      if (isSafe(request.method) && !request.is404) request.letOthers = await flights.place(caller, reply.raw)
    } else if (!isMeant(request)) return refuse(request, reply, { status: 403 })
    if (request.is404) throw missing(request, reply, methodsOf(routes, pathOf(request.url)))
    return undefined
  }

  /** Refuses a body that says that it is too large, or packed; only now is a client that asked first told to send its own. */
  async function beginBody({ raw, routeOptions, caller }: FastifyRequest, reply: FastifyReply): Promise<undefined> {
    const { bodyLimit: limit } = routeOptions
    checkAnnouncedSize(raw.headers, limit)
    checkEncoding(raw.headers)
    const address = (): string => addressOf(raw)
    // Only what needs no token has no caller.
    const user = (caller as Caller | undefined)?.user
    await arrivals.begin({ request: raw, answer: reply.raw, limit, user, address })
    if (raw.headers.expect !== undefined) reply.raw.writeContinue()
  }

  /** A page elsewhere may send a browser here, and the browser's cookie comes with it: what it asks for is not done. */
  function isMeant({ raw }: FastifyRequest): boolean {
    if (isSafe(raw.method) || parts.origins.isOurs(raw)) return true
    const { host, origin, 'x-request-id': request } = raw.headers
    log.warn(
      { request, host, origin },
      'a page elsewhere was refused; GATEWAY_ALLOWED_ORIGINS names those that may write',
    )
    return false
  }

  function mount({ routes: rows, prefixes = [''], faultBody, parse }: RouteFamily): void {
    for (const prefix of prefixes) {
      routes.push(...rows.map((row) => ({ ...row, path: prefix + row.path })))
      void app.register(
        (scope, _options, done) => {
          if (faultBody) {
            scope.setErrorHandler(faultHandler(log, faultBody))
            scope.setNotFoundHandler(notFound)
          }
          if (parse) takeJsonOnly(scope, parse)
          for (const { method, path: url, who, counted, handle: handler } of rows) {
            const config = { who, ...(counted && { counted }) }
            scope.route({ method, url, handler, config, ...(who === 'anyone' && { bodyLimit: strangersLimit }) })
          }
          done()
        },
        { prefix },
      )
    }
  }

  takeJsonOnly(app)
  app.decorateRequest('caller')
  app.decorateRequest('letOthers')
  app.addHook('onRequest', enter)
  // After the routes' own hooks: what is counted counts whatever its size.
  app.addHook('preParsing', beginBody)
  const patienceMs = parts.timeouts?.unreadMs ?? unreadMs
  app.addHook('onSend', (_request, reply, _payload, done) => {
    dropUnread(reply.raw, patienceMs)
    done()
  })
  app.setNotFoundHandler(notFound)
  app.setErrorHandler(faultHandler(log))
  app.server.on('checkContinue', (request, response) => app.routing(request, response))
  app.server.on('upgrade', (request, socket, head) => {
    // A server of plain HTTP has no other kind of stream.
    sockets.upgrade(request, socket as Socket, head).catch((error: unknown) => {
      log.error({ request: request.headers['x-request-id'], err: error }, 'a WebSocket could not be opened')
      socket.destroy()
    })
  })
  logRequests(app.server, 'gateway', log, parts.countRequest)
  mount({ routes: healthRoutes({ ...parts.health, draining: () => closing || parts.health.draining() }) })

  return {
    app,
    mount,
    sockets,
    authenticate,
    clientAddress,
    routes: () => routes,
    listen: (host, port) => listenOn(app, host, port),
    lastCall: lastCall.signal,
    connections: () =>
      new Promise((resolve, reject) => {
        app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
      }),
    async close(graceMs) {
      closing = true
      sockets.close(lastCall.signal)
      const sweep = setInterval(() => app.server.closeIdleConnections(), sweepMs)
      const last = setTimeout(() => lastCall.abort(), graceMs)
      const cut = setTimeout(() => app.server.closeAllConnections(), graceMs + lastCallMs)
      try {
        await app.close()
      } finally {
        clearInterval(sweep)
        clearTimeout(last)
        clearTimeout(cut)
      }
    },
  }
}

function openApp({ trustProxy = false, timeouts, log }: GatewayParts, sockets: Sockets): FastifyInstance {
  const { headersMs, requestMs, keepAliveMs, checkMs } = { ...defaultTimeouts, ...timeouts }
  const http = {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: Math.min(headersMs, requestMs),
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkMs,
    // Ours says it in the gateway's own words.
    requireHostHeader: false,
    // Whatever else a client would like to upgrade to, it is answered as it is.
    shouldUpgradeCallback: (request: IncomingMessage) => sockets.wants(request),
  }
  return fastify({
    bodyLimit,
    logger: false,
    schemaController: noSchemas,
    http,
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    forceCloseConnections: 'idle',
    // Ours says it in the gateway's own words.
    return503OnClosing: false,
    // The header limit bounds a path already; a long id is simply not found.
    routerOptions: { maxParamLength: maxHeaderBytes },
    rewriteUrl: ({ url = '/' }) => readableUrl(url),
    trustProxy: trustOf(trustProxy),
    clientErrorHandler: answerClientError,
    frameworkErrors(error, request, reply) {
      protect(request.url, reply)
      void faultHandler(log)(error, request, reply)
    },
  })
}

/** What changes nothing. */
function isSafe(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
}

function refuseSchema(): never {
  throw new Error('a route has a schema: check its input in the door')
}

/** Set on the raw answer, so that streams that bypass Fastify carry them too. */
function protect(url: string, { raw }: FastifyReply): void {
  if (!isApi(url)) return
  raw.setHeader('cache-control', 'no-store')
  raw.setHeader('x-content-type-options', 'nosniff')
}

/** Unknown routes of the API ask for a token first: strangers learn nothing of what is there. */
function isApi(url: string): boolean {
  return /^\/(api|v1)(?=[/?#]|$)/.test(url)
}

/** A path that cannot be decoded is taken by the letter: it then asks for a token, and is not found, like any other. */
function readableUrl(url: string): string {
  const path = pathOf(url)
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length)
  }
}

/** Whoever comes here was told already, by the hook before. */
function notFound(request: FastifyRequest): never {
  throw missing(request, undefined, [])
}

function missing({ method, url }: FastifyRequest, reply: FastifyReply | undefined, allowed: string[]): AppError {
  const path = pathOf(url)
  if (allowed.length === 0) return new AppError('not_found', `there is no ${path} here`)
  reply?.header('allow', allowed.join(', '))
  return new AppError('method_not_allowed', `${path} takes ${allowed.join(', ')}, not ${method}`)
}
