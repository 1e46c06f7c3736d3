// Long messages of a server. The client package parses, checks and copies all of a message at once: a long one is parsed here
// in pieces, and the package gets a short one in its place, which carries the result along.
import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { isObject } from '#core/json.ts'
import { boundWords, JsonCount } from '#lib/json-bounds.ts'
import { parseInPieces } from '#lib/json-pieces.ts'
import { messageBounds } from './message-bounds.ts'

/** A message with more of either is long. The package takes 30 ms for a thousand values that it does not expect. */
const maxShort = { bytes: 256 * 1024, values: 1_000 }
/** Bytes counted at a time. */
const countBytes = 256 * 1024
/** Far more than is shown: secrets are masked before it is cut. */
const maxTextChars = 64 * 1024
/** Members of params or a result that the package gets too, and values of each. */
const [maxMembers, maxValues] = [20, 50]

/** Where a short message has the long params or the long result. The package passes on what it does not know. */
const longKey = 'atrium/long'

/** Of a class: what a server writes cannot be one. */
class Long {
  readonly value: unknown
  constructor(value: unknown) {
    this.value = value
  }
}

/** A message over its bounds, which is not parsed. */
export class MessageExcess extends Error {}

/** The short message in place of a long one; undefined for one that is short. Throws MessageExcess and SyntaxError. */
export function* shortened(json: Buffer): Generator<void, JSONRPCMessage | undefined> {
  const count = new JsonCount(json, messageBounds)
  while (!count.done) {
    const excess = count.next(countBytes)
    if (excess) throw new MessageExcess(boundWords(messageBounds, excess.bound))
    yield
  }
  if (json.length <= maxShort.bytes && count.values <= maxShort.values) return undefined
  const message = yield* parseInPieces(json)
  if (Array.isArray(message) && message.some(isMessage)) throw new MessageExcess('one message in it')
  if (!isMessage(message)) throw new SyntaxError('it is no message')
  return short(message)
}

export function isMessage(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && value['jsonrpc'] === '2.0'
}

/** What stands in a message: the params or result that the package gave, or the long ones that it stands for. */
export function wholeOfShort(given: unknown): unknown {
  const meta = isObject(given) ? given['_meta'] : undefined
  const long = isObject(meta) ? meta[longKey] : undefined
  return long instanceof Long ? long.value : given
}

function short({ id, method, params, result, error }: Readonly<Record<string, unknown>>): JSONRPCMessage {
  const head = { jsonrpc: '2.0', ...(typeof id === 'object' ? {} : { id }) }
  if (method !== undefined)
    return { ...head, method: textOf(method), params: { ...emptyForm, ...shortParts(params) } } as never
  if (!isObject(error)) return { ...head, result: { ...emptyResult, ...shortParts(result) } } as never
  return { ...head, error: { code: error['code'], message: textOf(error['message']) } } as never
}

/** A form that the package takes. */
const emptyForm = { message: '', requestedSchema: { type: 'object', properties: {} } }
/** What the package expects of the result of a call, of a list, and of one that asks for input. */
const emptyResult = { content: [], tools: [], requestState: '' }

/** Short members, such as the kind of a result and the abilities of a server, the beginning of texts, and the whole. */
function shortParts(value: unknown): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const [name, each] of Object.entries(isObject(value) ? value : {}).slice(0, maxMembers)) {
    if (typeof each === 'string') kept[name] = textOf(each)
    else if (isShort(each, { values: maxValues, chars: maxTextChars })) kept[name] = each
  }
  return { ...kept, _meta: { [longKey]: new Long(value) } }
}

/** True for a value with no more than what is left; takes it from that. */
function isShort(value: unknown, left: { values: number; chars: number }): boolean {
  left.values--
  if (typeof value === 'string') left.chars -= value.length
  if (left.values < 0 || left.chars < 0) return false
  return typeof value !== 'object' || value === null || Object.values(value).every((each) => isShort(each, left))
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, maxTextChars) : ''
}
