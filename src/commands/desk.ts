// The operator's desk through the socket of a running service. Each call finds the socket anew: a service that was
// restarted is the same desk.
import type { ListChange } from '#core/bus.ts'
import { AppError } from '#core/errors.ts'
import type { Desk } from '#turns/operator.ts'
import type { Watched } from '#turns/watch.ts'
import { findSocket } from '#home/socket.ts'
import { callService, linesOf } from './attach.ts'

/** The desk of the service that runs on a home. Every verb throws shutting_down while none does. */
export function attachedDesk(home: string): Desk {
  // What the service sends is ours: the same types stand on both sides of the socket.
  const ask = async (verb: string, body: object = {}): Promise<never> =>
    (await callService(socketOf(home), { method: 'POST', path: `/desk/${verb}`, body })) as never
  async function* follow<T>(verb: string, body: object, signal: AbortSignal): AsyncGenerator<T> {
    const lines = linesOf(socketOf(home), { method: 'POST', path: `/desk/${verb}`, body, signal })
    try {
      for await (const line of lines) yield JSON.parse(line) as T
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
  return {
    send: (message, threadId, files) => ask('send', { message, threadId, files }),
    cancel: (turnId) => ask('cancel', { turnId }),
    answer: (threadId, said) => ask('answer', { threadId, said }),
    thread: async (threadId) => (await ask('thread', { threadId })) ?? undefined,
    threads: () => ask('threads'),
    gates: () => ask('gates'),
    receipt: async (turnId) => (await ask('receipt', { turnId })) ?? undefined,
    status: () => ask('status'),
    tools: () => ask('tools'),
    memory: (query) => ask('memory', { query }),
    watch: (threadId, after, signal) => follow<readonly Watched[]>('watch', { threadId, after }, signal),
    changes: (signal) => follow<readonly ListChange[]>('changes', {}, signal),
  }
}

function socketOf(home: string): string {
  const socket = findSocket(home)
  if (socket === undefined) throw new AppError('shutting_down', 'no service runs on this home')
  return socket
}
