// HTTP answers for errors: the one place that maps error codes to statuses, for every door.
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError, appErrorOf, type ErrorCode } from '#core/errors.ts'
import type { Log } from '#lib/log.ts'
import { refuse } from './auth.ts'
import type { Caller } from './caller.ts'

const statuses: Readonly<Partial<Record<ErrorCode, number>>> = {
  invalid_input: 400,
  tool_output_required: 400,
  no_open_gate: 400,
  call_id_mismatch: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  model_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conversation_busy: 409,
  turn_started: 409,
  gate_required: 409,
  gate_closed: 409,
  grant_refused: 409,
  mission_running: 409,
  tool_refused: 409,
  credential_missing: 409,
  input_required: 409,
  model_key_missing: 409,
  too_large: 413,
  storage_full: 413,
  unsupported_media_type: 415,
  idempotency_conflict: 422,
  rate_limited: 429,
  model_failed: 502,
  model_rate_limited: 502,
  model_refused: 502,
  model_filtered: 502,
  model_timeout: 502,
  model_unauthorized: 502,
  model_unknown: 502,
  model_unreachable: 502,
  database_unavailable: 503,
  disk_full: 503,
  home_unwritable: 503,
  shutting_down: 503,
  overloaded: 503,
  issuer_unavailable: 503,
  turn_timeout: 504,
}

/** Default Retry-After by status. */
const defaultRetrySecs: Readonly<Record<number, number>> = { 409: 1, 429: 60, 503: 5 }

/** Public messages for faults of the machine, whose own messages name hosts and files and go to the log only. */
const publicMessages: Readonly<Partial<Record<ErrorCode, string>>> = {
  database_unavailable: 'the database is unavailable and may not have stored this: try again',
  disk_full: 'the disk is full: nothing was stored',
  home_unwritable: 'the service cannot write to its home: nothing was stored',
}

/** The HTTP status of a code; 500 for what a caller cannot fix. */
export function statusOf(code: ErrorCode): number {
  return statuses[code] ?? 500
}

/** Turns any thrown value into a fault that is safe to show. The message of a bug goes to the log only. */
export function asFault(error: unknown): AppError {
  if (error instanceof AppError) return publicFault(error)
  const { statusCode, code, message } = (error ?? {}) as { statusCode?: number; code?: string; message?: string }
  // Errors of Fastify, before any handler ran.
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new AppError('unsupported_media_type', 'send the body as application/json', { param: 'Content-Type' })
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new AppError('invalid_input', message ?? 'the request is malformed')
  }
  return appErrorOf(error)
}

/** The JSON body of a fault. `param` names the offending field, if any. */
export function faultBody({ code, message, param }: AppError) {
  return { error: { code, message, ...(param !== undefined && { param }) } }
}

export type FaultBody = (fault: AppError, status: number) => object

type FailedRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers'>

/** The fault, status and Retry-After to answer a thrown value with. Logs it when the status is 500 or above. */
export function reportFault(error: unknown, request: FailedRequest, log: Log) {
  const fault = asFault(error)
  const status = statusOf(fault.code)
  if (status >= 500) {
    const reason = fault.code === 'internal' ? { err: error } : reasonOf(error as AppError)
    const { method, url = '', headers } = request
    const at = { request: headers['x-request-id'], method, path: pathOf(url) }
    log.error({ ...at, code: fault.code, ...reason }, 'request failed')
  }
  return { fault, status, retryAfterSecs: fault.retryAfterSecs ?? defaultRetrySecs[status] }
}

function reasonOf({ message, cause }: AppError): { reason: string; cause?: string } {
  return { reason: message, ...(cause instanceof Error && { cause: cause.message }) }
}

/** Fastify's error handler. `bodyOf` gives faults the shape of a door. */
export function faultHandler(log: Log, bodyOf: FaultBody = faultBody) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { fault, status, retryAfterSecs } = reportFault(error, request, log)
    if (retryAfterSecs !== undefined) reply.header('retry-after', String(retryAfterSecs))
    // Answered like a token that cannot be looked up: an operator's token passes that check at the start of an outage.
    const caller = request.caller as Caller | undefined
    if (fault.code === 'database_unavailable' && caller) return refuse(reply, { status: 503 })
    return reply.code(status).send(bodyOf(fault, status))
  }
}

/** The path and the query of the target of a request, which may be a whole URL, as a client sends it to a proxy. */
export function localTarget(target: string): string {
  return target.replace(/^https?:\/\/[^/?]*(?=\/)/i, '')
}

/** The path of a URL without its query, which may contain private data. */
export function pathOf(url: string): string {
  const query = url.indexOf('?')
  return query === -1 ? url : url.slice(0, query)
}

function publicFault(fault: AppError): AppError {
  const message = publicMessages[fault.code]
  if (message === undefined) return fault
  const { retryAfterSecs } = fault
  return new AppError(fault.code, message, { cause: fault, ...(retryAfterSecs !== undefined && { retryAfterSecs }) })
}
