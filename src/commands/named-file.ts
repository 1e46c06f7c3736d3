// Reads a file that a person named, within a bound: it may be of any size, or a device without an end.
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { AppError, cannotRead } from '#core/errors.ts'
import { sizeWords } from '#core/words.ts'
import { ByteBlocks } from '#lib/byte-blocks.ts'

/** The pipe of another command in a shell, `<(…)` or `/dev/stdin`: it has a writer. */
const shellPipe = /^\/(?:dev\/stdin$|(?:dev|proc\/self)\/fd\/)/

/** Refuses a named pipe, which could be waited for without an end. What else is wrong with a path is told by its reader. */
export async function refusePipe(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isFIFO() && !shellPipe.test(path))
    throw new AppError('invalid_input', `${path} is a named pipe: name a file`)
}

/** Throws too_large for a longer file, of which one byte more is read. */
export async function readNamedFile(path: string, maxBytes: number): Promise<Buffer> {
  await refusePipe(path)
  const read = new ByteBlocks()
  try {
    for await (const chunk of createReadStream(path, { end: maxBytes })) read.add(chunk as Buffer)
  } catch (error) {
    cannotRead(path)(error)
  }
  if (read.size > maxBytes) throw new AppError('too_large', `${path} is over ${sizeWords(maxBytes)}`)
  return read.take()
}
