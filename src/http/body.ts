// Request bodies: JSON and nothing else, and bodies that are answered before they were read.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { AppError } from '#core/errors.ts'

/** The largest body of any gateway route. */
export const bodyLimit = 14 * 1024 * 1024

/** How long the rest of a refused body is thrown away, so that its sender can read the answer, before the cut. */
const lingerMs = 5_000

/** Text of JSON to its value. Throws SyntaxError. */
export type ParseJson = (text: string) => unknown

/**
 * Makes JSON the only body taken. Any field may have any name: what a route does not know it does not read. An empty
 * body is left undefined: whether that will do is the route's to say.
 */
export function takeJsonOnly(app: FastifyInstance, parse: ParseJson = JSON.parse): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<string>('application/json', { parseAs: 'string', bodyLimit }, (_request, body, done) => {
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

/** Throws too_large for a body whose announced size says so, before any of it is read. */
export function checkAnnouncedSize(headers: IncomingHttpHeaders, limit = bodyLimit): void {
  if (Number(headers['content-length'] ?? 0) > limit) throw tooLarge(limit)
}

/** A body over a limit, in words. */
export function tooLarge(limit = bodyLimit): AppError {
  const size = limit < 1024 * 1024 ? `${limit / 1024} KB (${limit} bytes)` : `${limit / 1024 / 1024} MiB`
  return new AppError('too_large', `the body is larger than ${size}`)
}

/** Throws unsupported_media_type for a body that would have to be unpacked first: a small one may hold a huge one. */
export function checkEncoding(headers: IncomingHttpHeaders): void {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() === 'identity') return
  const message = 'the body has a Content-Encoding: send it as it is, not compressed'
  throw new AppError('unsupported_media_type', message, { param: 'Content-Encoding' })
}

/**
 * For a request that is refused before its body was read. Cutting at once would reset the connection while the client
 * still writes, and the answer might never be seen; Node throws the rest away, and here is the end of that.
 */
export function leaveUnread(request: IncomingMessage): void {
  if (request.complete) return
  if (request.headers['content-length'] === undefined && request.headers['transfer-encoding'] === undefined) return
  const { socket } = request
  // Whoever asked for the connection to end with the answer still writes: ours ends here, theirs when they have read it.
  socket.destroySoon = () => socket.end()
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  // An answered request does not hear of its connection's end.
  for (const each of [request, socket]) each.once('close', over)
  function over(): void {
    clearTimeout(timer)
    for (const each of [request, socket]) each.off('close', over)
  }
}
