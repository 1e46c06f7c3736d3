// Length-prefixed frames between the service and its child processes: total length, head length, head as JSON, raw bytes.
// A child's output is hostile: an oversized frame is refused before it is buffered, and only JSON is parsed.

export type Frame = { readonly head: unknown; readonly body: Buffer }

/** Not imported: an import reads every member of the module, and so loads its streams, a tenth of the start of a child. */
const { writeSync } = process.getBuiltinModule('node:fs')

const prefixBytes = 8

export function encodeFrame(head: unknown, body: Uint8Array = new Uint8Array()): Buffer {
  const text = Buffer.from(JSON.stringify(head), 'utf8')
  const prefix = Buffer.alloc(prefixBytes)
  prefix.writeUInt32LE(text.length + body.length, 0)
  prefix.writeUInt32LE(text.length, 4)
  return Buffer.concat([prefix, text, body])
}

/** Sends a frame from a child to the service, on standard output. Blocks until all of it is written. */
export function sendFrame(head: unknown, body?: Uint8Array): void {
  const frame = encodeFrame(head, body)
  for (let at = 0; at < frame.length; ) {
    try {
      at += writeSync(1, frame, at)
    } catch (error) {
      // The pipe is full: wait for the parent to read. Without a parent the write throws EPIPE, which ends this process.
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
  }
}

/** Assembles frames from chunks. The returned function throws on a frame that is malformed or over `maxBytes`. */
export function createFrameReader(maxBytes: number, onFrame: (frame: Frame) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = []
  let buffered = 0
  let needed = prefixBytes
  return (chunk) => {
    chunks.push(chunk)
    buffered += chunk.length
    while (buffered >= needed) {
      const all = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
      const size = all.readUInt32LE(0)
      const headSize = all.readUInt32LE(4)
      if (size > maxBytes || headSize > size) throw new Error(`a frame of ${size} bytes is refused`)
      needed = prefixBytes + size
      if (buffered < needed) {
        chunks = [all]
        return
      }
      const head: unknown = JSON.parse(all.toString('utf8', prefixBytes, prefixBytes + headSize))
      const body = Buffer.from(all.subarray(prefixBytes + headSize, needed))
      const rest = all.subarray(needed)
      chunks = rest.length > 0 ? [rest] : []
      buffered = rest.length
      needed = prefixBytes
      onFrame({ head, body })
    }
  }
}
