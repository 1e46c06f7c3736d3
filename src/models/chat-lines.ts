// Server-sent events as bytes: splits them into whole lines and finds the data of each line.

const newlineByte = 0x0a
const spaceCode = 0x20

/**
 * Splits bytes into whole lines. It cuts at the last newline byte, which is never part of a longer UTF-8 character:
 * text is decoded once per read, and a character split between reads stays whole.
 */
export class LineCutter {
  readonly #maxLine: number
  #pending: Buffer[] = []
  #pendingBytes = 0

  constructor(maxLine: number) {
    this.#maxLine = maxLine
  }

  /** The whole lines that these bytes complete, without the last newline; '' when there are none yet. */
  push(bytes: Buffer): string {
    // Nearly every read ends with a line.
    const cut = bytes.at(-1) === newlineByte ? bytes.length - 1 : bytes.lastIndexOf(newlineByte)
    if (cut === -1) {
      this.#keep(bytes)
      return ''
    }
    const text = this.#pendingBytes === 0 ? bytes.toString('utf8', 0, cut) : this.#join(bytes.subarray(0, cut))
    if (cut + 1 < bytes.length) this.#keep(bytes.subarray(cut + 1))
    return text
  }

  /** The last line, if it did not end with a newline. */
  rest(): string {
    return this.#join(Buffer.alloc(0))
  }

  /** True once the line that is still open is longer than allowed: stop reading. */
  get overlong(): boolean {
    return this.#pendingBytes > this.#maxLine
  }

  // Pieces are joined once their line is complete: joining at every read would copy a long line repeatedly.
  #keep(bytes: Buffer): void {
    this.#pending.push(bytes)
    this.#pendingBytes += bytes.length
  }

  #join(bytes: Buffer): string {
    const text = Buffer.concat([...this.#pending, bytes]).toString('utf8')
    this.#pending = []
    this.#pendingBytes = 0
    return text
  }
}

/** Where the data of the line at `from` begins; -1 for comments, other fields and blank lines. */
export function dataStart(text: string, from: number): number {
  if (!text.startsWith('data:', from)) return -1
  return text.charCodeAt(from + 5) === spaceCode ? from + 6 : from + 5
}
