// The body of a submission: read within its bound, and of the one media type that is taken.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { AppError } from '#core/errors.ts'
import { checkEncoding, tooLarge } from '#http/body.ts'

export const bodyLimit = 64 * 1024

/** The whole body; undefined when its sender left, or was cut off, before the end of it. */
export function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  // It may have gone while the rate was looked up; then no event would tell.
  if (request.destroyed) return Promise.resolve(undefined)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= bodyLimit) chunks.push(chunk)
      else reject(tooLarge(bodyLimit))
    })
    request.once('end', () => resolve(Buffer.concat(chunks)))
    request.once('error', () => resolve(undefined))
    request.once('close', () => resolve(undefined))
  })
}

/** Throws unsupported_media_type for anything but JSON in UTF-8, as it is or under a `+json` name. */
export function checkMediaType(headers: IncomingHttpHeaders): void {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';').map((part) => part.trim().toLowerCase())
  if (!/^application\/([\w.-]+\+)*json$/.test(type)) {
    const given = type === '' ? 'there is no Content-Type' : `the Content-Type is ${type.slice(0, 100)}`
    throw unsupported(`${given}: send JSON with Content-Type: application/json (a code host has a setting for it)`)
  }
  const charset = parameters.find((each) => each.startsWith('charset='))
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) {
    throw unsupported('the Content-Type names another charset than utf-8: send JSON in UTF-8')
  }
  checkEncoding(headers)
}

function unsupported(message: string): AppError {
  return new AppError('unsupported_media_type', message, { param: 'Content-Type' })
}
