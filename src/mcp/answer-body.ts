// Bodies of answers over HTTP, as they come in: one message, or a stream of events. Each message is bounded before it is
// parsed, and only short ones are left to the client package.
import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { isObject, valueIn } from '#core/json.ts'
import { ByteBlocks } from '#lib/byte-blocks.ts'
import { inPace, pace } from '#lib/pace.ts'
import { isMessage, MessageExcess, shortened } from './long-messages.ts'
import { maxMessageBytes } from './message-bounds.ts'
import { takenAnswer } from './taken-answer.ts'

/** The code of an error of this side, in the range that the protocol leaves free. */
export const lostCode = -32_000

/** Bytes passed to the client package at a time: it handles all that it has without yielding to the event loop. */
const pieceBytes = 4 * 1024
/** Of the body of a refusal. */
const maxRefusalBytes = 64 * 1024
const [newline, carriageReturn] = [0x0a, 0x0d]
const lineEnd = Buffer.from([newline])

/** Receives a message in place of the client package. */
export type Deliver = (message: JSONRPCMessage) => void

/** The answer was refused: it must not be asked for again. */
class Refused extends Error {}

/**
 * The body of an answer that is no stream, in one piece. The client package would wait for the answer to a request that is
 * not in it: an error comes in its place.
 */
export async function* wholeOf(
  body: AsyncIterable<Buffer>,
  requestId: unknown,
  deliver: Deliver,
): AsyncGenerator<Buffer> {
  const held = new ByteBlocks()
  for await (const chunk of body) {
    held.add(chunk)
    if (held.size > maxMessageBytes) throw new Refused(tooLargeWords)
  }
  const whole = held.take()
  const text = (await shortText(whole, deliver)) ?? whole
  yield requestId === undefined || !isOther(valueIn(text.toString()), requestId)
    ? text
    : Buffer.from(lostText(requestId, 'it sent no answer to this request'))
}

/** True for messages none of which answers a request. */
function isOther(value: unknown, requestId: unknown): boolean {
  const messages = Array.isArray(value) ? (value as unknown[]) : [value]
  const answers = (message: unknown): boolean =>
    !isMessage(message) ||
    (message['method'] === undefined && [String(requestId), 'null'].includes(String(message['id'])))
  return !messages.some(answers)
}

function lostText(id: unknown, message: string): string {
  return JSON.stringify(lostAnswer(id, message))
}

/** In place of an answer that will not come. */
export function lostAnswer<Id>(id: Id, message: string) {
  return { jsonrpc: '2.0', id, error: { code: lostCode, message } } as const
}

/** The beginning of a body that says why a request failed. */
export async function* startOf(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let left = maxRefusalBytes
  for await (const chunk of body) {
    yield chunk.subarray(0, left)
    left -= chunk.length
    if (left <= 0) return
  }
}

/**
 * A stream of events may be long, each event not. The client package would wait for the answer to a request whose stream
 * is broken: an error is put at its end. A stream whose events have ids is taken up again instead.
 */
export async function* eventsOf(
  body: AsyncIterable<Buffer>,
  requestId: unknown,
  deliver: Deliver,
): AsyncGenerator<Buffer> {
  /** An event whose end has not come yet. */
  const held = new ByteBlocks()
  let tail = '\n'
  let resumable = false
  let refused = false
  let fault = 'the answer ended too early'
  try {
    for await (const chunk of body) {
      const text = tail + chunk.toString('latin1')
      resumable ||= /[\r\n]id:/.test(text)
      const at = Math.max(text.lastIndexOf('\n\n'), text.lastIndexOf('\r\r'), text.lastIndexOf('\n\r\n'))
      // The end of the last whole event of the chunk. An empty line before it is no part of it.
      const end = at < 0 ? 0 : Math.max(0, at + (text[at + 1] === '\r' && text[at] === '\n' ? 3 : 2) - tail.length)
      tail = text.slice(-3)
      held.add(chunk.subarray(0, end))
      if (end > 0) yield* shortEvents(held.take(), requestId, deliver)
      held.add(chunk.subarray(end))
      if (held.size > maxMessageBytes) throw new Refused(tooLargeWords)
    }
    // An event without an end comes again when the stream is taken up again.
    yield* resumable ? inPieces(held.take()) : shortEvents(held.take(), requestId, deliver)
  } catch (error) {
    refused = error instanceof Refused
    if (requestId === undefined || (resumable && !refused)) throw error
    fault = refused ? (error as Error).message : 'the connection was lost'
  }
  if (requestId === undefined || (resumable && !refused)) return
  yield Buffer.from(`\n\nevent: message\ndata: ${lostText(requestId, fault)}\n\n`)
}

/** Passes whole events on: short ones as they are, in pieces, and long ones with a short message. */
async function* shortEvents(events: Buffer, requestId: unknown, deliver: Deliver): AsyncGenerator<Buffer> {
  const data = new ByteBlocks()
  /** The other lines of an event, the last of each kind: `id`, `event`, `retry`. */
  const fields = new Map<string, Buffer>()
  /** What is before has been passed on. */
  let from = 0
  let start = 0
  for (const { line, end } of linesIn(events)) {
    await pace()
    const [, name, before = ''] =
      /^(?:\xef\xbb\xbf)?(data|id|event|retry)(:|$)/.exec(line.toString('latin1', 0, 9)) ?? []
    if (name === 'data') {
      if (data.size > 0) data.add(lineEnd)
      data.add(line.subarray(line.indexOf(name) + name.length + before.length))
    } else if (name !== undefined) fields.set(name, line)
    if (line.length > 0 && end < events.length) continue
    const message = data.take()
    const text = await shortText(message, deliver)
    const texts = text ? [text.toString()] : (batchTexts(message) ?? failureText(message, requestId))
    if (texts) {
      yield* inPieces(events.subarray(from, start))
      // The fields once alone: they may be long, and the messages many.
      const head = [...fields.values()].map((field) => `${field.toString()}\n`).join('')
      yield Buffer.from(head + texts.map((each) => `data: ${each}\n\n`).join(''))
      from = end
    }
    fields.clear()
    start = end
  }
  yield* inPieces(events.subarray(from))
}

/** The messages of a short batch, which the client package does not take in an event. Undefined for what is no batch. */
function batchTexts(message: Buffer): string[] | undefined {
  if (!/^\s*\[/.test(message.toString('latin1', 0, 100))) return undefined
  const batch = valueIn(message.toString())
  return Array.isArray(batch) && batch.length > 0 ? batch.map((each: unknown) => JSON.stringify(each)) : undefined
}

/**
 * In place of an answer that the client package would drop, whereupon the request of this stream would wait: an error without
 * a number, a result that is no object. Undefined for any other event, also for what is no JSON: some servers send a beat.
 */
function failureText(event: Buffer, requestId: unknown): string[] | undefined {
  if (requestId === undefined) return undefined
  const value = valueIn(event.toString())
  if (!isMessage(value) || value['method'] !== undefined || isObject(value['result'])) return undefined
  return [JSON.stringify(takenAnswer({ ...value, id: value['id'] ?? requestId }))]
}

/** The lines of a text without what ends them, and where the next one begins. */
function* linesIn(text: Buffer): Generator<{ readonly line: Buffer; readonly end: number }> {
  let [feed, carriage] = [-1, -1]
  for (let from = 0; from < text.length; ) {
    // Each is looked for only once it is passed: a text may have none of one of them.
    if (feed < from) feed = positionOf(text, newline, from)
    if (carriage < from) carriage = positionOf(text, carriageReturn, from)
    const to = Math.min(feed, carriage)
    const end = Math.min(text.length, to + (feed === to + 1 && carriage === to ? 2 : 1))
    yield { line: text.subarray(from, to), end }
    from = end
  }
}

function positionOf(text: Buffer, byte: number, from: number): number {
  const at = text.indexOf(byte, from)
  return at < 0 ? text.length : at
}

/** Yields to the event loop between pieces of whole lines. The package would look through a part of a line again and again. */
async function* inPieces(events: Buffer): AsyncGenerator<Buffer> {
  for (let from = 0; from < events.length; ) {
    await pace()
    const end = events.indexOf('\n', from + pieceBytes)
    const to = end < 0 ? events.length : end + 1
    yield events.subarray(from, to)
    from = to
  }
}

/**
 * Delivers a long message past the client package, and returns what the package gets on its stream instead: an empty answer,
 * or a notification that it does not know. Undefined for a short message, which it may have.
 */
async function shortText(message: Buffer, deliver: Deliver): Promise<Buffer | undefined> {
  let short: JSONRPCMessage | undefined
  try {
    short = await inPace(shortened(message))
  } catch (error) {
    if (error instanceof MessageExcess) throw new Refused(`the answer has more than ${error.message}`)
    throw new Refused('the answer is no message')
  }
  if (!short) return undefined
  deliver(short)
  const passed = 'method' in short ? { method: 'passed' } : { id: short.id, result: {} }
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...passed }))
}

const tooLargeWords = `the answer is over ${maxMessageBytes / 1024 / 1024} MiB`
