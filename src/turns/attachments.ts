// Attachments of a message (pictures, PDFs and text files), with the rules that all doors share.
import { AppError, errorMessage } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import type { Part } from '#core/item.ts'
import { maxAttachedBytes, maxPictureBytes, maxTextFileBytes } from '#core/page-limits.ts'
import type { PdfText, ReadPdf } from '#core/pdf.ts'
import { decodeUtf8 } from '#lib/utf8.ts'

/** Deadline for reading a PDF, with the time that it waits for a worker. */
export const maxPdfMs = 60_000

/** File signatures of the picture types that models accept. A wrong type would fail every later turn of its thread. */
const pictures: Readonly<Record<string, (bytes: Buffer) => boolean>> = {
  'image/png': (bytes) => bytes.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')),
  'image/jpeg': (bytes) => bytes.subarray(0, 3).equals(Buffer.from('\xff\xd8\xff', 'latin1')),
  'image/gif': (bytes) => /^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6)),
  'image/webp': (bytes) => /^RIFF[\s\S]{4}WEBP$/.test(bytes.toString('latin1', 0, 12)),
}

/** True for a picture type that models accept. */
export function isPictureType(type: string): boolean {
  return Object.hasOwn(pictures, type)
}

/** The media type of a picture, by its first bytes; undefined when models do not accept it. */
export function pictureType(bytes: Buffer): string | undefined {
  return Object.keys(pictures).find((type) => pictures[type]?.(bytes))
}

export function picturePart(type: string, bytes: Buffer): Part {
  return { type: 'image', url: `data:${type};base64,${bytes.toString('base64')}` }
}

/** The text of a file; undefined when it is not UTF-8 text. */
export function fileText(bytes: Buffer): string | undefined {
  const text = decodeUtf8(bytes)
  return text?.includes('\0') ? undefined : text
}

/** A file as a part of a message; its content decides the type. Throws invalid_input, too_large. */
export function partOfFile(name: string, bytes: Buffer): Part {
  const refuse = (code: 'invalid_input' | 'too_large', why: string): AppError =>
    new AppError(code, `${name} ${why}`, { param: 'attachments' })
  if (bytes.length === 0) throw refuse('invalid_input', 'is empty')
  const type = pictureType(bytes)
  const maxBytes = type === undefined ? maxTextFileBytes : maxPictureBytes
  const text = type === undefined ? fileText(bytes) : undefined
  if (type === undefined && text === undefined)
    throw refuse('invalid_input', 'is neither a picture (png, jpeg, gif, webp), a PDF nor UTF-8 text')
  if (bytes.length > maxBytes) {
    const what = type === undefined ? 'a text file' : 'a picture'
    throw refuse('too_large', `has ${bytes.length} bytes, ${what} has at most ${maxBytes}`)
  }
  return type === undefined ? { type: 'file', name, text: text ?? '' } : picturePart(type, bytes)
}

export type PdfFile = {
  readonly name: string
  readonly bytes: Uint8Array
  readonly param: string
  /** Whose PDF it is, where many users send some. */
  readonly user?: UserId
}

/** A PDF as a part of a message: the text of its first pages. Throws invalid_input, too_large, overloaded, with the way out. */
export async function partOfPdf(file: PdfFile, readPdf: ReadPdf, signal: AbortSignal): Promise<Part> {
  const { name, bytes, param, user } = file
  const refuse = (why: string): AppError => new AppError('invalid_input', `${name} ${why}`, { param })
  if (bytes.length > maxPictureBytes) {
    throw new AppError('too_large', `${name} has ${bytes.length} bytes, a PDF has at most ${maxPictureBytes}`, {
      param,
    })
  }
  const read = await readPdf(new Uint8Array(bytes), signal, user).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'overloaded') throw error
    if (signal.aborted) throw unread(name, signal)
    const why = errorMessage(error).replace(/\.$/, '')
    throw refuse(`is a PDF that cannot be read: ${why}. Attach a copy without a password, or its text`)
  })
  if (read.texts.every((text) => text === '')) {
    throw refuse(
      'is a PDF without text: its pages are pictures. Attach them as png or jpeg, or a PDF with a text layer',
    )
  }
  return { type: 'file', name, ...pagesWithin(read, maxTextFileBytes) }
}

/** The refusal of PDFs whose text is larger than they are: the message must fit into a request when it is sent again. */
export function tooMuchText(param: string): AppError {
  const message = `the text of the PDFs and the other files have over ${maxAttachedBytes} bytes together: send some of them in another message`
  return new AppError('too_large', message, { param })
}

/** A PDF whose reading was given up: nothing is known about the PDF itself. */
function unread(name: string, { reason }: AbortSignal): AppError {
  if (reason instanceof AppError) return reason
  return new AppError(
    'overloaded',
    `${name} was not read in time: too many PDFs are being read, try again in a moment`,
    {
      cause: reason,
    },
  )
}

/** Room for the lines after the pages that say what is not here. */
const maxNoteBytes = 150

/**
 * The text of the first pages that fit, with their numbers; of a page that is too long by itself, its beginning. Behind
 * them it says what is not here. Pure.
 */
export function pagesWithin({ pages: all, texts }: PdfText, maxBytes: number) {
  const written = texts.map((text, at) => `[page ${at + 1} of ${all}]\n${text.replaceAll('\0', '').toWellFormed()}`)
  const sizes = written.map((page) => Buffer.byteLength(page) + 2)
  const isWhole = texts.length === all && sizes.reduce((sum, size) => sum + size, 0) <= maxBytes
  const room = isWhole ? maxBytes : maxBytes - maxNoteBytes
  let [bytes, read] = [0, 0]
  for (const size of sizes) {
    bytes += size
    if (bytes > room) break
    read++
  }
  const isCut = read === 0
  const kept = isCut ? [beginningOf(written[0] ?? '', room - 2)] : written.slice(0, read)
  const notes = [
    ...(isCut ? ['[page 1 is too long: only its beginning is here]'] : []),
    ...(kept.length < all ? [`[the PDF has ${all} pages, the first ${kept.length} are here]`] : []),
  ]
  return { text: [...kept, ...notes].join('\n\n'), pages: { all, read: kept.length } }
}

/** The beginning of a text up to a number of bytes, without a character that would be cut. */
function beginningOf(text: string, maxBytes: number): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.from(text).subarray(0, maxBytes), { stream: true })
}
