// From a fault to an HTTP answer: the one place where codes and statuses meet.
import type { FastifyReply } from 'fastify'
import { AppError, type ErrorCode } from '#core/errors.ts'

const statuses: Readonly<Partial<Record<ErrorCode, number>>> = {
  invalid_input: 400,
  tool_output_required: 400,
  no_open_gate: 400,
  call_id_mismatch: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conversation_busy: 409,
  gate_required: 409,
  too_large: 413,
  unsupported_media_type: 415,
  idempotency_conflict: 422,
  rate_limited: 429,
  database_unavailable: 503,
  disk_full: 503,
  home_unwritable: 503,
  shutting_down: 503,
}

/** The HTTP status of a code; what a caller cannot help is 500. */
export function statusOf(code: ErrorCode): number {
  return statuses[code] ?? 500
}

/** Any thrown thing as a fault that may be shown: a bug's words stay in the log. */
export function asFault(error: unknown): AppError {
  if (error instanceof AppError) return error
  const { statusCode, code, message } = (error ?? {}) as { statusCode?: number; code?: string; message?: string }
  // What Fastify found wrong with a request before a handler saw it.
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new AppError('too_large', 'the request body is larger than 14 MiB')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new AppError('unsupported_media_type', 'send the body as application/json')
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new AppError('invalid_input', message ?? 'the request is malformed')
  }
  return new AppError('internal', 'something went wrong inside the service; its log says more', { cause: error })
}

/** The JSON body of a fault. */
export function faultBody({ code, message }: AppError): { error: { code: ErrorCode; message: string } } {
  return { error: { code, message } }
}

/** Answers with a fault. */
export function sendFault(reply: FastifyReply, fault: AppError): FastifyReply {
  if (fault.retryAfterSecs !== undefined) reply.header('retry-after', String(fault.retryAfterSecs))
  return reply.code(statusOf(fault.code)).send(faultBody(fault))
}
