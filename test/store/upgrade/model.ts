// The model that old versions talk to: it does what a message says.
import {
  callChunk,
  lastChunks,
  lastSaid,
  messagesOf,
  type ModelServer,
  startAnswer,
  startModelServer,
  textChunk,
} from '../../replicas/model.ts'

export type { ModelServer }

/** The key that seals the secrets of all old databases. */
export const sharedKey = 'ab'.repeat(32)

const used = { prompt: 100, completion: 10 }

/** `calc`, `pay` and `ask` call a tool, `fail` is refused; everything else is answered. */
export function startUpgradeModel(): Promise<ModelServer> {
  return startModelServer(async (request, response) => {
    if (request.url?.startsWith('/pay')) {
      await request.resume().toArray()
      response.end('paid')
      return
    }
    const messages = await messagesOf(request)
    const said = lastSaid(messages)
    const asks = messages.at(-1)?.role === 'user'
    if (/\bfail\b/.test(said)) {
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end('{"error":{"message":"refused"}}')
      return
    }
    startAnswer(response)
    const host = String(request.headers.host)
    const call = asks ? callFor(said, host) : undefined
    if (call) response.end(callChunk(call.name, call.args) + lastChunks('tool_calls', used))
    else response.end(textChunk(`you said: ${said.slice(0, 40)}`) + lastChunks('stop', used))
  })
}

function callFor(said: string, host: string) {
  if (/\bcalc\b/.test(said)) return { name: 'calculate', args: { expression: '6 * 7' } }
  if (/\bpay\b/.test(said)) return { name: 'http_request', args: { method: 'POST', url: `http://${host}/pay` } }
  return /\bask\b/.test(said) ? { name: 'mine', args: { q: 1 } } : undefined
}
