// Answers to requests that Node cannot parse: too slow, headers too large, or not HTTP.
import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { AppError } from '#core/errors.ts'
import { faultBody } from './reply.ts'

/** The most that the first line of a request and its headers may take together. */
export const maxHeaderBytes = 16 * 1024

/** Sends an error, unless an answer is being written already, and ends the connection. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  // Node's internal reference to the answer being written. A second head in the middle of it would garble it.
  const { _httpMessage: answer } = socket as Socket & { _httpMessage?: ServerResponse | null }
  if (error.code === 'ECONNRESET' || !socket.writable || answer?.headersSent) {
    socket.destroy()
    return
  }
  const { line, fault } = reasonOf(error.code)
  const body = JSON.stringify(faultBody(fault))
  socket.end(
    `HTTP/1.1 ${line}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Request-Id: ${randomUUID()}\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  )
}

function reasonOf(code: string | undefined): { line: string; fault: AppError } {
  switch (code ?? '') {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return {
        line: '408 Request Timeout',
        fault: new AppError('request_timeout', 'the request did not arrive in time: send it again'),
      }
    case 'HPE_HEADER_OVERFLOW':
      return {
        line: '431 Request Header Fields Too Large',
        fault: new AppError(
          'too_large',
          `the address and the headers of the request are larger than ${maxHeaderBytes / 1024} KiB: make them shorter`,
        ),
      }
    default:
      return { line: '400 Bad Request', fault: new AppError('invalid_input', 'the request is not valid HTTP') }
  }
}
