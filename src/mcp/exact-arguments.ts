// Sends the arguments of a call as the text that the model wrote: a parsed number may lose digits.
import { randomUUID } from 'node:crypto'
import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { isObject } from '#core/json.ts'

/** The text of each parsed object of arguments that is under way. */
export type ExactArguments = WeakMap<object, string>

/** A call with a placeholder for its arguments, whose text is known; undefined for other messages. */
export function exactCall(message: JSONRPCMessage, exact: ExactArguments) {
  const params: unknown = 'params' in message ? message.params : undefined
  const args = isObject(params) ? params['arguments'] : undefined
  const text = isObject(args) ? exact.get(args) : undefined
  if (text === undefined || !isObject(params)) return undefined
  const placeholder = randomUUID()
  return { message: { ...message, params: { ...params, arguments: placeholder } }, placeholder, text }
}

/** A message as one line of JSON. */
export function messageText(message: JSONRPCMessage, exact: ExactArguments): string {
  const call = exactCall(message, exact)
  if (!call) return JSON.stringify(message)
  // Within a string of JSON line ends are escaped: those that are left are white space.
  return JSON.stringify(call.message).replace(`"${call.placeholder}"`, () => call.text.replaceAll(/[\r\n]/g, ' '))
}
