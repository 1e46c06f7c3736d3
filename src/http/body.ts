// Request bodies: JSON only, size and encoding checks, and discarding the body of a refused request.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { AppError } from '#core/errors.ts'

/** The largest body of any gateway route. */
export const bodyLimit = 14 * 1024 * 1024

/** How long the rest of a refused body is discarded before the cut, so that the client can read the answer. */
const lingerMs = 5_000

/** Throws SyntaxError. */
export type ParseJson = (text: string) => unknown

/**
 * Makes JSON the only accepted body. Field names are not restricted (no check for `__proto__`): a route reads only the
 * fields it knows. An empty body becomes undefined; the route decides whether that is valid.
 */
export function takeJsonOnly(fastify: FastifyInstance, parse: ParseJson = JSON.parse): void {
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser<string>('application/json', { parseAs: 'string', bodyLimit }, (_request, body, done) => {
    if (body.trim() === '') return done(null, undefined)
    let value: unknown
    try {
      value = parse(body)
    } catch (error) {
      return done(new AppError('invalid_input', 'the body is not valid JSON', { cause: error }))
    }
    done(null, value)
  })
}

/** Throws too_large by the announced size, before any of the body is read. */
export function checkAnnouncedSize(headers: IncomingHttpHeaders, limit = bodyLimit): void {
  if (Number(headers['content-length'] ?? 0) > limit) throw tooLarge(limit)
}

export function tooLarge(limit = bodyLimit): AppError {
  const size = limit < 1024 * 1024 ? `${limit / 1024} KB (${limit} bytes)` : `${limit / 1024 / 1024} MiB`
  return new AppError('too_large', `the body is larger than ${size}`)
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
