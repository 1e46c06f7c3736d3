// The webhook channel: its own HTTP listener with two routes, and the order of the checks on a request.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { AppError } from '#core/errors.ts'
import { isUuid } from '#core/ids.ts'
import type { LimitStore } from '#core/store.ts'
import { type ClientAddress, createClientAddress, networkOf, type Trust } from '#http/address.ts'
import { checkAnnouncedSize, discardBody, readBytes, sendContinue } from '#http/body.ts'
import { answerClientError, maxHeaderBytes } from '#http/client-errors.ts'
import { takeRate } from '#http/chat-rate.ts'
import { hostFault } from '#http/host.ts'
import { boundConnections, listenFault, urlOf } from '#http/listen.ts'
import { boundPipelining } from '#http/pipelining.ts'
import { faultBody, localTarget, pathOf, reportFault } from '#http/reply.ts'
import type { Timeouts } from '#http/open-fastify.ts'
import { dropUnreadAnswer, unreadMs } from '#http/in-flight.ts'
import { createServer } from '#lib/http.ts'
import { type CountRequest, logRequests, requestIdOf } from '#http/request-log.ts'
import type { Log } from '#lib/log.ts'
import { pace } from '#lib/pace.ts'
import type { Turns } from '#turns/turns.ts'
import { bodyLimit, checkMediaType } from './body.ts'
import { readEvent } from './events.ts'
import { type JobParts, showJob } from './job.ts'
import { readObject } from './json.ts'
import { createVerifier, type Verifier } from './verify.ts'
import { isMessage, readSubmission, turnOf } from './submit.ts'

/** Longer paths are truncated: no route is that long. */
const maxPathLength = 200
/** How often connections that have become idle are closed during shutdown. */
const sweepMs = 50
/** Short, because a body has at most 64 KB. */
const defaultTimeouts: Omit<Timeouts, 'quotaWaitMs'> = {
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 72_000,
  unreadMs,
  checkMs: 1_000,
}

export type WebhookParts = JobParts & {
  readonly turns: Pick<Turns, 'start' | 'findByDoor'>
  readonly limits: LimitStore
  readonly secret: string
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
  /** Requests per client address in 60 seconds; 0 means no limit. */
  readonly ratePerMinute: number
  readonly trustProxy: Trust
  readonly log: Log
  readonly countRequest?: CountRequest
  readonly now?: () => number
  readonly timeouts?: Partial<Timeouts>
}

export type Webhook = {
  readonly url: string
  readonly port: number
  /** Refuses new requests, lets open ones finish for `graceMs`, then cuts them. */
  close(graceMs: number): Promise<void>
}

type Door = Omit<WebhookParts, 'timeouts'> & {
  readonly verifier: Verifier
  readonly addressOf: ClientAddress
  readonly timeouts: typeof defaultTimeouts
  closing: boolean
}

/** Opens the channel. Throws port_in_use or invalid_config, naming the variable to set. */
export async function openWebhook(parts: WebhookParts): Promise<Webhook> {
  const { host, trustProxy, secret } = parts
  const door: Door = {
    ...parts,
    verifier: createVerifier(secret),
    addressOf: createClientAddress(trustProxy),
    timeouts: { ...defaultTimeouts, ...parts.timeouts },
    closing: false,
  }
  const server = createListener(door.timeouts)
  boundConnections(server, parts.log)
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    handle(door, request, response).catch((error: unknown) => fail(door, request, response, error))
  }
  server.on('request', serve)
  // `submit` answers `Expect: 100-continue` only when it will read the body.
  server.on('checkContinue', serve)
  // An unknown expectation is ignored: Node's own 417 has no body and no id, and does not count for the rate.
  server.on('checkExpectation', serve)
  server.on('clientError', answerClientError)
  logRequests(server, 'webhook', parts.log, parts.countRequest)
  boundPipelining(server, parts.log)
  const port = await listen(server, host, parts.port)
  return {
    url: urlOf(host, port),
    port,
    async close(graceMs) {
      door.closing = true
      const sweep = setInterval(() => server.closeIdleConnections(), sweepMs)
      const cut = setTimeout(() => server.closeAllConnections(), graceMs)
      await new Promise<void>((resolve) => server.close(() => resolve()))
      clearInterval(sweep)
      clearTimeout(cut)
    },
  }
}

async function handle(door: Door, request: IncomingMessage, response: ServerResponse): Promise<void> {
  await checkRate(door, request)
  if (door.closing) throw new AppError('shutting_down', 'the service is going down: try again')
  const badHost = hostFault(request)
  if (badHost) throw badHost
  const path = pathOf(localTarget(request.url ?? '')).slice(0, maxPathLength)
  const id = /^\/jobs\/([^/]+)$/.exec(path)?.[1]
  if (path !== '/webhook' && id === undefined) {
    throw new AppError('not_found', `there is no ${path} here: the routes are POST /webhook and GET /jobs/{job_id}`)
  }
  const allowed = id === undefined ? 'POST' : 'GET'
  if (request.method !== allowed) {
    response.setHeader('allow', allowed)
    throw new AppError('method_not_allowed', `${path} takes ${allowed}, not ${request.method}`)
  }
  return id === undefined ? submit(door, request, response) : job(door, id.toLowerCase(), request, response)
}

/** Every request counts, including refused ones. */
async function checkRate({ limits, ratePerMinute, addressOf, now = Date.now }: Door, request: IncomingMessage) {
  const rate = { key: `webhook:${networkOf(addressOf(request))}`, perMinute: ratePerMinute, now: now() }
  await takeRate(limits, rate, `at most ${ratePerMinute} requests are accepted in 60 seconds from one address`)
}

async function submit(door: Door, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { headers } = request
  checkAnnouncedSize(headers, bodyLimit)
  sendContinue(request, response)
  // The client may have left during the rate check. No further event would follow.
  if (request.destroyed) return
  const body = await readBytes(request, bodyLimit)
  const proof = door.verifier.verify(headers, body)
  if (!proof) throw unauthorized('X-Webhook-Secret, or X-Hub-Signature-256 of the body,')
  checkMediaType(headers)
  // Many large bodies may arrive at once.
  await pace()
  const event = single(headers['x-github-event'])
  const object = await readObject(body)
  await pace()
  // No signature covers X-GitHub-Event: a signed message that is sent again with it is the same message.
  const submission =
    event === undefined || (proof === 'signature' && isMessage(object))
      ? readSubmission(object, single(headers['idempotency-key']))
      : readEvent(event, single(headers['x-github-delivery']), object)
  const { turn, replayed, events } = await door.turns.start({
    ...turnOf(submission, proof === 'signature' ? body : undefined),
    request: requestIdOf(response),
  })
  events.close()
  if (!replayed) return send(door, response, 200, { job_id: turn.id, status: 'queued' })
  const { id, status, response: reply } = await showJob(door, turn)
  send(door, response, 200, { job_id: id, status, ...(reply !== undefined && { response: reply }) })
}

async function job(door: Door, id: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!door.verifier.verify(request.headers)) throw unauthorized('X-Webhook-Secret')
  const turn = isUuid(id) ? await door.turns.findByDoor('webhook', id) : undefined
  if (!turn) throw new AppError('not_found', 'the job does not exist')
  send(door, response, 200, await showJob(door, turn))
}

function fail(door: Door, request: IncomingMessage, response: ServerResponse, error: unknown): void {
  const { fault, status, retryAfterSecs } = reportFault(error, request, door.log)
  if (response.headersSent || response.destroyed) return
  discardBody(request, response)
  if (retryAfterSecs !== undefined) response.setHeader('retry-after', String(retryAfterSecs))
  send(door, response, status, faultBody(fault))
}

function send({ closing, timeouts }: Door, response: ServerResponse, status: number, value: object): void {
  const body = JSON.stringify(value)
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(closing && { connection: 'close' }),
  })
  dropUnreadAnswer(response, timeouts.unreadMs)
  response.end(body)
}

function unauthorized(header: string): AppError {
  return new AppError('unauthorized', `${header} is missing or does not match the channel's secret`)
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(',') : header
}

function createListener({ headersMs, requestMs, keepAliveMs, checkMs }: Door['timeouts']): Server {
  return createServer({
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: Math.min(headersMs, requestMs),
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: checkMs,
    // `handle` checks it, with the channel's own error body.
    requireHostHeader: false,
    noDelay: true,
  })
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(listenFault(cause, { host, port, envPrefix: 'HTTP' }) as Error))
    server.listen(port, host === 'localhost' ? '127.0.0.1' : host, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : port)
    })
  })
}
