// The hash chain of a conversation as an API client sees it. Clients send their whole history with each request; the chain
// tells which thread, and which point of it, a history belongs to. It covers roles, texts without white space, ids of calls
// and their outputs. Instructions and reasoning are no part of it.
import { createHash, type Hash, hash } from 'node:crypto'
import { isAssistantMessage, type Item, textOf } from './item.ts'

/** A message of a history, as both API doors read it. `media` are the URLs and files of a user message. */
export type ChainMessage =
  | { readonly role: 'user'; readonly text: string; readonly media?: readonly string[] }
  | { readonly role: 'assistant'; readonly text: string; readonly callIds?: readonly string[] }
  | { readonly role: 'tool'; readonly callId: string; readonly text: string }

/** The state of a history right after an answer: `count` messages up to there, and their hash. */
export type ChainPoint = { readonly count: number; readonly hash: string }

export type Chain = {
  /** One point for each answer in the history, in order. */
  readonly points: readonly ChainPoint[]
  /** The hash of all messages. The point of the next answer continues it. */
  readonly history: string
}

/** Hashed without a pause: a few milliseconds. */
const sliceChars = 256 * 1024

/**
 * Hashes a history message by message, in linear time. Assistant messages in a row are one answer: clients split and join
 * them. `from` is the hash that the messages continue.
 */
export class ChainWriter {
  readonly #points: ChainPoint[] = []
  readonly #text = new HashedText()
  #count = 0
  #callIds: string[] | undefined

  constructor(from = '') {
    this.#text.begin(from)
  }

  /** Hashes a message. Yields within a long one, for others to go on. */
  *add(message: ChainMessage): Generator<void, void> {
    const text = this.#text
    if (message.role === 'assistant') {
      if (!this.#callIds) {
        text.begin(text.digest())
        this.#callIds = []
      }
      yield* inSlices(text, message.text)
      for (const id of message.callIds ?? []) this.#callIds.push(id)
    } else {
      this.#closeAnswer()
      if (message.role === 'tool') text.part('t', message.callId)
      text.part('u', '')
      yield* inSlices(text, message.text)
      for (const each of message.role === 'user' ? (message.media ?? []) : []) {
        text.part('m', '')
        yield* inSlices(text, each)
      }
    }
    this.#count++
  }

  /** Call once, at the end. */
  end(): Chain {
    this.#closeAnswer()
    return { points: this.#points, history: this.#text.digest() }
  }

  #closeAnswer(): void {
    if (!this.#callIds) return
    for (const id of this.#callIds) this.#text.part('c', id)
    const point = this.#text.digest()
    this.#points.push({ count: this.#count, hash: point })
    this.#callIds = undefined
    this.#text.begin(point)
  }
}

function* inSlices(text: HashedText, whole: string): Generator<void, void> {
  for (let at = 0; at < whole.length; at += sliceChars) {
    if (at > 0) yield
    text.more(whole.slice(at, at + sliceChars))
  }
}

/** The point after the answer that a turn gave: the texts of its messages and the calls that its caller has to run. */
export function pointAfter(history: string, items: readonly Item[]): string {
  const text = new HashedText()
  text.begin(history)
  for (const item of items) if (isAssistantMessage(item)) text.more(textOf(item))
  return pointOf(text, items)
}

/** The same. Yields within a long answer, for others to go on. */
export function* pointInSlices(history: string, items: readonly Item[]): Generator<void, string> {
  const text = new HashedText()
  text.begin(history)
  for (const item of items) if (isAssistantMessage(item)) yield* inSlices(text, textOf(item))
  return pointOf(text, items)
}

function pointOf(text: HashedText, items: readonly Item[]): string {
  for (const item of items) if (item.type === 'gate' && item.kind === 'output') text.part('c', item.callId)
  return text.digest()
}

const lineBreak = 10
const bufferBytes = 2 * 1024
/** A UTF-16 unit takes at most three bytes. */
const maxUnitBytes = 3

/** Collects texts without white space and hashes them. Written for speed: a request brings its whole history. */
class HashedText {
  readonly #bytes = Buffer.allocUnsafe(bufferBytes)
  #used = 0
  #stream: Hash | undefined

  /** Starts the text that continues a hash. */
  begin(before: string): void {
    this.#used = 0
    this.#stream = undefined
    this.more(before)
    this.#breakLine()
  }

  more(text: string): void {
    const { length } = text
    for (let from = 0; from < length; ) {
      const to = Math.min(length, from + Math.floor((bufferBytes - this.#used) / maxUnitBytes))
      this.#used = writeUnits(text, { from, to }, this.#bytes, this.#used)
      from = to
      if (from < length) this.#flush()
    }
  }

  /** A text of its own. No text contains a line break, so texts cannot be confused. */
  part(kind: string, text: string): void {
    this.#breakLine()
    this.more(kind)
    this.more(text)
  }

  digest(): string {
    if (!this.#stream) return hash('sha256', this.#bytes.subarray(0, this.#used), 'base64url')
    this.#flush()
    return this.#stream.digest('base64url')
  }

  #flush(): void {
    this.#stream ??= createHash('sha256')
    this.#stream.update(this.#bytes.subarray(0, this.#used))
    this.#used = 0
  }

  #breakLine(): void {
    if (this.#used === bufferBytes) this.#flush()
    this.#bytes[this.#used++] = lineBreak
  }
}

/** Writes a piece of text without its white space; returns the end of what is written. */
function writeUnits(text: string, { from, to }: { from: number; to: number }, bytes: Buffer, start: number): number {
  let used = start
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at)
    if (unit > 32 && unit < 0x80) {
      bytes[used++] = unit
    } else if (!isSpace(unit)) {
      bytes[used++] = 0xe0 | (unit >> 12)
      bytes[used++] = 0x80 | ((unit >> 6) & 0x3f)
      bytes[used++] = 0x80 | (unit & 0x3f)
    }
  }
  return used
}

/** The white space of JavaScript's `\s`. */
function isSpace(unit: number): boolean {
  if (unit < 0xa0) return unit === 32 || (unit >= 9 && unit <= 13)
  if (unit < 0x1680) return unit === 0xa0
  return otherSpaces.has(unit)
}

const otherSpaces: ReadonlySet<number> = new Set([
  0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x2028, 0x2029,
  0x202f, 0x205f, 0x3000, 0xfeff,
])
