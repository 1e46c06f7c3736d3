// What crosses the border between the service and a tool's process: length-prefixed frames, bounded before they are read.
// A frame is its length, the length of its head, the head as JSON, and raw bytes. Whatever comes out of a child is
// hostile: its size is refused before it is buffered, and nothing but JSON is ever parsed.
import { writeSync } from 'node:fs'

export type Frame = { readonly head: unknown; readonly body: Buffer }

const prefixBytes = 8

/** A frame as bytes, ready for the pipe. */
export function encodeFrame(head: unknown, body: Uint8Array = new Uint8Array()): Buffer {
  const text = Buffer.from(JSON.stringify(head), 'utf8')
  const prefix = Buffer.alloc(prefixBytes)
  prefix.writeUInt32LE(text.length + body.length, 0)
  prefix.writeUInt32LE(text.length, 4)
  return Buffer.concat([prefix, text, body])
}

/** Writes a frame to standard output, whole: what a child says to the service. */
export function sendFrame(head: unknown, body?: Uint8Array): void {
  const frame = encodeFrame(head, body)
  for (let at = 0; at < frame.length; ) {
    try {
      at += writeSync(1, frame, at)
    } catch (error) {
      // A full pipe: the parent reads on, or is gone, which ends this process by its standard input.
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
  }
}

/** Takes chunks as they come and gives whole frames. Throws when a frame is larger than allowed or no frame at all. */
export function createFrameReader(maxBytes: number, onFrame: (frame: Frame) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = []
  let held = 0
  let needed = prefixBytes
  return (chunk) => {
    chunks.push(chunk)
    held += chunk.length
    while (held >= needed) {
      const all = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
      const size = all.readUInt32LE(0)
      const headSize = all.readUInt32LE(4)
      if (size > maxBytes || headSize > size) throw new Error(`a frame of ${size} bytes is refused`)
      needed = prefixBytes + size
      if (held < needed) {
        chunks = [all]
        return
      }
      const head: unknown = JSON.parse(all.toString('utf8', prefixBytes, prefixBytes + headSize))
      const body = Buffer.from(all.subarray(prefixBytes + headSize, needed))
      const rest = all.subarray(needed)
      chunks = rest.length > 0 ? [rest] : []
      held = rest.length
      needed = prefixBytes
      onFrame({ head, body })
    }
  }
}
