// Reads a text file of the workspace, up to a limit. Refuses binary files.
import { AppError } from '#core/errors.ts'
import { decodeUtf8 } from '#lib/utf8.ts'
import { openFile, type Location } from './safe-open.ts'

const maxFileBytes = 10 * 1024 * 1024

/** The text of a file. Throws invalid_input or too_large, or forbidden for a path that leaves the workspace. */
export async function readText(location: Location): Promise<string> {
  const shown = location.names.join('/')
  if (location.names.length === 0) throw new AppError('invalid_input', 'path must name a file', { param: 'path' })
  await using file = await openFile(location)
  const { size } = await file.stat()
  if (size > maxFileBytes) throw tooLarge(shown, size)
  // One byte more than the size, to detect a file that grows meanwhile.
  const bytes = Buffer.allocUnsafe(size + 1)
  let length = 0
  for (let more = 1; more > 0 && length < bytes.length; length += more) {
    more = (await file.read(bytes, length, bytes.length - length, length)).bytesRead
  }
  if (length > size) throw new AppError('invalid_input', `${shown} is being written right now: try again`)
  // The byte order mark stays, so that an edit keeps it.
  const text = decodeUtf8(bytes.subarray(0, length), { keepBom: true })
  if (text === undefined || text.includes('\0')) {
    throw new AppError('invalid_input', `${shown} is a binary file of ${length} bytes, not text`, { param: 'path' })
  }
  return text
}

/** The lines of a text without their line ends. An empty last line does not count. */
export function linesOf(text: string): string[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

function tooLarge(shown: string, size: number): AppError {
  return new AppError('too_large', `${shown} has ${size} bytes, but at most ${maxFileBytes} can be read`, {
    param: 'path',
  })
}
