// Counts values, field names and levels of a JSON text in its bytes, before it is parsed: a parsed text can take twenty
// times the memory of its bytes, and parsing blocks the event loop.

export type JsonBounds = {
  readonly values: number
  /** Members of objects. They cost more than values: each may need a hidden class of its own. */
  readonly names: number
  readonly levels: number
}

/** The bound that a text exceeds, and the field of the outermost object in which it does; '' when there is none. */
export type Excess = { readonly bound: keyof JsonBounds; readonly field: string }

export interface JsonCount {
  readonly values: number
  readonly names: number
  /** True when the whole text is counted. */
  readonly done: boolean
  /** Counts the next `bytes` of the text. Returns the first excess; the count ends there. */
  next(bytes: number): Excess | undefined
}

const maxFieldChars = 100

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]
const highestSpace = 0x20

/** Counts are exact for valid JSON. For any other text they are not, but parsing it costs no more than they allow. */
export function countJson(text: Uint8Array, bounds: JsonBounds): JsonCount {
  let at = 0
  let values = 1
  let names = 0
  let level = 0
  /** The last byte that is not white space opened an array or object, which may still turn out empty. */
  let opened = false
  let inString = false
  /** Position of the last string on the first level: the name of a field when a colon follows. */
  let [start, end] = [0, 0]
  let field: readonly [number, number] = [0, 0]

  /** Moves past the string, or to `until`. */
  function skipString(until: number): void {
    while (at < until && text[at] !== quote) at += text[at] === backslash ? 2 : 1
    if (at >= until) return
    inString = false
    if (level === 1) end = at
    at++
  }

  function excess(bound: keyof JsonBounds): Excess {
    at = text.length
    return {
      bound,
      field: Buffer.from(text.subarray(...field))
        .toString('utf8')
        .slice(0, maxFieldChars)
        .toWellFormed(),
    }
  }

  return {
    get values() {
      return values
    },
    get names() {
      return names
    },
    get done() {
      return at >= text.length
    },
    next(bytes) {
      const until = Math.min(text.length, at + bytes)
      if (inString) skipString(until)
      while (at < until) {
        const byte = text[at++] ?? 0
        if (byte <= highestSpace) continue
        const first = opened
        opened = false
        if (first && byte !== closeArray && byte !== closeObject && ++values > bounds.values) return excess('values')
        switch (byte) {
          case quote:
            inString = true
            if (level === 1) start = at
            skipString(until)
            break
          case comma:
            if (++values > bounds.values) return excess('values')
            break
          case colon:
            if (level === 1) field = [start, end]
            if (++names > bounds.names) return excess('names')
            break
          case openArray:
          case openObject:
            if (++level > bounds.levels) return excess('levels')
            opened = true
            break
          case closeArray:
          case closeObject:
            level--
            break
          default:
        }
      }
      return undefined
    },
  }
}
