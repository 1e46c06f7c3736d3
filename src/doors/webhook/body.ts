// The body of a submission: size limit and media type.
import type { IncomingHttpHeaders } from 'node:http'
import { AppError } from '#core/errors.ts'
import { checkEncoding } from '#http/body.ts'

export const bodyLimit = 64 * 1024

/** Throws unsupported_media_type for anything but uncompressed JSON in UTF-8. `+json` types are accepted. */
export function checkMediaType(headers: IncomingHttpHeaders): void {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';').map((part) => part.trim().toLowerCase())
  if (!/^application\/([\w.-]+\+)*json$/.test(type)) {
    const problem = type === '' ? 'there is no Content-Type' : `the Content-Type is ${type.slice(0, 100)}`
    throw unsupported(`${problem}: send JSON with Content-Type: application/json (a code host has a setting for it)`)
  }
  const charset = parameters.find((each) => each.startsWith('charset='))
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) {
    throw unsupported('the charset of the Content-Type is not utf-8: send JSON in UTF-8')
  }
  checkEncoding(headers)
}

function unsupported(message: string): AppError {
  return new AppError('unsupported_media_type', message, { param: 'Content-Type' })
}
