// Answers of a server as the client package takes them. It drops any other, and the request would wait until its time is over.
import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { isObject } from '#core/json.ts'

/** The protocol's code for a fault of the server itself. */
const serverFaultCode = -32_603
const noResult = 'its answer is neither an object nor an error'

/** The message as the package takes it. An answer with neither a result nor an error becomes an error that says so. */
export function takenAnswer(message: Readonly<Record<string, unknown>>): JSONRPCMessage {
  const { id, method, error, result } = message
  if (method !== undefined || (typeof id !== 'string' && typeof id !== 'number')) return message as JSONRPCMessage
  const head = { jsonrpc: '2.0', id } as const
  if (isObject(error)) {
    const { code, message: words, data } = error
    const known = Number.isSafeInteger(code) ? code : serverFaultCode
    return { ...head, error: { code: known, message: typeof words === 'string' ? words : '', data } } as JSONRPCMessage
  }
  if (!isObject(result)) return { ...head, error: { code: serverFaultCode, message: noResult } }
  const { _meta: meta, ...rest } = result
  return { ...head, result: isObject(meta) ? result : rest }
}
