// The Host header of a request.
import type { IncomingMessage } from 'node:http'
import { AppError } from '#core/errors.ts'
import { countOf } from './auth.ts'

/** Why a request is refused by its Host: none since HTTP/1.1, or more than one, of which a proxy may have read another. */
export function hostFault({ headers, httpVersion, rawHeaders }: IncomingMessage): AppError | undefined {
  if (headers.host === undefined && httpVersion !== '1.0')
    return new AppError('invalid_input', 'the request has no Host header', { param: 'Host' })
  if (countOf(rawHeaders, 'host') > 1)
    return new AppError('invalid_input', 'the request has more than one Host header', { param: 'Host' })
  return undefined
}
