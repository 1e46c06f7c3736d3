// Reading a text file of the workspace, bounded; what is no text is said to be none.
import { AppError } from '#core/errors.ts'
import { decodeUtf8 } from '#lib/utf8.ts'
import { openFile, type Place } from './safe-open.ts'

const maxFileBytes = 10 * 1024 * 1024

/** The text of a file. Throws invalid_input or too_large. */
export async function readText(place: Place): Promise<string> {
  const shown = place.names.join('/')
  if (place.names.length === 0) throw new AppError('invalid_input', 'path must name a file', { param: 'path' })
  await using file = await openFile(place)
  const { size } = await file.stat()
  if (size > maxFileBytes) throw tooLarge(shown, size)
  // It may grow while it is read: then there is more than was said.
  const bytes = Buffer.allocUnsafe(size + 1)
  let length = 0
  for (let more = 1; more > 0 && length < bytes.length; length += more) {
    more = (await file.read(bytes, length, bytes.length - length, length)).bytesRead
  }
  if (length > size) throw new AppError('invalid_input', `${shown} is being written just now: try again`)
  // With its byte order mark, so that an edit leaves it there.
  const text = decodeUtf8(bytes.subarray(0, length), { keepBom: true })
  if (text === undefined || text.includes('\0')) {
    throw new AppError('invalid_input', `${shown} is a binary file of ${length} bytes, not text`, { param: 'path' })
  }
  return text
}

/** Its lines without what ends them; a last line that is empty is none. */
export function linesOf(text: string): string[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

function tooLarge(shown: string, size: number): AppError {
  return new AppError('too_large', `${shown} has ${size} bytes, at most ${maxFileBytes} are read`, { param: 'path' })
}
