// Answers to the requests of a server, such as its pings. Over HTTP each is a connection of its own: a server that asks
// without end would take every one that this process can have.
import type { Transport } from '@modelcontextprotocol/client'

/** Answers under way at once. */
const maxAnswers = 32

/**
 * Closes the transport of a server that asks for too much at once; what it still asks gets no answer. Returns a function
 * that says why it was closed.
 */
export function boundAnswers(transport: Transport): () => string | undefined {
  const send: Transport['send'] = transport.send.bind(transport)
  let answers = 0
  let stopped = false

  async function sendBounded(...[message, options]: Parameters<Transport['send']>): Promise<void> {
    if ('method' in message) return send(message, options)
    if (!stopped && answers >= maxAnswers) {
      stopped = true
      void transport.close().catch(() => {})
    }
    if (stopped) return
    answers++
    await send(message, options).finally(() => answers--)
  }

  Object.assign(transport, { send: sendBounded })
  return () => (stopped ? `it asked for more than ${maxAnswers} answers at once and was stopped` : undefined)
}
