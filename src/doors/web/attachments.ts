// Attachments of a chat message: pictures, PDFs and text files, checked and turned into message parts.
import * as z from 'zod/mini'
import { AppError, wrongField } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import type { Part } from '#core/item.ts'
import { maxAttachedBytes, maxAttachments, maxTextFileBytes } from '#core/page-limits.ts'
import { isPdf, type ReadPdf } from '#core/pdf.ts'
import { type Attachment, AttachmentWire } from '#doors/web/wire/chat.ts'
import { pace } from '#lib/pace.ts'
import {
  fileText,
  isPictureType,
  maxPdfMs,
  partOfPdf,
  type PdfFile,
  picturePart,
  pictureType,
  tooMuchText,
} from '#turns/attachments.ts'

export const Attachments = z
  .array(AttachmentWire)
  .check(z.maxLength(maxAttachments, `must hold at most ${maxAttachments} files`))

/** The reader of PDFs, and its user. Without a reader no PDF is taken. */
export type PdfReading = {
  readonly readPdf?: ReadPdf | undefined
  readonly user: UserId
  /** Aborts with an AppError when nobody waits for the PDFs any more. */
  readonly signal?: AbortSignal | undefined
}

/** Turns each attachment into a message part. Throws invalid_input for types that no model takes, too_large, overloaded. */
export async function partsOf(attachments: readonly Attachment[], reading: PdfReading): Promise<Part[]> {
  const { readPdf, user, signal } = reading
  const parts: Part[] = []
  let [bytes, hasPdf] = [0, false]
  for (const [at, attachment] of attachments.entries()) {
    const field = `attachments[${at}]`
    const pdf = readPdf && pdfIn(attachment, field)
    const late = (): AbortSignal => AbortSignal.any([AbortSignal.timeout(maxPdfMs), ...(signal ? [signal] : [])])
    const part = pdf ? await partOfPdf({ ...pdf, user }, readPdf, late()) : partOf(attachment, field)
    parts.push(part)
    bytes += part.type === 'file' ? Buffer.byteLength(part.text) : (attachment.data.length * 3) / 4
    hasPdf ||= pdf !== undefined
    if (hasPdf && bytes > maxAttachedBytes) throw tooMuchText(`${field}.data`)
    await pace()
  }
  return parts
}

/** The PDF in an attachment; undefined for other files. Its own beginning decides, not the name of its type alone. */
function pdfIn({ name, media_type: mediaType, data }: Attachment, field: string): PdfFile | undefined {
  // The beginning of base64 of `%PDF-`.
  if (!data.startsWith('JVBERi')) {
    if (/^application\/pdf *(;|$)/i.test(mediaType)) throw wrongField(`${field}.data`, 'is not a PDF')
    return undefined
  }
  const bytes = bytesOf(data, field)
  return isPdf(bytes) ? { name, bytes, param: `${field}.data` } : undefined
}

function partOf({ name, media_type: mediaType, data, pages }: Attachment, field: string): Part {
  const type = (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase()
  const bytes = bytesOf(data, field)
  if (isPictureType(type)) {
    if (pictureType(bytes) !== type) throw wrongField(`${field}.data`, `is not a picture of type ${type}`)
    return picturePart(type, bytes)
  }
  if (!isText(type)) {
    const way = 'send pictures (png, jpeg, gif, webp), PDFs and text files'
    throw wrongField(`${field}.media_type`, `${type} is not taken: ${way}`)
  }
  return { type: 'file', name, text: textOf(bytes, `${field}.data`), ...(pages && { pages }) }
}

/** Throws invalid_input for an empty text and one that is not base64. Node's decoder skips other letters, so there are fewer bytes. */
function bytesOf(data: string, field: string): Buffer {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0
  const digits = data.length - padding
  const bytes = Buffer.from(data, 'base64')
  // It also takes the letters of base64url, and leaves out a last digit that is too many.
  const isStandard = digits % 4 !== 1 && !data.includes('-') && !data.includes('_')
  if (digits > 0 && isStandard && bytes.length === Math.floor((digits * 3) / 4)) return bytes
  throw wrongField(`${field}.data`, 'must be base64, and not empty')
}

const textTypes = new Set(
  ['json', 'xml', 'yaml', 'x-yaml', 'toml', 'javascript', 'typescript', 'sql', 'graphql', 'x-sh', 'x-httpd-php', 'csv']
    .concat(['x-ndjson', 'jsonl', 'rtf', 'x-tex', 'x-python', 'x-ruby', 'x-perl', 'x-subrip'])
    .map((name) => `application/${name}`),
)

function isText(type: string): boolean {
  return type.startsWith('text/') || /\+(json|xml|yaml)$/.test(type) || textTypes.has(type)
}

function textOf(bytes: Buffer, param: string): string {
  if (bytes.length > maxTextFileBytes) {
    const message = `${param} has ${bytes.length} bytes, a text file has at most ${maxTextFileBytes}`
    throw new AppError('too_large', message, { param })
  }
  const text = fileText(bytes)
  if (text !== undefined) return text
  throw wrongField(param, 'is not UTF-8 text')
}
