// Collects bytes that come from outside in chunks of any size. A sender may cut its bytes into chunks of one byte each,
// and a Buffer of its own for every chunk would take a hundred times their memory: small chunks are copied into blocks.

const minBlockBytes = 1024
const maxBlockBytes = 64 * 1024

/** Takes at most about twice the memory of its bytes. The caller bounds `size`. */
export class ByteBlocks {
  /** Bytes that `take` would return. */
  size = 0
  #blocks: Buffer[] = []
  /** The last block, and how many of its bytes are filled. */
  #last: Buffer | undefined
  #filled = 0

  add(chunk: Uint8Array): void {
    if (chunk.length === 0) return
    // Most bodies are one chunk: the first is kept as it is.
    if (this.size === 0) this.#blocks.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))
    else this.#copy(chunk)
    this.size += chunk.length
  }

  /** All bytes since the last call, in one piece. */
  take(): Buffer {
    const blocks = this.#blocks
    const [first = Buffer.alloc(0)] = blocks
    const taken = blocks.length <= 1 ? first : Buffer.concat(blocks, this.size)
    this.clear()
    return taken
  }

  clear(): void {
    this.size = 0
    this.#blocks = []
    this.#last = undefined
    this.#filled = 0
  }

  #copy(chunk: Uint8Array): void {
    const free = (this.#last?.length ?? 0) - this.#filled
    if (chunk.length <= free) {
      this.#last?.set(chunk, this.#filled)
      this.#filled += chunk.length
      return
    }
    if (free > 0) this.#last?.set(chunk.subarray(0, free), this.#filled)
    const rest = chunk.length - free
    // Blocks grow with the bytes: a small body takes little, a large one few blocks. Not from Node's pool, which a small
    // block would keep alive.
    const growth = Math.min(Math.max(this.size, minBlockBytes), maxBlockBytes)
    this.#last = Buffer.allocUnsafeSlow(Math.max(growth, rest))
    this.#last.set(chunk.subarray(free))
    this.#filled = rest
    this.#blocks.push(this.#last)
  }
}
