// Reads a text file of the workspace, up to a limit. Refuses binary files.
import { AppError, wrongField } from '#core/errors.ts'
import { inPace } from '#lib/pace.ts'
import { openFile, type Location } from './safe-open.ts'

const maxFileBytes = 10 * 1024 * 1024

/** Bytes or lines between two pauses for the event loop. */
const sliceBytes = 256 * 1024
const sliceLines = 20_000

/** The text of a file. Throws invalid_input or too_large, or forbidden for a path that leaves the workspace. */
export async function readText(location: Location): Promise<string> {
  const shown = location.names.join('/')
  if (location.names.length === 0) throw wrongField('path', 'must name a file')
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
  const text = await inPace(decoded(bytes.subarray(0, length)))
  if (text === undefined || text.includes('\0')) {
    throw new AppError('invalid_input', `${shown} is a binary file of ${length} bytes, not text`, { param: 'path' })
  }
  return text
}

/** The text of UTF-8 bytes; undefined for others. */
function* decoded(bytes: Uint8Array): Generator<void, string | undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let text = ''
  try {
    for (let at = 0; at < bytes.length; at += sliceBytes) {
      text += decoder.decode(bytes.subarray(at, at + sliceBytes), { stream: true })
      yield
    }
    return text + decoder.decode()
  } catch {
    return undefined
  }
}

/** Lines of a text without their line ends, and how many it has. An empty last line does not count. */
export type Lines = { readonly lines: readonly string[]; readonly total: number }

/** The lines from number `first` on, up to a number. In slices, since a file may be all line ends. */
export function* linesIn(text: string, first: number, most: number): Generator<void, Lines> {
  const lines: string[] = []
  let total = 0
  for (let at = text.startsWith('\ufeff') ? 1 : 0; at < text.length; total++) {
    if (total % sliceLines === 0) yield
    const found = text.indexOf('\n', at)
    const end = found < 0 ? text.length : found
    if (total + 1 >= first && lines.length < most)
      lines.push(text.slice(at, found > at && text[found - 1] === '\r' ? found - 1 : end))
    at = end + 1
  }
  return { lines, total }
}

function tooLarge(shown: string, size: number): AppError {
  return new AppError('too_large', `${shown} has ${size} bytes, but at most ${maxFileBytes} can be read`, {
    param: 'path',
  })
}
