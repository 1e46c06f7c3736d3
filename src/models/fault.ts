// Faults of a model server, as errors with messages that a person can act on. No message contains a secret.
import { AppError, type AskedModel, type ErrorCode } from '#core/errors.ts'
import { isObject } from '#core/json.ts'
import { cutTo } from '#core/words.ts'
import { unknownAuthority } from '#lib/unknown-authority.ts'
import { ProxyFault } from '#net/network-fault.ts'
import { createLeakScan, type LeakScan } from '#safety/leaks.ts'
import type { Failure } from './chat-wire.ts'
import { isTransient } from './model-retry.ts'
import { maxErrorBytes } from './stream-limits.ts'

/** Length limit for server text quoted in an error message. */
const maxEchoChars = 500

/** A failed attempt: the error to throw, and whether to try again. */
export type Fault = {
  readonly error: AppError
  readonly retryable: boolean
  readonly retryAfterMs?: number | undefined
}

export type FaultParts = {
  readonly provider: string
  readonly model: string
  /** Host and port: the only part of the base URL that messages show. */
  readonly host: string
  readonly hasKey: boolean
  /** The secret name to suggest for the key. */
  readonly keyName: string | undefined
  /** The name of the sealed secret that the key came from, if it did. */
  readonly sealedAs: string | undefined
  /** The expected answer in words, such as "a chat completion". */
  readonly expected: string
  /** The usual end of its base URL. */
  readonly suffix: string
  readonly secrets: readonly string[]
  readonly idleMs: number
}

export type Faults = ReturnType<typeof createFaults>

/** The faults of one model. */
export function createFaults({ provider, model, host, secrets, idleMs, expected, suffix, ...key }: FaultParts) {
  const server = `${provider} at ${host}`
  // Created at the first fault.
  let scan: LeakScan | undefined
  const echo = (text: string): string =>
    shortLine((scan ??= createLeakScan(secrets)).mask(text.slice(0, maxErrorBytes)))
  const failed = (message: string, code: ErrorCode = 'model_failed'): Fault => ({
    error: new AppError(code, message),
    retryable: false,
  })

  function byStatus(status: number, detail: string, retryAfterMs?: number): Fault {
    const [code, meaning] = readStatus(status, { model, ...key })
    const message = `${server} ${meaning}${detail === '' ? '' : ` It said: ${detail}`}`
    const more = retryAfterMs === undefined ? {} : { retryAfterSecs: Math.ceil(retryAfterMs / 1000) }
    return { error: new AppError(code, message, more), retryable: isTransient(status), retryAfterMs }
  }

  return {
    /** A status other than 2xx, with its body. */
    fromStatus: (
      status: number,
      body: string,
      more: { retryAfterMs?: number | undefined; location?: string | undefined },
    ) =>
      status >= 300 && status < 400
        ? failed(
            `${server} redirects to ${echo(baseOf(more.location) ?? 'another address')} (${status}). Set that address as the base URL.`,
          )
        : byStatus(meansWrongKey(status, body) ? 401 : status, echo(errorText(body)), more.retryAfterMs),

    /** An `error` inside an answer that began as a success. */
    fromError: (error: unknown): Fault => {
      const status = statusIn(error)
      const detail = echo(messageIn(error) ?? JSON.stringify(error))
      if (status !== undefined) return byStatus(status, detail)
      return failed(`${server} broke off its answer for model "${model}": ${detail}`)
    },

    /** The connection failed, before or after the server began to answer. */
    fromFailure: (failure: Failure, answering: boolean): Fault => {
      if (failure.type === 'too_long') {
        return failed(`${server} sent an answer beyond the size limit; it was broken off. Ask for less at once.`)
      }
      if (failure.type === 'timeout') {
        const message = `${server} sent nothing for model "${model}" within ${idleMs / 1000} s. It may be loading or overloaded: try again later or choose another model.`
        return failed(message, 'model_timeout')
      }
      const { cause } = failure
      if (cause instanceof ProxyFault) {
        const error = new AppError('model_unreachable', `${server} cannot be reached: ${cause.message}.`, { cause })
        return { error, retryable: cause.passing }
      }
      const untrusted = unknownAuthority(cause)
      if (untrusted !== undefined) {
        const error = new AppError('model_unreachable', `${server} cannot be reached: ${untrusted}.`, { cause })
        return { error, retryable: false }
      }
      const message = answering
        ? `The connection to ${server} broke in the middle of an answer (${echo(reasonOf(cause))}). Try again.`
        : `${server} cannot be reached (${echo(reasonOf(cause))}). Check that the server runs and that the base URL is right.`
      return {
        error: new AppError(answering ? 'model_failed' : 'model_unreachable', message, { cause }),
        retryable: true,
      }
    },

    cutOff: () => failed(`${server} cut off its answer for model "${model}" before the end. Try again.`),
    notChat: (contentType: string) =>
      failed(
        `${server} answered with ${echo(contentType || 'no content type')} instead of ${expected}. Check the base URL; it often ends in ${suffix}.`,
      ),
    unreadable: (text: string) =>
      failed(
        `${server} sent something that is not ${expected}: ${echo(text)}. Check the base URL and the server's version.`,
      ),
    overlong: (bytes: number) =>
      failed(`${server} sent a line of more than ${bytes} bytes; the answer was broken off.`),
    tooMuch: (what: string) =>
      failed(`${server} sent more than ${what} in one answer; it was broken off. Ask for less at once.`),
    nameless: () =>
      failed(`${server} sent a tool call without a name for model "${model}". Try again or choose another model.`),
    malformed: () =>
      failed(`Model "${model}" of ${server} wrote a tool call that cannot be read. Try again or choose another model.`),
    filtered: () =>
      failed(
        `${server} withheld the answer of model "${model}" (content filter). Rephrase the message or choose another model.`,
        'model_filtered',
      ),
  }
}

/** The error of a call that ended without an answer, with the model that was asked, and how often. */
export function unanswered({ code, message, retryAfterSecs, cause }: AppError, asked: AskedModel): AppError {
  const often = times[asked.attempts]
  const words = often === undefined ? message : `${message}${/[.?!]$/.test(message) ? '' : '.'} It was asked ${often}.`
  return new AppError(code, words, {
    ...(retryAfterSecs !== undefined && { retryAfterSecs }),
    asked: [asked],
    cause,
  })
}

const times: Readonly<Record<number, string>> = { 2: 'twice', 3: 'three times', 4: 'four times' }

/** The base URL in the address of a request. */
function baseOf(location: string | undefined): string | undefined {
  return location?.replace(/\/(chat\/completions|messages|models\/[^/]*)(\?.*)?$/, '')
}

/** One short line of masked server text. Anything that looks like a key is masked too. */
function shortLine(text: string): string {
  const line = text
    .replaceAll(/\bbearer\s+[^\s"',;]+/gi, 'Bearer ***')
    .replaceAll(/\bsk-[\w*.-]{3,}/g, '***')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return cutTo(line, maxEchoChars)
}

/** Google reports a wrong key with status 400. */
function meansWrongKey(status: number, body: string): boolean {
  return status === 400 && /API_KEY_INVALID|API key (not valid|expired)/.test(body)
}

type StatusContext = Pick<FaultParts, 'model' | 'hasKey' | 'keyName' | 'sealedAs'>

/** The error code for a status, and its meaning in words. */
function readStatus(
  status: number,
  { model, hasKey, keyName = 'LLM_API_KEY', sealedAs }: StatusContext,
): [ErrorCode, string] {
  if (status === 401 || status === 403) {
    if (!hasKey)
      return ['model_unauthorized', `needs an API key (${status}) and none is set: atrium secret set ${keyName}.`]
    const wayOut =
      sealedAs === undefined
        ? 'change it where it comes from: a key in the environment goes before a sealed one'
        : `set the right one: atrium secret set ${sealedAs}`
    const check = `Check the key and that it may use model "${model}", or ${wayOut}.`
    return ['model_unauthorized', `refused the API key (${status}). ${check}`]
  }
  if (status === 404) return ['model_unknown', `knows no model "${model}", or the base URL is wrong (404). Check both.`]
  if (status === 408) return ['model_timeout', `timed out on a request for model "${model}" (408). Try again later.`]
  if (status === 429) {
    const message = `has reached its rate limit for model "${model}" (429). Wait, or check the quota of the account.`
    return ['model_rate_limited', message]
  }
  if (status === 409 || status >= 500) {
    const message = `failed on a request for model "${model}" (${status}). Try again later or choose another model.`
    return ['model_failed', message]
  }
  return [
    'model_refused',
    `refused the request for model "${model}" (${status}). Change what its message names or choose another model.`,
  ]
}

/** The status for each error type that servers name inside a stream instead of a number. */
const statusByType: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  api_error: 500,
  server_error: 500,
  internal_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
}

/** The status of an error inside a stream, if it names one. */
function statusIn(error: unknown): number | undefined {
  if (!isObject(error)) return undefined
  const named = [error['statusCode'], error['code'], error['status'], error['type']]
  const statuses = named.map((each) =>
    typeof each === 'string' && Object.hasOwn(statusByType, each) ? Number(statusByType[each]) : Number(each),
  )
  return statuses.find((status) => status >= 400 && status < 600)
}

/** The readable message in an error body of any shape. */
function errorText(body: string): string {
  try {
    const parsed: unknown = JSON.parse(body)
    const error = isObject(parsed) ? (parsed['error'] ?? parsed) : Array.isArray(parsed) ? parsed[0] : undefined
    return messageIn(error) ?? (isObject(error) ? messageIn(error['error']) : undefined) ?? body
  } catch {
    return body
  }
}

function messageIn(error: unknown): string | undefined {
  if (typeof error === 'string') return error
  if (!isObject(error)) return undefined
  const detail = error['message'] ?? error['detail']
  if (detail === undefined || detail === null) return undefined
  return typeof detail === 'string' ? detail : JSON.stringify(detail)
}

function reasonOf(error: Error): string {
  const first = error instanceof AggregateError ? error.errors[0] : undefined
  const cause = first instanceof Error ? first : error
  return cause.message || ('code' in cause ? String(cause.code) : cause.name)
}
