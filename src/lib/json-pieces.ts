// Parses a long JSON text in pieces, so that the caller can yield to the event loop between them. The text is cut between
// the members of its arrays and objects, and within long strings; JSON.parse reads each piece.

/** JSON.parse reads a piece of this size in less than 10 ms, whatever its shape. */
const defaultPieceBytes = 32 * 1024

const [quote, backslash, comma, letterU] = [0x22, 0x5c, 0x2c, 0x75]
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]
const [space, tab, newline, carriageReturn] = [0x20, 0x09, 0x0a, 0x0d]
/** Bits of a byte that does not begin a character: `10xxxxxx`. */
const [inCharacterMask, inCharacter] = [0xc0, 0x80]

/** Throws SyntaxError. */
export type ParsePiece = (text: string) => unknown

/** The value of a text in UTF-8. Yields after each piece. Throws SyntaxError. */
export function parseInPieces(
  bytes: Buffer,
  parse: ParsePiece = JSON.parse,
  pieceBytes = defaultPieceBytes,
): Generator<void, unknown> {
  return new Pieces(bytes, parse, pieceBytes).read()
}

/** An array or object whose end has not come. */
type Container = {
  readonly isArray: boolean
  readonly start: number
  /** Where the member begins that is not complete. */
  member: number
  /** What is before is in pieces. */
  from: number
  /** Its members so far. A container without is short, and becomes part of a piece of the next outer one. */
  members?: unknown[] | Record<string, unknown>
  /** The name of the member that is not complete, if it was read by itself. */
  name?: string | undefined
  /** The value of that member, if it was read by itself. */
  value?: { readonly is: unknown } | undefined
}

class Pieces {
  readonly #bytes: Buffer
  readonly #parse: ParsePiece
  readonly #pieceBytes: number
  /** From the outermost one on. Of those with members all outer ones have members too. */
  readonly #open: Container[] = []
  #at = 0
  /** Where the last piece ended. */
  #split = 0
  /** The whole value, if it was read in pieces, and where it ends. */
  #whole: { readonly is: unknown; readonly end: number } | undefined

  constructor(bytes: Buffer, parse: ParsePiece, pieceBytes: number) {
    this.#bytes = bytes
    this.#parse = parse
    this.#pieceBytes = pieceBytes
  }

  *read(): Generator<void, unknown> {
    const bytes = this.#bytes
    /** Where the last pause was. */
    let paused = 0
    while (this.#at < bytes.length) {
      const at = this.#at++
      const byte = bytes[at] ?? 0
      switch (byte) {
        case quote:
          yield* this.#string(at)
          break
        case openArray:
        case openObject:
          this.#open.push({ isArray: byte === openArray, start: at, member: at + 1, from: at + 1 })
          break
        case closeArray:
        case closeObject:
          this.#close(at)
          break
        case comma:
          this.#endMember(at)
          break
        default:
      }
      if (at - paused < this.#pieceBytes) continue
      paused = at
      yield
    }
    if (this.#open.length > 0) throw new SyntaxError('a bracket is not closed')
    if (!this.#whole) return this.#parse(this.#text(0, bytes.length))
    this.#expectBlank(this.#whole.end, bytes.length)
    return this.#whole.is
  }

  /** Passes a string. A long one is read by itself. */
  *#string(start: number): Generator<void, void> {
    const bytes = this.#bytes
    const parts: string[] = []
    let from = start + 1
    let at = from
    for (let cut = at + this.#pieceBytes; bytes[at] !== quote; ) {
      const byte = bytes[at]
      if (byte === undefined) throw new SyntaxError('a string is not closed')
      if (at >= cut && (byte & inCharacterMask) !== inCharacter) {
        parts.push(this.#unquoted(from, at))
        from = at
        cut = at + this.#pieceBytes
        yield
      }
      // An escaped letter is not cut.
      if (byte === backslash) at += bytes[at + 1] === letterU ? 6 : 2
      else at++
    }
    this.#at = at + 1
    if (parts.length === 0) return
    parts.push(this.#unquoted(from, at))
    yield
    this.#takeString(parts.join(''), start)
  }

  /** Takes a string that ends here: the name of a member, or a value. */
  #takeString(text: string, start: number): void {
    this.#splitAll()
    const container = this.#open.at(-1)
    const isName =
      container && !container.isArray && container.name === undefined && this.#isBlank(container.from, start)
    if (isName) {
      container.name = text
      container.from = this.#at
    } else {
      if (container) this.#readName(container, start)
      this.#takeValue(text, start)
    }
  }

  /** Takes a value that ends here and was read by itself. */
  #takeValue(is: unknown, start: number): void {
    const container = this.#open.at(-1)
    if (container?.value ?? this.#whole) throw new SyntaxError('a comma is missing')
    if (container) {
      container.value = { is }
      container.from = this.#at
    } else {
      this.#expectBlank(0, start)
      this.#whole = { is, end: this.#at }
    }
  }

  #close(at: number): void {
    const container = this.#open.at(-1)
    if (container?.isArray !== (this.#bytes[at] === closeArray)) throw new SyntaxError('a bracket is not opened')
    if (container.members) this.#addMembers(container, at)
    this.#open.pop()
    if (container.members) this.#takeValue(container.members, container.start)
  }

  /** A comma. Once there is enough for a piece, what is complete becomes one. */
  #endMember(at: number): void {
    const container = this.#open.at(-1)
    if (!container) throw new SyntaxError('a comma is not within brackets')
    const isEnough = at - this.#split >= this.#pieceBytes
    if (isEnough) this.#splitAll()
    if (isEnough || container.value || container.name !== undefined) {
      this.#addMembers(container, at)
      container.from = at + 1
    }
    container.member = at + 1
  }

  /** Gives members to all open containers, from the outermost one on: each gets those before the one that is not complete. */
  #splitAll(): void {
    this.#split = this.#at
    const short = this.#open.findLastIndex(({ members }) => members !== undefined) + 1
    for (let index = Math.max(0, short - 1); index < this.#open.length; index++) {
      const container = this.#open[index] as Container
      if (container.from < container.member) {
        this.#addMembers(container, container.member - 1)
        container.from = container.member
      }
      container.members ??= container.isArray ? [] : {}
      const inner = this.#open[index + 1]
      if (inner) this.#readName(container, inner.start)
    }
  }

  /** Adds the members that end before `to`. */
  #addMembers(container: Container, to: number): void {
    const { isArray, from, name, value } = container
    const members = (container.members ??= isArray ? [] : {})
    if (value) this.#expectBlank(from, to)
    const text = value ? '' : this.#text(from, to)
    if (Array.isArray(members)) {
      for (const each of value ? [value.is] : atLeastOne(this.#parse(`[${text}]`) as unknown[])) members.push(each)
    } else if (value) setMember(members, name ?? '', value.is)
    else {
      const piece = Object.entries(this.#parse(`{${name === undefined ? '' : '""'}${text}}`) as object)
      for (const [key, each] of atLeastOne(piece)) setMember(members, name ?? key, each)
    }
    container.name = undefined
    container.value = undefined
  }

  /** Reads what is before a value that is read by itself: in an object its name. */
  #readName(container: Container, to: number): void {
    const { isArray, from, name } = container
    container.from = to
    if (isArray) return this.#expectBlank(from, to)
    const member = JSON.parse(`{${name === undefined ? '' : '""'}${this.#text(from, to)}[]}`) as object
    container.name = name ?? Object.keys(member)[0] ?? ''
  }

  #unquoted(from: number, to: number): string {
    return JSON.parse(`"${this.#text(from, to)}"`) as string
  }

  #text(from: number, to: number): string {
    return this.#bytes.toString('utf8', from, to)
  }

  #expectBlank(from: number, to: number): void {
    if (!this.#isBlank(from, to)) throw new SyntaxError('a comma or bracket is missing')
  }

  #isBlank(from: number, to: number): boolean {
    const bytes = this.#bytes
    for (let at = from; at < to; at++) {
      const byte = bytes[at]
      // No Set: a body may have megabytes of spaces.
      if (byte !== space && byte !== newline && byte !== carriageReturn && byte !== tab) return false
    }
    return true
  }
}

/** Between two commas, or a bracket and a comma, is a member. */
function atLeastOne<T>(members: readonly T[]): readonly T[] {
  if (members.length === 0) throw new SyntaxError('a member is missing')
  return members
}

/** As JSON.parse sets it: `__proto__` is a name like others. */
function setMember(members: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(members, name, { value, writable: true, enumerable: true, configurable: true })
  else members[name] = value
}
