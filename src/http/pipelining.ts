// A bound on the requests that a client sends over one connection without waiting for their answers, and their pace.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Log, warnSparingly } from '#lib/log.ts'
import { pace } from '#lib/pace.ts'

/** Node hands out all requests of one read at once: 64 KiB without a token have 1,700 of them, and block the event loop. */
const maxUnanswered = 64

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Cuts a connection with too many unanswered requests. Further ones before begin in the pace of the event loop: a few
 * connections bring a thousand requests in one turn of it. It takes the place of the listeners for requests that the server has,
 * and calls them: add them first.
 */
export function boundPipelining(server: Server, log: Log): void {
  const warn = warnSparingly(log)
  const unanswered = new WeakMap<Socket, number>()
  /** Resolves when the latest request that waits begins: they begin in their order. */
  const latest = new WeakMap<Socket, Promise<void>>()

  function isCut({ socket }: IncomingMessage, response: ServerResponse): boolean {
    if (socket.destroyed) return true
    const before = unanswered.get(socket) ?? 0
    if (before >= maxUnanswered) {
      warn({ unanswered: before }, 'closed a connection: it has too many unanswered requests')
      socket.destroy()
      return true
    }
    unanswered.set(socket, before + 1)
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1))
    return false
  }

  /** Undefined for a request that may begin at once: the only one of its connection. */
  function pauseBefore({ socket }: IncomingMessage): Promise<void> | undefined {
    if (unanswered.get(socket) === 1) return undefined
    const pause = latest.get(socket)?.then(() => pace()) ?? pace()
    if (pause) latest.set(socket, pause)
    return pause
  }

  for (const event of ['request', 'checkContinue', 'checkExpectation'] as const) {
    const listeners = server.listeners(event) as Listener[]
    server.removeAllListeners(event)
    server.on(event, (request: IncomingMessage, response: ServerResponse) => {
      if (isCut(request, response)) return
      const pause = pauseBefore(request)
      if (!pause) begin(listeners, request, response)
      else void pause.then(() => request.socket.destroyed || begin(listeners, request, response))
    })
  }
}

function begin(listeners: readonly Listener[], request: IncomingMessage, response: ServerResponse): void {
  for (const listener of listeners) listener(request, response)
}
