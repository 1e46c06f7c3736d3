// A bound on the requests that a client sends over one connection without waiting for their answers.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Log, warnSparingly } from '#lib/log.ts'

/** Node hands out all requests of one read at once, and those of many connections in one turn of the event loop. */
const maxUnanswered = 16
/** The answer of Node's own listener for a request after which another protocol follows: the parser stops there. */
const stopsParser = 2

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Cuts a connection with too many unanswered requests. It takes the place of the listeners for requests that the server has,
 * and calls them: add them first.
 */
export function boundPipelining(server: Server, log: Log): void {
  const warn = warnSparingly(log)
  const unanswered = new WeakMap<Socket, number>()

  function isCut({ socket }: IncomingMessage, response: ServerResponse): boolean {
    if (socket.destroyed) return true
    const before = unanswered.get(socket) ?? 0
    if (before >= maxUnanswered) {
      warn({ unanswered: before }, 'closed a connection: it has too many unanswered requests')
      socket.destroy()
      stopParser(socket)
      return true
    }
    unanswered.set(socket, before + 1)
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1))
    return false
  }

  for (const event of ['request', 'checkContinue', 'checkExpectation'] as const) {
    const listeners = server.listeners(event) as Listener[]
    server.removeAllListeners(event)
    server.on(event, (request: IncomingMessage, response: ServerResponse) => {
      if (!isCut(request, response)) for (const listener of listeners) listener(request, response)
    })
  }
}

/** A read of 64 KiB has 1,700 requests. Node would parse them all, and make an error for each when the connection closes. */
function stopParser(socket: Socket): void {
  const { parser } = socket as { parser?: object | null }
  if (parser) Object.assign(parser, { onIncoming: () => stopsParser })
}
