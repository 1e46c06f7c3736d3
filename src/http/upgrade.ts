// The handshake of a WebSocket before it is accepted: its id, its log line, and refusals.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { AppError } from '#core/errors.ts'
import type { Log } from '#lib/log.ts'
import { refusalTexts } from './auth.ts'
import { faultBody, pathOf } from './reply.ts'

/** Gives the request its id. The returned function writes its log line and returns the id. */
export function startRequestLog(request: IncomingMessage, log: Log): (status: number) => string {
  const id = randomUUID()
  const at = performance.now()
  request.headers['x-request-id'] = id
  return (status) => {
    const path = pathOf(request.url ?? '')
    const ms = Math.round(performance.now() - at)
    log.info({ request: id, door: 'gateway', method: 'GET', path, status, ms }, 'request')
    return id
  }
}

const refusals = {
  400: ['Bad Request', 'Sec-WebSocket-Version: 13\r\n'],
  401: ['Unauthorized', 'WWW-Authenticate: Bearer\r\n'],
  403: ['Forbidden', ''],
  503: ['Service Unavailable', 'Retry-After: 5\r\n'],
} as const
export type Refusal =
  | { readonly status: keyof typeof refusalTexts; readonly fault?: undefined }
  | { readonly status: 400 | 503; readonly fault: AppError }

/** Without a fault the answer is the plain text of `authenticate`. */
export function refuseUpgrade(socket: Socket, id: string, refusal: Refusal): void {
  const { status, fault } = refusal
  const type = fault ? 'application/json' : 'text/plain'
  const text = fault ? JSON.stringify(faultBody(fault)) : refusalTexts[status]
  const [reason, more] = refusals[status]
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nContent-Type: ${type}; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\nX-Request-Id: ${id}\r\nCache-Control: no-store\r\n` +
      `${more}Connection: close\r\n\r\n${text}`,
    () => socket.destroy(),
  )
}
