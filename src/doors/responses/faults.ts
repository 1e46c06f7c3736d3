// Faults on the wire: the reference's error envelope.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AppError } from '#core/errors.ts'
import { leaveUnread } from '#http/body.ts'
import { asFault, statusOf } from '#http/reply.ts'
import type { Log } from '#lib/log.ts'

/** When to come back, where the fault itself does not say. */
const retrySecs: Readonly<Record<number, number>> = { 409: 1, 429: 60, 503: 5 }

const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
}

/** Answers with a fault. Only what is nobody's fault but ours goes to the log. */
export function sendFault(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Log): FastifyReply {
  const fault = asFault(error)
  const status = statusOf(fault.code)
  if (status >= 500)
    log.error({ code: fault.code, ...(status === 500 && { err: error }) }, 'a request of the Responses API failed')
  const secs = fault.retryAfterSecs ?? retrySecs[status]
  if (secs !== undefined) reply.header('retry-after', String(secs))
  // Fastify would cut the connection; the client may still be writing and would not see the answer.
  reply.removeHeader('connection')
  leaveUnread(request.raw)
  return reply.code(status).send(envelope(fault, status))
}

function envelope(fault: AppError, status: number) {
  const type = types[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error')
  return { error: { message: fault.message, type, param: fault.param ?? null, code: fault.code } }
}
