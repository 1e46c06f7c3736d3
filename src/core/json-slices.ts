// JSON of values that may hold megabytes of text, written in slices so that the caller can yield to the event loop between them.

/** JSON.stringify escapes 64 K letters in less than 10 ms, even where each of them is half a pair. */
const sliceChars = 64 * 1024
/** A text of so many letters is followed by a pause: there may be a hundred of them. */
const minPauseChars = 4 * 1024
/** Shorter texts are written at once. */
const minLongChars = 4 * sliceChars

/** True when the strings of a value have so many letters together that its JSON should be written in slices. */
export function isLong(value: unknown): boolean {
  let left = minLongChars
  const take = (each: unknown): boolean => {
    if (typeof each === 'string') left -= each.length
    else if (typeof each === 'object' && each !== null) for (const inner of Object.values(each)) if (take(inner)) break
    return left <= 0
  }
  return take(value)
}

type JsonOptions = {
  /** Gives the keys of an object in another order. */
  readonly keysOf?: (value: object) => string[]
  /** Objects and lists nested deeper are written as `…`. */
  readonly levels?: number
}

/** The text that JSON.stringify writes of JSON data. */
export function* jsonInSlices(value: unknown, options: JsonOptions = {}): Generator<void, string> {
  if (typeof value === 'string') {
    if (value.length > minPauseChars) return yield* textInSlices(value)
    return JSON.stringify(value)
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const { keysOf = Object.keys, levels = Number.POSITIVE_INFINITY } = options
  if (levels === 0) return '…'
  const inner = { keysOf, levels: levels - 1 }
  const parts: string[] = []
  if (Array.isArray(value)) {
    for (const each of value) parts.push(yield* jsonInSlices(each, inner))
    return `[${parts.join(',')}]`
  }
  for (const key of keysOf(value)) {
    const each = (value as Record<string, unknown>)[key]
    if (each !== undefined) parts.push(`${JSON.stringify(key)}:${yield* jsonInSlices(each, inner)}`)
  }
  return `{${parts.join(',')}}`
}

/** For canonical JSON. */
export function sortedKeys(value: object): string[] {
  return Object.keys(value).sort()
}

function* textInSlices(text: string): Generator<void, string> {
  let json = '"'
  for (let from = 0; from < text.length; ) {
    const end = from + sliceChars
    // Both halves of a pair are written together: one alone would be escaped.
    const to = isPair(text, end - 1) ? end + 1 : end
    json += JSON.stringify(text.slice(from, to)).slice(1, -1)
    from = to
    yield
  }
  return `${json}"`
}

function isPair(text: string, at: number): boolean {
  return (text.codePointAt(at) ?? 0) > 0xffff
}
