// Request bodies: type, size and encoding checks, and discarding the body of a refused request.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '#core/errors.ts'
import { ByteBlocks } from '#lib/byte-blocks.ts'

/** The largest body of a gateway route, unless the route says otherwise. */
export const defaultMaxBodyBytes = 64 * 1024
/** The largest body of a route that takes files, or texts of 1 MiB with any JSON escapes. */
export const maxFileBodyBytes = 14 * 1024 * 1024

/** How long the rest of a refused body is discarded before the cut, so that the client can read the answer. */
const lingerMs = 5_000
const highestSpace = 0x20

/** Throws unsupported_media_type unless the body has this type. */
export function checkType(headers: IncomingHttpHeaders, type: string): void {
  if (headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === type) return
  throw new AppError('unsupported_media_type', `send the body as ${type}`, { param: 'Content-Type' })
}

/** Answers `Expect: 100-continue`: the client then sends its body. HTTP/1.0 has no such answer. */
export function sendContinue({ headers, httpVersion }: IncomingMessage, answer: ServerResponse): void {
  if (headers.expect?.toLowerCase().includes('100-continue') && httpVersion !== '1.0') answer.writeContinue()
}

/** Reads a body of at most `limit` bytes. */
export function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = new ByteBlocks()
    const onData = (chunk: Buffer): void => {
      if (body.size + chunk.length > limit) return end(() => reject(tooLarge(limit)))
      body.add(chunk)
    }
    const onEnd = (): void => end(() => resolve(body.take()))
    const onError = (cause: Error): void =>
      end(() => reject(new AppError('invalid_input', 'the body ended before its time', { cause })))
    /** The rest of a refused body is not read here: see `discardBody`. */
    const end = (settle: () => void): void => {
      request.off('data', onData).off('end', onEnd).off('error', onError)
      settle()
    }
    request.on('data', onData).on('end', onEnd).on('error', onError)
  })
}

/** True for nothing but blanks: a body that says nothing. */
export function isBlank(body: Buffer): boolean {
  return body.length <= defaultMaxBodyBytes && body.every((byte) => byte <= highestSpace)
}

/** Throws too_large by the announced size, before any of the body is read. */
export function checkAnnouncedSize(headers: IncomingHttpHeaders, limit: number): void {
  if (Number(headers['content-length'] ?? 0) > limit) throw tooLarge(limit)
}

export function tooLarge(limit: number, what = 'body'): AppError {
  const size = limit < 1024 * 1024 ? `${limit / 1024} KB (${limit} bytes)` : `${limit / 1024 / 1024} MiB`
  return new AppError('too_large', `the ${what} is larger than ${size}`)
}

/** Throws unsupported_media_type for a compressed body: a small one may expand to a huge one. */
export function checkEncoding(headers: IncomingHttpHeaders): void {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() === 'identity') return
  const message = 'the body has a Content-Encoding: send it as it is, not compressed'
  throw new AppError('unsupported_media_type', message, { param: 'Content-Encoding' })
}

/** True while some of a request's body has not come. What came with the headers is read later in the same turn of the event loop. */
export function awaitsBody({ complete, headers }: IncomingMessage): boolean {
  return !complete && (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)
}

/**
 * For a request that is answered before its body was read. The answer says `Connection: close`: some proxies send the next
 * client's request over a connection on which they have not sent the whole body. Cutting the connection at once would
 * reset it while the client still writes, and the client might never see the answer. Node discards the rest; after
 * `lingerMs` it is cut.
 */
export function discardBody(request: IncomingMessage, answer: ServerResponse): void {
  if (!awaitsBody(request)) return
  answer.shouldKeepAlive = false
  const { socket } = request
  // Node would destroy the socket after the answer, while the client still writes. End only this side; the client ends
  // its own once it has read the answer.
  socket.destroySoon = () => socket.end()
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  // An answered request emits no close event when its connection ends.
  for (const each of [request, socket]) each.once('close', over)
  function over(): void {
    clearTimeout(timer)
    for (const each of [request, socket]) each.off('close', over)
  }
}
