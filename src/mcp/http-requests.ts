// Requests over HTTP that outlive their use: calls of the older era that were cancelled, and streams that are taken up again.
import type { JSONRPCMessage, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { isObject } from '#core/json.ts'
import { type Later, later } from '#lib/later.ts'
import { lostAnswer } from './answer-body.ts'

/** How long a server gets to end a request by itself after it was told that the request is cancelled. */
const cancelMs = 1_000
const minReconnectMs = 1_000
const maxReconnectMs = 30_000
const lostWords = 'the stream of its answer ended and could not be taken up again'

/** Waits before a stream is taken up again. They grow until a message arrives; a server may only ask for longer ones. */
export function createReconnection(timer: Later = later) {
  let times = 0
  return {
    schedule(reconnect: () => void, delayMs: number): () => void {
      const floorMs = minReconnectMs * 2 ** times++
      return timer(reconnect, Math.min(maxReconnectMs, Math.max(delayMs, floorMs)))
    },
    onMessage(): void {
      times = 0
    },
  }
}

/**
 * Ends the request of a call a while after `notifications/cancelled` has gone out. The client package does so in the newer
 * era alone. A request whose stream cannot be taken up again gets an error: the package would wait for its answer.
 */
export function endRequests(
  transport: Pick<StreamableHTTPClientTransport, 'send' | 'onmessage'>,
  onMessage: () => void,
  timer: Later = later,
): void {
  /** Requests without an answer. The newer era gives its own signal, and ends them itself. */
  const open = new Map<unknown, AbortController | undefined>()
  const send = transport.send.bind(transport)
  type Receive = NonNullable<StreamableHTTPClientTransport['onmessage']>
  let receive: Receive | undefined
  Object.defineProperty(transport, 'onmessage', {
    get: () => receive,
    set(next: Receive | undefined) {
      receive =
        next &&
        ((message) => {
          onMessage()
          if (!('method' in message)) open.delete(message.id)
          next(message)
        })
    },
  })
  const endLost = (id: unknown): void => {
    if (open.has(id)) transport.onmessage?.(lostAnswer(id as string | number, lostWords))
  }
  Object.assign(transport, {
    async send(message: JSONRPCMessage, options?: Parameters<typeof send>[1]) {
      if (!('method' in message)) return send(message, options)
      const { method, params } = message
      if (method === 'notifications/cancelled' && isObject(params)) {
        const { requestId } = params
        const controller = open.get(requestId)
        open.delete(requestId)
        if (controller) timer(() => controller.abort(), cancelMs)
      }
      if (!('id' in message)) return send(message, options)
      const { id } = message
      const controller = options?.requestSignal ? undefined : new AbortController()
      open.set(id, controller)
      try {
        return await send(message, {
          onRequestStreamEnd: () => endLost(id),
          ...(controller && { requestSignal: controller.signal }),
          ...options,
        })
      } catch (error) {
        open.delete(id)
        throw error
      }
    },
  })
}
