// Reads a local file as an attachment, by a path that was typed, pasted or dropped on the terminal.
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AppError } from '#core/errors.ts'
import { maxPictureBytes } from '#core/page-limits.ts'
import { isPdf, type ReadPdf } from '#core/pdf.ts'
import type { Attached } from '#doors/terminal/attachment-list.ts'
import { maxPdfMs, partOfFile, partOfPdf } from '#turns/attachments.ts'

const { O_RDONLY, O_NONBLOCK } = constants

/** Reads a file to send. Throws invalid_input, too_large, with the path in the message. */
export async function readAttachment(written: string, readPdf?: ReadPdf): Promise<Attached> {
  const path = pathOf(written)
  const name = basename(path)
  const bytes = await readWhole(path)
  if (!isPdf(bytes)) return { name, size: bytes.length, part: partOfFile(name, bytes) }
  const reader = readPdf ?? (await import('#app/read-pdf.ts')).createReadPdf()
  const file = { name, bytes, param: 'attachments' }
  return { name, size: bytes.length, part: await partOfPdf(file, reader, AbortSignal.timeout(maxPdfMs)) }
}

async function readWhole(path: string): Promise<Buffer> {
  try {
    // The open of a named pipe would wait for its writer.
    await using file = await open(path, O_RDONLY | O_NONBLOCK)
    const about = await file.stat()
    if (!about.isFile()) throw new AppError('invalid_input', `${path} is not a file`)
    if (about.size > maxPictureBytes) {
      throw new AppError('too_large', `${path} has ${about.size} bytes, at most ${maxPictureBytes} are taken`)
    }
    const bytes = Buffer.alloc(about.size)
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0)
    return bytes.subarray(0, bytesRead)
  } catch (error) {
    if (error instanceof AppError) throw error
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    const why = { ENOENT: 'does not exist', EACCES: 'may not be read' }[code] ?? `cannot be read (${code})`
    throw new AppError('invalid_input', `${path} ${why}`, { cause: error })
  }
}

/** The path as typed or as a terminal writes a dropped file: in quotes, with escaped spaces, or as a file URL. */
function pathOf(written: string): string {
  const quoted = /^(['"])([\s\S]*)\1$/.exec(written)?.[2]
  const plain = quoted ?? written.replaceAll(/\\(.)/g, '$1')
  if (plain.startsWith('file://')) return fileURLToPath(plain)
  return resolve(plain.replace(/^~(?=\/|$)/, homedir()))
}
