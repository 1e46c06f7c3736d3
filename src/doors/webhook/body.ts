// Reading the body of a submission: size limit and media type.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { AppError } from '#core/errors.ts'
import { checkEncoding, tooLarge } from '#http/body.ts'
import { ByteBlocks } from '#lib/byte-blocks.ts'

export const bodyLimit = 64 * 1024

/** The whole body; undefined when the connection closed before its end. Throws too_large. */
export function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  // The client may have left during the rate check. No further event would follow.
  if (request.destroyed) return Promise.resolve(undefined)
  return new Promise((resolve, reject) => {
    const body = new ByteBlocks()
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= bodyLimit) body.add(chunk)
      else reject(tooLarge(bodyLimit))
    })
    request.once('end', () => resolve(body.take()))
    request.once('error', () => resolve(undefined))
    request.once('close', () => resolve(undefined))
  })
}

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
