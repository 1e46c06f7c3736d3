// JSON of values that may hold megabytes of text, written in slices so that the caller can yield to the event loop between them.
import { someIn } from './json.ts'

/** JSON.stringify escapes 64 K letters in less than 10 ms, even where each of them is half a pair. */
const sliceChars = 64 * 1024
/** Shorter texts are written at once. */
export const minLongChars = 4 * sliceChars
/** Writing one value takes as long as a text of this many letters. */
const valueChars = 16

/** A function of ECMAScript that TypeScript has no types for yet. Raw values are numbers that keep their source text. */
const source = JSON as unknown as { isRawJSON(value: unknown): boolean }

/** True for a value that is so large that its JSON should be written in slices. */
export function isLong(value: unknown, minChars = minLongChars): boolean {
  return roughChars(value, minChars) >= minChars
}

/** About as many characters as the JSON of a value has, without writing it. The count ends soon after `max`. */
export function roughChars(value: unknown, max: number): number {
  let chars = 0
  const take = (each: unknown): boolean => {
    chars += valueChars
    if (typeof each === 'string') chars += each.length
    else if (typeof each === 'object' && each !== null) someIn(each, take)
    return chars >= max
  }
  take(value)
  return chars
}

type JsonOptions = {
  /** Gives the keys of an object in another order. */
  readonly keysOf?: (value: object) => string[]
  /** Objects and lists nested deeper are written as `…`. */
  readonly levels?: number
}

/** The text that JSON.stringify writes of JSON data, in slices of some 64 K letters. */
export function* jsonInSlices(value: unknown, options: JsonOptions = {}): Generator<string, void> {
  const slice: Slice = { text: '', values: 0 }
  if (isShort(value)) slice.text = shortJson(value)
  else yield* write(value as object | string, slice, options)
  yield slice.text
}

/** Text written since the last slice. */
type Slice = { text: string; values: number }

function* write(value: object | string, slice: Slice, options: JsonOptions): Generator<string, void> {
  if (typeof value === 'string') {
    yield* writeText(value, slice)
    return
  }
  const { keysOf = Object.keys, levels = Number.POSITIVE_INFINITY } = options
  if (levels === 0) {
    slice.text += '…'
    return
  }
  const inner = { keysOf, levels: levels - 1 }
  const isList = Array.isArray(value)
  let before = isList ? '[' : '{'
  for (const key of isList ? value.keys() : keysOf(value)) {
    const each = (value as Record<string, unknown>)[key]
    if (each === undefined && !isList) continue
    slice.text += isList ? before : `${before}${JSON.stringify(key)}:`
    before = ','
    if (isShort(each)) slice.text += shortJson(each)
    else yield* write(each as object | string, slice, inner)
    if (++slice.values * valueChars + slice.text.length >= sliceChars) yield take(slice)
  }
  if (before !== ',') slice.text += before
  slice.text += isList ? ']' : '}'
}

function* writeText(text: string, slice: Slice): Generator<string, void> {
  slice.text += '"'
  for (const part of textInSlices(text)) {
    slice.text += JSON.stringify(part).slice(1, -1)
    yield take(slice)
  }
  slice.text += '"'
}

/** A text in slices of some 64 K letters. Both halves of a pair are in one: alone they would be escaped or replaced. */
export function* textInSlices(text: string): Generator<string, void> {
  for (let from = 0; from < text.length; ) {
    const end = from + sliceChars
    const to = isPair(text, end - 1) ? end + 1 : end
    yield text.slice(from, to)
    from = to
  }
}

function take(slice: Slice): string {
  const { text } = slice
  slice.text = ''
  slice.values = 0
  return text
}

/** True for a value that is written at once. */
function isShort(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= sliceChars
  return typeof value !== 'object' || value === null || source.isRawJSON(value)
}

function shortJson(value: unknown): string {
  return JSON.stringify(value) ?? 'null'
}

/** For canonical JSON. */
export function sortedKeys(value: object): string[] {
  return Object.keys(value).sort()
}

function isPair(text: string, at: number): boolean {
  return (text.codePointAt(at) ?? 0) > 0xffff
}
