// Request bodies: JSON read with care, and bodies that are answered before they were read.
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { AppError } from '#core/errors.ts'

/** The largest body of any gateway route. */
export const bodyLimit = 14 * 1024 * 1024

/** How long the rest of a refused body is thrown away, so that its sender can read the answer, before the cut. */
const lingerMs = 5_000

/** Makes JSON the only body taken. An empty one is left undefined: whether that will do is the route's to say. */
export function takeJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) {
      done(null, undefined)
      return
    }
    void parse(request, body, (error, value) => {
      if (error) done(new AppError('invalid_input', problemOf(body)), undefined)
      else done(null, value)
    })
  })
}

/** Throws too_large for a body whose announced size says so, before any of it is read. */
export function checkAnnouncedSize({ headers }: IncomingMessage): void {
  if (Number(headers['content-length'] ?? 0) > bodyLimit) {
    throw new AppError('too_large', `the request body is larger than ${bodyLimit / 1024 / 1024} MiB`)
  }
}

/**
 * For a request that is refused before its body was read. Cutting at once would reset the connection while the client
 * still writes, and the answer might never be seen; Node throws the rest away, and here is the end of that.
 */
export function leaveUnread(request: IncomingMessage): void {
  if (request.complete) return
  if (request.headers['content-length'] === undefined && request.headers['transfer-encoding'] === undefined) return
  const { socket } = request
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  // An answered request does not hear of its connection's end.
  for (const each of [request, socket]) each.once('close', over)
  function over(): void {
    clearTimeout(timer)
    for (const each of [request, socket]) each.off('close', over)
  }
}

/** The parser does not say which it was: text that is no JSON, or JSON with a poisoned key. */
function problemOf(body: string): string {
  try {
    JSON.parse(body)
    return 'the body has a key __proto__ or constructor.prototype, which is not taken'
  } catch {
    return 'the body is not valid JSON'
  }
}
