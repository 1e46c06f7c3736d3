// Each request has an id, told in X-Request-Id, and a line in the log once it was answered or given up.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Log } from '#lib/log.ts'
import type { Metrics } from '#lib/metrics.ts'
import { pathOf } from './reply.ts'

const maxPathLength = 200
/** What is asked every few seconds by a machine is no news. */
const probes: ReadonlySet<string> = new Set(['/api/health', '/api/ready'])

/** What requests are counted by, for every door of a process. */
export type CountRequest = (door: string, status: number, ms: number) => void

export function createRequestCount(metrics: Metrics): CountRequest {
  const requests = metrics.counter('atrium_http_requests_total', 'Requests that were answered; 0 is given up.', [
    'door',
    'status',
  ])
  const time = metrics.histogram('atrium_http_request_seconds', 'From the head of a request to its end.', ['door'])
  return (door, status, ms) => {
    requests.add(1, door, String(status))
    time.observe(ms / 1000, door)
  }
}

/** The id that a request was given. */
export function requestIdOf(response: Pick<ServerResponse, 'getHeader'>): string {
  return String(response.getHeader('x-request-id') ?? '')
}

/** Before any other listener, so that streams which bypass the framework carry the id too. */
export function logRequests(server: Server, door: string, log: Log, count?: CountRequest): void {
  const begin = (request: IncomingMessage, response: ServerResponse): void => {
    const id = randomUUID()
    const at = performance.now()
    response.setHeader('x-request-id', id)
    // Where further lines about this request find it.
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
}
