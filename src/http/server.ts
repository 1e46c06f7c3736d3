// The web gateway's HTTP server: authentication, limits, timeouts and shutdown for the routes of every door.
import { setMaxListeners } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#core/errors.ts'
import type { Log } from '#lib/log.ts'
import { type CountRequest, logRequests, requestIdOf } from './request-log.ts'
import { type ClientAddress, createClientAddress, networkOf, type Trust } from './address.ts'
import { announcedBytes } from './body-quota.ts'
import { type Authenticate, type AuthParts, createAuth, credentialOf, refuse } from './auth.ts'
import { awaitsBody, defaultMaxBodyBytes, discardBody } from './body.ts'
import { createBodyReader } from './body-reader.ts'
import type { Caller, ChatLimit, WriteLimit } from './caller.ts'
import { type HealthParts, healthRoutes } from './health.ts'
import { hostFault } from './host.ts'
import { inSlices } from './long-answer.ts'
import { boundConnections, listenOn } from './listen.ts'
import { missingRoute } from './missing-route.ts'
import { defaultTimeouts, isApi, openFastify, setApiHeaders, type Timeouts } from './open-fastify.ts'
import type { Origins } from './origin.ts'
import { boundPipelining } from './pipelining.ts'
import { faultHandler, pathOf } from './reply.ts'
import { createSockets, type Sockets, type SocketBounds } from './socket.ts'
import { createRouteTable, type Found, type Mounted, type RouteTable } from './route-table.ts'
import { isSafe, methods } from './routes.ts'
import { createUnreadAnswers } from './unread-answers.ts'
import { createUnreadStreams, type UnreadStream } from './unread-streams.ts'
import { createInFlight, dropUnreadAnswer } from './in-flight.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The route of the request: set before anything else looks at it. */
    mounted: Mounted
  }
}

/** After the grace period of `close`, pending answers get this long before connections are cut. */
const lastCallMs = 250
/** How often connections that have become idle are closed during shutdown. */
const sweepMs = 50
/** Of a refused origin and host, which anybody may send at any length, the log has this much. */
const maxLoggedChars = 200

export type GatewayParts = {
  readonly auth: Omit<AuthParts, 'log'>
  readonly health: HealthParts
  readonly chatLimit: ChatLimit
  /** The chat rate, for the limits of WebSocket frames. 0 means no limit. */
  readonly chatsPerMinute: number
  readonly writeLimit: WriteLimit
  /** The fault that a turn would be refused with now, if any. */
  readonly refusal?: () => AppError | undefined
  readonly origins: Origins
  readonly socketBounds?: Partial<SocketBounds>
  readonly trustProxy?: Trust
  readonly timeouts?: Partial<Timeouts>
  /** Concurrent message sends per user. */
  readonly maxSends?: number
  readonly log: Log
  readonly countRequest?: CountRequest
}

export type Gateway = {
  readonly fastify: FastifyInstance
  /** Adds a door's routes. */
  readonly mount: RouteTable['add']
  /** Adds a door's routes with the first request to them. */
  readonly mountLater: RouteTable['addLater']
  readonly sockets: Pick<Sockets, 'mount'>
  readonly authenticate: Authenticate
  readonly clientAddress: ClientAddress
  /** Every route, with its full path. */
  readonly routes: RouteTable['routes']
  /** Throws port_in_use or invalid_config, naming the variable to set. */
  listen(host: string, port: number): Promise<{ readonly port: number; readonly url: string }>
  /** Aborts when the grace period of `close` is over: handlers that still wait should answer with what they have. */
  readonly lastCall: AbortSignal
  /** The number of open TCP connections. */
  connections(): Promise<number>
  /** Refuses new requests, lets open requests and streams finish for `graceMs`, then cuts them. */
  close(graceMs: number): Promise<void>
}

export async function createGateway(parts: GatewayParts): Promise<Gateway> {
  const { log } = parts
  const authenticate = createAuth({ ...parts.auth, log })
  const { origins, chatsPerMinute, socketBounds: bounds } = parts
  const clientAddress = createClientAddress(parts.trustProxy ?? false)
  const sockets = createSockets({ authenticate, origins, log, chatsPerMinute, ...(bounds && { bounds }) })
  const timeouts = { ...defaultTimeouts, ...parts.timeouts }
  const fastify = openFastify({ ...parts, timeouts, upgrades: (request) => sockets.accepts(request) })
  boundConnections(fastify.server, log)
  const table = createRouteTable()
  const inFlight = createInFlight(timeouts.quotaWaitMs, parts.maxSends)
  const bodies = createBodyReader((request) => networkOf(clientAddress(request)), timeouts.quotaWaitMs)
  const unread = createUnreadAnswers()
  const unreadStreams = createUnreadStreams()
  const lastCall = new AbortController()
  setMaxListeners(0, lastCall.signal)
  let closing = false

  /** Runs before the body is read, so that a refusal costs little. */
  async function admit(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    setApiHeaders(request.url, reply)
    const badHost = hostFault(request.raw)
    if (badHost) throw badHost
    const { headers } = request.raw
    const { method, url } = request
    const path = pathOf(url)
    const { found = pageOfUnknown(request, reply), fault } = await findRoute(method, path)
    if (found) Object.assign(request, { mounted: found, params: found.params })
    // Unknown API paths need a credential too, so that unauthenticated callers cannot probe for routes.
    const { who, counted, startsTurn, searches } = found?.route ?? { who: isApi(url) ? 'user' : 'anyone' }
    if (who !== 'anyone') {
      const caller = await authenticate(credentialOf(request.raw), { request: requestIdOf(reply.raw) })
      if ('status' in caller) return refuse(reply, caller)
      if (caller.session && !passesOriginCheck(request)) return refuse(reply, { status: 403 })
      if (who === 'operator' && !caller.operator) return refuse(reply, { status: 403 })
      request.caller = caller
      if (closing) throw new AppError('shutting_down', 'the service is going down: try again', { retryAfterSecs: 5 })
      inFlight.begin(caller, counted !== undefined, reply.raw)
      if (counted === true) await parts.chatLimit.take(caller)
      else if (!counted && !isSafe(method))
        parts.writeLimit.take(caller, announcedBytes(request.raw, found?.maxBodyBytes ?? defaultMaxBodyBytes))
      else if (searches && (request.query as { q?: unknown }).q !== undefined) parts.writeLimit.take(caller)
      const full = startsTurn && headers['idempotency-key'] === undefined && parts.refusal?.()
      if (full) throw full
      if (isSafe(method) && found) request.releaseAnswerSlot = await inFlight.takeAnswerSlot(caller, reply.raw)
    } else if (found && !passesOriginCheck(request)) return refuse(reply, { status: 403 })
    if (!found) throw fault ?? missingRoute(request, reply, (each) => table.methodsOf(each))
    return undefined
  }

  /** A browser that opens an unknown address gets the app, which says that there is no such page. */
  function pageOfUnknown({ method, url, headers }: FastifyRequest, reply: FastifyReply): Found | undefined {
    if (method !== 'GET' || isApi(url) || !headers.accept?.includes('text/html')) return undefined
    reply.code(404)
    return table.find('GET', '/')
  }

  /** A JWT is checked only when its request begins: it is short-lived. Its person may be removed meanwhile. */
  async function isStillAllowed(this: FastifyRequest): Promise<boolean> {
    const { user, until } = this.caller
    if (until !== undefined) return (await parts.auth.oidc?.isKnown(user).catch(() => true)) ?? true
    const caller = await authenticate(credentialOf(this.raw), { idle: true })
    return !('status' in caller) || caller.status === 503
  }

  function countLongAnswer(this: FastifyRequest, answer: ServerResponse): () => void {
    // Only routes that need no credential have no caller.
    const user = (this.caller as Caller | undefined)?.user
    return user === undefined ? () => {} : unread.add(user, answer)
  }

  function noteUnread(this: FastifyRequest, stream: UnreadStream, bytes: number): void {
    unreadStreams.note(this.caller.user, stream, bytes)
  }

  /** Loads the routes of the path if need be. A fault of that is told only to callers that are authenticated. */
  async function findRoute(method: string, path: string): Promise<{ found?: Found | undefined; fault?: Error }> {
    const found = table.find(method, path)
    if (found) return { found }
    try {
      return (await table.load(path)) ? { found: table.find(method, path) } : {}
    } catch (error) {
      return { fault: error instanceof Error ? error : new Error(String(error)) }
    }
  }

  /** Against cross-site request forgery: the browser sends its cookie with writes that other sites' pages cause. */
  function passesOriginCheck({ raw }: FastifyRequest): boolean {
    if (isSafe(raw.method) || parts.origins.isAllowed(raw)) return true
    const { host, origin, 'x-request-id': request } = raw.headers
    log.warn(
      { request, host: host?.slice(0, maxLoggedChars), origin: origin?.slice(0, maxLoggedChars) },
      'refused a write from a page of another origin; GATEWAY_ALLOWED_ORIGINS lists the allowed ones',
    )
    return false
  }

  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', bodies.read)
  fastify.decorateRequest('caller')
  fastify.decorateRequest('isStillAllowed', isStillAllowed)
  fastify.decorateRequest('countLongAnswer', countLongAnswer)
  fastify.decorateRequest('noteUnread', noteUnread)
  fastify.decorateRequest('mounted')
  fastify.decorateRequest('releaseAnswerSlot')
  fastify.addHook('onRequest', admit)
  // After onRequest, so that an oversized message counts towards the chat rate too.
  fastify.addHook('preParsing', bodies.begin)
  fastify.addHook('onSend', ({ raw }, reply, _payload, done) => {
    const send = (): void => {
      discardBody(raw, reply.raw)
      dropUnreadAnswer(reply.raw, timeouts.unreadMs)
      done()
    }
    // A connection whose body has come already need not end.
    if (awaitsBody(raw)) setImmediate(send)
    else send()
  })
  fastify.setErrorHandler((error, request, reply) =>
    faultHandler(log, table.faultBodyOf(pathOf(request.url)))(error, request, reply),
  )
  // One route for all: the table finds the row, and `admit` refuses a request that has none. Registering each row with
  // Fastify would take a fifth of the start.
  fastify.route({ method: [...methods], url: '*', handler: runRoute })
  fastify.setNotFoundHandler(runRoute)
  fastify.server.on('checkContinue', (request, response) => fastify.routing(request, response))
  // An unknown expectation is ignored: Node's own 417 has no body and no id.
  fastify.server.on('checkExpectation', (request, response) => fastify.routing(request, response))
  fastify.server.on('upgrade', (request, socket, head) => {
    // The server speaks plain HTTP, so the stream is always a Socket.
    sockets.upgrade(request, socket as Socket, head).catch((error: unknown) => {
      log.error({ request: request.headers['x-request-id'], err: error }, 'could not open a WebSocket')
      socket.destroy()
    })
  })
  logRequests(fastify.server, 'gateway', log, parts.countRequest)
  boundPipelining(fastify.server, log)
  table.add({ routes: healthRoutes({ ...parts.health, draining: () => closing || parts.health.draining() }) })

  return {
    fastify,
    mount: table.add,
    mountLater: table.addLater,
    sockets,
    authenticate,
    clientAddress,
    routes: table.routes,
    listen: (host, port) => listenOn(fastify, host, port),
    lastCall: lastCall.signal,
    connections: () =>
      new Promise((resolve, reject) => {
        fastify.server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
      }),
    async close(graceMs) {
      closing = true
      sockets.close(lastCall.signal)
      const sweep = setInterval(() => fastify.server.closeIdleConnections(), sweepMs)
      const last = setTimeout(() => lastCall.abort(), graceMs)
      const cut = setTimeout(() => fastify.server.closeAllConnections(), graceMs + lastCallMs)
      try {
        await fastify.close()
      } finally {
        clearInterval(sweep)
        clearTimeout(last)
        clearTimeout(cut)
      }
    },
  }
}

/** Drops the parsed body once the handler has read it: a turn may take minutes. */
function runRoute(request: FastifyRequest, reply: FastifyReply): unknown {
  const { route } = request.mounted
  const answer = route.handle(request, reply)
  request.body = undefined
  return answer instanceof Promise ? answer.then((value) => inSlices(value, reply)) : answer
}
