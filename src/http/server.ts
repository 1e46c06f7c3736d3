// The web gateway's HTTP server: what holds for every route, whichever door it belongs to.
import { setMaxListeners } from 'node:events'
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  fastify,
} from 'fastify'
import { AppError } from '#core/errors.ts'
import type { Log } from '#lib/log.ts'
import { type AuthParts, createAuth, refuse } from './auth.ts'
import { bodyLimit, checkAnnouncedSize, leaveUnread, takeJsonOnly } from './body.ts'
import { answerClientError } from './broken.ts'
import { type HealthParts, registerHealth } from './health.ts'
import { listenOn } from './listen.ts'
import { asFault, sendFault, statusOf } from './reply.ts'
import { createRouteTable } from './routes.ts'

const maxHeaderBytes = 16 * 1024
/** At the end of the grace, answers that were waited for get this long to go out before the cut. */
const lastCallMs = 250
/** Connections that fall idle while the server closes must not hold it. */
const sweepMs = 50

export type Timeouts = {
  readonly headersMs: number
  /** Within this the whole request must have come, so that half-sent bodies end. Answers have no deadline: streams. */
  readonly requestMs: number
  readonly keepAliveMs: number
  /** How often these are looked at. */
  readonly checkMs: number
}

const usualTimeouts: Timeouts = { headersMs: 30_000, requestMs: 120_000, keepAliveMs: 72_000, checkMs: 5_000 }

/** Bodies are checked by the doors, so no route has a schema; fastify's own checker would be loaded all the same. */
const noSchemas: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema },
}

export type GatewayParts = {
  readonly auth: Omit<AuthParts, 'log'>
  readonly health: HealthParts
  /** Whose X-Forwarded-For to believe: nobody's, that of so many nearest hops, or that of these addresses. */
  readonly trustProxy?: false | number | readonly string[]
  readonly timeouts?: Partial<Timeouts>
  readonly log: Log
}

export type Gateway = {
  /** Where doors register their routes, before `listen`. Every route needs a token unless its config says `open`. */
  readonly app: FastifyInstance
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
  const app = openApp(parts)
  const routes = createRouteTable()
  const lastCall = new AbortController()
  setMaxListeners(0, lastCall.signal)
  let closing = false

  async function enter(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    protect(request.url, reply)
    if (needsToken(request)) {
      const caller = await authenticate(request.raw)
      if ('status' in caller) return refuse(request, reply, caller)
      request.caller = caller
      if (closing) throw new AppError('shutting_down', 'the service is going down: try again', { retryAfterSecs: 5 })
    }
    if (request.is404) throw missing(request, reply, routes.methodsOf(pathOf(request.url)))
    return undefined
  }

  takeJsonOnly(app)
  app.decorateRequest('caller')
  app.addHook('onRoute', (route) => routes.add(route))
  app.addHook('onRequest', enter)
  // After the routes' own hooks: what is counted counts whatever its size.
  app.addHook('preParsing', beginBody)
  app.setNotFoundHandler((request) => {
    throw missing(request, undefined, [])
  })
  app.setErrorHandler((error, request, reply) => {
    const fault = asFault(error)
    if (statusOf(fault.code) >= 500) {
      const at = { method: request.method, path: pathOf(request.url), code: fault.code }
      log.error(fault.code === 'internal' ? { ...at, err: error } : at, 'a request failed')
    }
    // Fastify would cut the connection; the client may still be writing and would not see the answer.
    reply.removeHeader('connection')
    leaveUnread(request.raw)
    return sendFault(reply, fault)
  })
  app.server.on('checkContinue', (request, response) => app.routing(request, response))
  await app.register((open, _options, done) => {
    registerHealth(open, { ...parts.health, draining: () => closing || parts.health.draining() })
    done()
  })

  return {
    app,
    listen: (host, port) => listenOn(app, host, port),
    lastCall: lastCall.signal,
    connections: () =>
      new Promise((resolve, reject) => {
        app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
      }),
    async close(graceMs) {
      closing = true
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

/** Refuses a body that says that it is too large; only now is a client that asked first told to send its own. */
// oxlint-disable-next-line require-await -- Fastify awaits the hook
async function beginBody({ raw }: FastifyRequest, reply: FastifyReply): Promise<undefined> {
  checkAnnouncedSize(raw)
  if (raw.headers.expect !== undefined) reply.raw.writeContinue()
}

function openApp({ trustProxy = false, timeouts }: GatewayParts): FastifyInstance {
  const { headersMs, requestMs, keepAliveMs, checkMs } = { ...usualTimeouts, ...timeouts }
  const http = {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: Math.min(headersMs, requestMs),
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkMs,
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
    trustProxy: typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : trustProxy && [...trustProxy],
    clientErrorHandler: answerClientError,
    frameworkErrors(error, request, reply) {
      protect(request.url, reply)
      void sendFault(reply, asFault(error))
    },
  })
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
function needsToken({ is404, url, routeOptions }: FastifyRequest): boolean {
  return is404 ? isApi(url) : routeOptions.config.open !== true
}

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

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? url
}

function missing({ method, url }: FastifyRequest, reply: FastifyReply | undefined, allowed: string[]): AppError {
  const path = pathOf(url)
  if (allowed.length === 0) return new AppError('not_found', `there is no ${path} here`)
  reply?.header('allow', allowed.join(', '))
  return new AppError('method_not_allowed', `${path} takes ${allowed.join(', ')}, not ${method}`)
}
