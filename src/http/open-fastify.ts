// Fastify as the gateway uses it: timeouts, errors before any handler, and headers of every API answer.
import type { IncomingMessage } from 'node:http'
import { type FastifyInstance, type FastifyReply, type FastifyServerOptions, fastify as createFastify } from 'fastify'
import type { Log } from '#lib/log.ts'
import { type Trust, trustOf } from './address.ts'
import { defaultMaxBodyBytes } from './body.ts'
import { answerClientError, maxHeaderBytes } from './client-errors.ts'
import { unreadMs } from './in-flight.ts'
import { faultHandler, localTarget, pathOf } from './reply.ts'
import { firstSegmentOf } from './route-table.ts'

/** The first segments of paths that need a credential, unless their route says otherwise. */
const apiRoots = ['api', 'v1']

export type Timeouts = {
  readonly headersMs: number
  /** Deadline for receiving a whole request. Answers have none, because they may be streams. */
  readonly requestMs: number
  readonly keepAliveMs: number
  /** How long an answer may remain unread. */
  readonly unreadMs: number
  /** How long a request waits for the quota of answers or of bodies. */
  readonly quotaWaitMs: number
  /** How often Node checks `headersMs` and `requestMs`. */
  readonly checkMs: number
}

export const defaultTimeouts: Timeouts = {
  headersMs: 30_000,
  requestMs: 120_000,
  keepAliveMs: 72_000,
  unreadMs,
  quotaWaitMs: 10_000,
  checkMs: 5_000,
}

/** Doors check their input, so no Fastify route has a schema. This keeps Fastify from loading its validator. */
const noSchemas: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema },
}

export type FastifyParts = {
  readonly trustProxy?: Trust
  readonly timeouts: Timeouts
  /** Decides which requests become WebSockets. Any other upgrade request is answered as plain HTTP. */
  readonly upgrades: (request: IncomingMessage) => boolean
  readonly log: Log
}

export function openFastify({ trustProxy = false, timeouts, upgrades, log }: FastifyParts): FastifyInstance {
  const { headersMs, requestMs, keepAliveMs, checkMs } = timeouts
  const http = {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: Math.min(headersMs, requestMs),
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkMs,
    // `admit` checks it, with the gateway's own error body.
    requireHostHeader: false,
    shouldUpgradeCallback: upgrades,
  }
  return createFastify({
    bodyLimit: defaultMaxBodyBytes,
    logger: false,
    schemaController: noSchemas,
    http,
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    forceCloseConnections: 'idle',
    // `admit` answers 503 itself, with the gateway's own error body.
    return503OnClosing: false,
    // The header limit already bounds the path. A long id is simply not found.
    routerOptions: { maxParamLength: maxHeaderBytes },
    rewriteUrl: ({ url = '/' }) => decodableUrl(url),
    trustProxy: trustOf(trustProxy),
    clientErrorHandler: answerClientError,
    frameworkErrors(error, request, reply) {
      setApiHeaders(request.url, reply)
      void faultHandler(log)(error, request, reply)
    },
  })
}

function refuseSchema(): never {
  throw new Error('a Fastify route has a schema: check its input in the door instead')
}

/** Sets headers on the raw answer, so that streams that bypass Fastify carry them too. */
export function setApiHeaders(url: string, { raw }: FastifyReply): void {
  if (!isApi(url)) return
  raw.setHeader('cache-control', 'no-store')
  raw.setHeader('x-content-type-options', 'nosniff')
}

/** Decided by the decoded segment, as routes are found: `/%61pi` is `/api`. */
export function isApi(url: string): boolean {
  return apiRoots.includes(firstSegmentOf(pathOf(url)))
}

/**
 * The path and the query of a target. A path that cannot be decoded is escaped, so that it is
 * authenticated and then not found, like any other unknown path.
 */
function decodableUrl(target: string): string {
  const url = localTarget(target)
  const path = pathOf(url)
  return isDecodable(path) ? url : path.replaceAll('%', '%25') + url.slice(path.length)
}

/** It returns what it compares: the bundler drops a call whose result nobody uses, although it may throw. */
function isDecodable(path: string): boolean {
  try {
    return decodeURIComponent(path).length <= path.length
  } catch {
    return false
  }
}
