// Server-sent events as bytes: cuts what the network brings into whole lines and finds their data.

const newlineByte = 0x0a
const spaceCode = 0x20

/**
 * Joins bytes to whole lines. Cuts at the last newline byte, which is never part of a longer UTF-8 character, so that
 * text is decoded once per read and a character split between reads stays whole.
 */
export class LineCutter {
  readonly #maxLine: number
  #held: Buffer[] = []
  #heldBytes = 0

  constructor(maxLine: number) {
    this.#maxLine = maxLine
  }

  /** The whole lines that these bytes complete, without the last newline; '' when there are none yet. */
  push(bytes: Buffer): string {
    // Nearly every read ends with a line.
    const cut = bytes.at(-1) === newlineByte ? bytes.length - 1 : bytes.lastIndexOf(newlineByte)
    if (cut === -1) {
      this.#hold(bytes)
      return ''
    }
    const text = this.#heldBytes === 0 ? bytes.toString('utf8', 0, cut) : this.#join(bytes.subarray(0, cut))
    if (cut + 1 < bytes.length) this.#hold(bytes.subarray(cut + 1))
    return text
  }

  /** The last line, which no newline ended. */
  rest(): string {
    return this.#join(Buffer.alloc(0))
  }

  /** True once the line that is still open is longer than allowed: stop reading. */
  get overlong(): boolean {
    return this.#heldBytes > this.#maxLine
  }

  // Pieces are joined only when their line is whole: joining at every read would copy a long line again and again.
  #hold(bytes: Buffer): void {
    this.#held.push(bytes)
    this.#heldBytes += bytes.length
  }

  #join(bytes: Buffer): string {
    const text = Buffer.concat([...this.#held, bytes]).toString('utf8')
    this.#held = []
    this.#heldBytes = 0
    return text
  }
}

/** Where the data of the line at `from` begins; -1 for comments, other fields and blank lines. */
export function dataStart(text: string, from: number): number {
  if (!text.startsWith('data:', from)) return -1
  return text.charCodeAt(from + 5) === spaceCode ? from + 6 : from + 5
}
