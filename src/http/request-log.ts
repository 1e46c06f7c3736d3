// Request ids (X-Request-Id), and one log line per request once it was answered or abandoned.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Log } from '#lib/log.ts'
import type { Metrics } from '#lib/metrics.ts'
import { pathOf } from './reply.ts'

const maxPathLength = 200
/** Polled every few seconds, so logged at debug level. */
const probes: ReadonlySet<string> = new Set(['/api/health', '/api/ready'])

/** Counts a finished request. Status 0 means abandoned. */
export type CountRequest = (door: string, status: number, ms: number) => void

export function createRequestCount(metrics: Metrics): CountRequest {
  const requests = metrics.counter(
    'atrium_http_requests_total',
    'Requests by status; 0 means abandoned without an answer.',
    ['door', 'status'],
  )
  const time = metrics.histogram(
    'atrium_http_request_seconds',
    'Time from the headers of a request to the end of its answer.',
    ['door'],
  )
  return (door, status, ms) => {
    requests.add(1, door, String(status))
    time.observe(ms / 1000, door)
  }
}

export function requestIdOf(response: Pick<ServerResponse, 'getHeader'>): string {
  return String(response.getHeader('x-request-id') ?? '')
}

/** Listens before any other listener, so that streams which bypass Fastify carry the id too. */
export function logRequests(server: Server, door: string, log: Log, count?: CountRequest): void {
  const begin = (request: IncomingMessage, response: ServerResponse): void => {
    const id = randomUUID()
    const at = performance.now()
    response.setHeader('x-request-id', id)
    // Other log lines about this request read the id from here.
    request.headers['x-request-id'] = id
    response.once('close', () => {
      const { method, url = '' } = request
      const path = pathOf(url).slice(0, maxPathLength)
      const took = performance.now() - at
      const ms = Math.round(took)
      const status = response.headersSent ? response.statusCode : 0
      count?.(door, status, took)
      const line = { request: id, door, method, path, status, ms, ...(!response.writableFinished && { cut: true }) }
      if (probes.has(path)) log.debug(line, 'request')
      else log.info(line, 'request')
    })
  }
  server.prependListener('request', begin)
  server.prependListener('checkContinue', begin)
  server.prependListener('checkExpectation', begin)
}
