// Server-sent events as bytes: splits them into whole lines and finds the data of each line.
import { ByteBlocks } from '#lib/byte-blocks.ts'

const newlineByte = 0x0a
const spaceCode = 0x20
const byteOrderMark = 0xfeff

/**
 * Splits bytes into whole lines. It cuts at the last newline byte, which is never part of a longer UTF-8 character:
 * text is decoded once per read, and a character split between reads stays whole.
 */
export class LineCutter {
  readonly #maxLine: number
  /** The line that is still open. */
  readonly #pending = new ByteBlocks()

  constructor(maxLine: number) {
    this.#maxLine = maxLine
  }

  /** The whole lines that these bytes complete, without the last newline; '' when there are none yet. */
  push(bytes: Buffer): string {
    // Nearly every read ends with a line.
    const cut = bytes.at(-1) === newlineByte ? bytes.length - 1 : bytes.lastIndexOf(newlineByte)
    if (cut === -1) {
      this.#pending.add(bytes)
      return ''
    }
    const text = this.#pending.size === 0 ? bytes.toString('utf8', 0, cut) : this.#join(bytes.subarray(0, cut))
    if (cut + 1 < bytes.length) this.#pending.add(bytes.subarray(cut + 1))
    return text
  }

  /** The last line, if it did not end with a newline. */
  rest(): string {
    return this.#pending.take().toString('utf8')
  }

  /** True once the line that is still open is longer than allowed: stop reading. */
  get overlong(): boolean {
    return this.#pending.size > this.#maxLine
  }

  #join(bytes: Buffer): string {
    this.#pending.add(bytes)
    return this.#pending.take().toString('utf8')
  }
}

/** Where the data of the line at `from` begins; -1 for comments, other fields and blank lines. */
export function dataStart(text: string, from: number): number {
  // A mark may begin the stream.
  const field = text.charCodeAt(from) === byteOrderMark ? from + 1 : from
  if (!text.startsWith('data:', field)) return -1
  return text.charCodeAt(field + 5) === spaceCode ? field + 6 : field + 5
}
