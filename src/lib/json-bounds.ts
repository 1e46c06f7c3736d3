// Counts values, field names and levels of a JSON text in its bytes, before it is parsed: a parsed text can take twenty
// times the memory of its bytes, and parsing blocks the event loop.

export type JsonBounds = {
  readonly values: number
  /** Members of objects. They cost more than values: each may need a hidden class of its own. */
  readonly names: number
  /** Members of one object, which code checks and copies at once. Default: `names`. */
  readonly members?: number
  readonly levels: number
}

/**
 * The bound that a text exceeds, and the field of the outermost object in which it does; '' when there is none. `run`: too
 * much white space, or too long a number or field name.
 */
export type Excess = { readonly bound: keyof JsonBounds | 'run'; readonly field: string }

const maxFieldBytes = 100
/**
 * White space, a number or a field name with more bytes is refused in every text: JSON that is parsed or written in pieces
 * is not cut there, and no program writes it.
 */
const maxRunBytes = 256 * 1024
/** A member is at least `"":0,`. */
const minMemberBytes = 5

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]
const highestSpace = 0x20

/** Counts are exact for valid JSON. For any other text they are not, but parsing it costs no more than they allow. */
export class JsonCount {
  readonly #text: Uint8Array
  readonly #bounds: JsonBounds
  #at = 0
  #values = 1
  #names = 0
  #level = 0
  /** The members of each open object. Absent for a text that is too short for many. */
  readonly #members: number[] | undefined
  /** The last byte that is not white space opened an array or object, which may still turn out empty. */
  #opened = false
  #inString = false
  /** Where the last string, bracket, comma or colon ended: what follows is white space, a number or a literal. */
  #run = 0
  /** Position of the last string: the name of a field when a colon follows. */
  #start = 0
  #end = 0
  #field: readonly [number, number] = [0, 0]

  constructor(text: Uint8Array, bounds: JsonBounds) {
    this.#text = text
    this.#bounds = bounds
    const { members = Number.POSITIVE_INFINITY } = bounds
    if (text.length > minMemberBytes * members) this.#members = []
  }

  get values(): number {
    return this.#values
  }

  get names(): number {
    return this.#names
  }

  /** True when the whole text is counted. */
  get done(): boolean {
    return this.#at >= this.#text.length
  }

  /** Counts the next `bytes` of the text. Returns the first excess; the count ends there. */
  next(bytes: number): Excess | undefined {
    const text = this.#text
    const bounds = this.#bounds
    const until = Math.min(text.length, this.#at + bytes)
    // A local variable: this loop is as fast as the bytes can be read.
    let here = this.#inString ? this.#afterString(this.#at, until) : this.#at
    let run = here === this.#at ? this.#run : here
    while (here < until) {
      const byte = text[here++] ?? 0
      if (byte <= highestSpace) continue
      if (here - 1 - run > maxRunBytes) return this.#excess('run')
      const first = this.#opened
      this.#opened = false
      if (first && byte !== closeArray && byte !== closeObject && ++this.#values > bounds.values) {
        return this.#excess('values')
      }
      switch (byte) {
        case quote:
          this.#start = here
          here = this.#afterString(here, until)
          break
        case comma:
          if (++this.#values > bounds.values) return this.#excess('values')
          break
        case colon:
          if (this.#level === 1) this.#field = [this.#start, this.#end]
          if (this.#end - this.#start > maxRunBytes) return this.#excess('run')
          if (++this.#names > bounds.names) return this.#excess('names')
          if (this.#members && this.#addMember(this.#members)) return this.#excess('members')
          break
        case openArray:
        case openObject:
          if (++this.#level > bounds.levels) return this.#excess('levels')
          this.#opened = true
          this.#members?.push(0)
          break
        case closeArray:
        case closeObject:
          this.#level--
          this.#members?.pop()
          break
        default:
          while (here < until && !isStructural(text[here] ?? 0)) here++
          continue
      }
      run = here
    }
    if (here - run > maxRunBytes) return this.#excess('run')
    this.#at = here
    this.#run = run
    return undefined
  }

  /** The position after the string, or one from `until` on if it does not end before. */
  #afterString(from: number, until: number): number {
    const text = this.#text
    let here = from
    while (here < until && text[here] !== quote) here += text[here] === backslash ? 2 : 1
    this.#inString = here >= until
    if (this.#inString) return here
    this.#end = here
    return here + 1
  }

  /** Counts a member of the innermost object. True if it is one too many. */
  #addMember(members: number[]): boolean {
    const count = (members.pop() ?? 0) + 1
    members.push(count)
    return count > (this.#bounds.members ?? 0)
  }

  #excess(bound: Excess['bound']): Excess {
    const [from, to] = this.#field
    this.#at = this.#text.length
    return {
      bound,
      field: Buffer.from(this.#text.subarray(from, Math.min(to, from + maxFieldBytes))).toString('utf8'),
    }
  }
}

/** The bound that a text exceeds, in words (`10000 field names`); undefined when it may be parsed. Counts all at once. */
export function excessOf(text: Uint8Array, bounds: JsonBounds): string | undefined {
  const excess = new JsonCount(text, bounds).next(text.length)
  return excess && boundWords(bounds, excess.bound)
}

/** A bound in words. */
export function boundWords(bounds: JsonBounds, bound: Excess['bound']): string {
  if (bound === 'run') return `${maxRunBytes / 1024} KB of white space, of one number or of one field name`
  const unit = { values: 'values', names: 'field names', members: 'field names in one object', levels: 'levels' }[bound]
  return `${bounds[bound]} ${unit}`
}

/** False for bytes of numbers and literals, and for white space after them. */
function isStructural(byte: number): boolean {
  if (byte < comma) return byte === quote
  return byte === comma || byte === colon || byte === openArray || byte === closeArray || byte >= openObject
}
