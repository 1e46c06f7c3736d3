// Request bodies: JSON only, size and encoding checks, and discarding the body of a refused request.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '#core/errors.ts'

/** The largest body of a gateway route, unless the route says otherwise. */
export const defaultMaxBodyBytes = 64 * 1024
/** The largest body of a route whose messages carry files. */
export const maxFileBodyBytes = 14 * 1024 * 1024

/** How long the rest of a refused body is discarded before the cut, so that the client can read the answer. */
const lingerMs = 5_000
const highestSpace = 0x20

/**
 * Makes JSON the only accepted body. Field names are not restricted (no check for `__proto__`): a route reads only the
 * fields it knows. An empty body becomes undefined; the route decides whether that is valid.
 */
export function takeJsonOnly(
  fastify: FastifyInstance,
  read: (request: FastifyRequest, body: Buffer) => Promise<unknown>,
): void {
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => (isBlank(body) ? undefined : read(request, body)),
  )
}

/** Makes one other type the only accepted body: the request's body is its bytes. */
export function takeBytesOnly(
  fastify: FastifyInstance,
  type: string,
  read: (request: FastifyRequest, body: Buffer) => Buffer,
): void {
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser<Buffer>(
    type,
    { parseAs: 'buffer' },
    // oxlint-disable-next-line require-await -- Fastify takes the value from a promise
    async (request: FastifyRequest, body: Buffer) => read(request, body),
  )
  fastify.addContentTypeParser('*', () => {
    throw new AppError('unsupported_media_type', `send the body as ${type}`, { param: 'Content-Type' })
  })
}

function isBlank(body: Buffer): boolean {
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

/**
 * For a request that is refused before its body was read. Cutting the connection at once would reset it while the
 * client still writes, and the client might never see the answer. Node discards the rest; after `lingerMs` it is cut.
 */
export function discardBody(request: IncomingMessage): void {
  if (request.complete) return
  if (request.headers['content-length'] === undefined && request.headers['transfer-encoding'] === undefined) return
  const { socket } = request
  // With `Connection: close` Node would destroy the socket after the answer, while the client still writes. End only
  // this side; the client ends its own once it has read the answer.
  socket.destroySoon = () => socket.end()
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  // An answered request emits no close event when its connection ends.
  for (const each of [request, socket]) each.once('close', over)
  function over(): void {
    clearTimeout(timer)
    for (const each of [request, socket]) each.off('close', over)
  }
}
