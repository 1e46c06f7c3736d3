// JSON that is passed on as written: numbers that JSON.parse would change keep their source text.
import { parseInPieces } from '#lib/json-pieces.ts'

/** ECMAScript functions that TypeScript has no types for yet. */
type SourceJson = {
  rawJSON(text: string): object
  isRawJSON(value: unknown): boolean
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
}
const source = JSON as unknown as SourceJson

/** Larger texts get plain numbers. */
export const maxLosslessValues = 30_000
/** Reading a number with its source takes 2 µs: these are read in less than 10 ms. */
const pieceBytes = 8 * 1024

/** Matches every number that is not written as JSON.stringify would write it, in what stands between strings. */
const oddNumber = /(?:^|[[:,\s])(?:-?(?:[\d.]{16}|\d+\.\d*0(?:$|[\s,}\]])|\d+(?:\.\d+)?[eE])|-0(?:$|[\s,}\]]))/

/**
 * Parses JSON. A number that would lose digits or its spelling becomes a raw value that JSON.stringify writes out
 * unchanged. Such a value can be written again, but not calculated with: to a check it looks like an object.
 * Throws SyntaxError.
 */
export function parseLossless(text: string): unknown {
  if (!mayLoseDigits(text)) return JSON.parse(text)
  return source.parse(text, (_key, value, context) => {
    if (typeof value !== 'number' || context.source === undefined) return value
    return JSON.stringify(value) === context.source ? value : source.rawJSON(context.source)
  })
}

/** The same for a text in UTF-8. Yields after each piece. */
export function parseLosslessInPieces(bytes: Buffer): Generator<void, unknown> {
  return parseInPieces(bytes, parseLossless, pieceBytes)
}

/** The keys that lead to a value in a body. */
export type Path = readonly [...PropertyKey[], last: PropertyKey]

/** Finds the values of a parsed body whose numbers are kept as written. */
export type FindExact = (body: unknown) => readonly Path[]

/** Takes these values from a lossless parse of the same body, if they have numbers that would lose digits. */
export function takeExact(body: unknown, lossless: unknown, paths: readonly Path[]): void {
  for (const path of paths) {
    const value = valueAt(lossless, path)
    if (!hasRawNumbers(value)) continue
    const parent = valueAt(body, path.slice(0, -1)) as Record<PropertyKey, unknown>
    parent[path.at(-1) as PropertyKey] = value
  }
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | null | undefined)?.[key], value)
}

/** No odd number fits between two strings that are closer. */
const minBetweenChars = 4

/** False when all numbers in a JSON text are written as JSON.stringify would write them. Strings, which may be long, are passed. */
export function mayLoseDigits(text: string): boolean {
  for (let from = 0; ; ) {
    const quote = text.indexOf('"', from)
    if (quote === -1) return oddNumber.test(text.slice(from))
    if (quote - from >= minBetweenChars && oddNumber.test(text.slice(from, quote))) return true
    from = stringEnd(text, quote + 1)
    if (from === 0) return false
  }
}

/** The place behind the quote that ends a string; 0 if none does. */
function stringEnd(text: string, from: number): number {
  for (let quote = text.indexOf('"', from); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let escapes = 0
    while (text[quote - 1 - escapes] === '\\') escapes++
    if (escapes % 2 === 0) return quote + 1
  }
  return 0
}

/** True for a number that is kept as its source text. */
export function isRawNumber(value: unknown): boolean {
  return source.isRawJSON(value)
}

/** True for a value that contains a raw number. */
export function hasRawNumbers(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return isRawNumber(value) || Object.values(value).some(hasRawNumbers)
}

/** Replaces raw numbers by the nearest plain ones. */
export function withPlainNumbers<T>(value: T): T {
  return hasRawNumbers(value) ? (JSON.parse(JSON.stringify(value)) as T) : value
}
