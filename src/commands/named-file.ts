// Reads a file that a person named, within a bound: it may be of any size, or a device without an end.
import { createReadStream } from 'node:fs'
import { AppError, cannotRead } from '#core/errors.ts'
import { sizeWords } from '#core/words.ts'
import { ByteBlocks } from '#lib/byte-blocks.ts'

/** Throws too_large for a longer file, of which one byte more is read. */
export async function readNamedFile(path: string, maxBytes: number): Promise<Buffer> {
  const read = new ByteBlocks()
  try {
    for await (const chunk of createReadStream(path, { end: maxBytes })) read.add(chunk as Buffer)
  } catch (error) {
    cannotRead(path)(error)
  }
  if (read.size > maxBytes) throw new AppError('too_large', `${path} is over ${sizeWords(maxBytes)}`)
  return read.take()
}
