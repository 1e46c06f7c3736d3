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

const maxFieldBytes = 100

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

  /** The position after the string, or one from `until` on if it does not end before. */
  function afterString(from: number, until: number): number {
    let here = from
    while (here < until && text[here] !== quote) here += text[here] === backslash ? 2 : 1
    inString = here >= until
    if (inString) return here
    if (level === 1) end = here
    return here + 1
  }

  function excess(bound: keyof JsonBounds): Excess {
    at = text.length
    return {
      bound,
      field: Buffer.from(text.subarray(field[0], Math.min(field[1], field[0] + maxFieldBytes))).toString('utf8'),
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
      // A local variable: this loop is as fast as the bytes can be read.
      let here = inString ? afterString(at, until) : at
      while (here < until) {
        const byte = text[here++] ?? 0
        if (byte <= highestSpace) continue
        const first = opened
        opened = false
        if (first && byte !== closeArray && byte !== closeObject && ++values > bounds.values) return excess('values')
        switch (byte) {
          case quote:
            if (level === 1) start = here
            here = afterString(here, until)
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
            while (here < until && !isStructural(text[here] ?? 0)) here++
        }
      }
      at = here
      return undefined
    },
  }
}

/** False for bytes of numbers and literals, and for white space after them. */
function isStructural(byte: number): boolean {
  if (byte < comma) return byte === quote
  return byte === comma || byte === colon || byte === openArray || byte === closeArray || byte >= openObject
}
