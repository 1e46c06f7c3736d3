// Attachments of a message (pictures and text files), with the rules that all doors share.
import { AppError } from '#core/errors.ts'
import type { Part } from '#core/item.ts'
import { decodeUtf8 } from '#lib/utf8.ts'

export const maxAttachments = 20
/** A longer text would fill most models' context by itself. */
export const maxTextBytes = 1024 * 1024
export const maxPictureBytes = 8 * 1024 * 1024
/** All attachments of one message together. */
export const maxTotalBytes = 10 * 1024 * 1024

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
  const maxBytes = type === undefined ? maxTextBytes : maxPictureBytes
  const text = type === undefined ? fileText(bytes) : undefined
  if (type === undefined && text === undefined)
    throw refuse('invalid_input', 'is neither a picture (png, jpeg, gif, webp) nor UTF-8 text')
  if (bytes.length > maxBytes) {
    const what = type === undefined ? 'a text file' : 'a picture'
    throw refuse('too_large', `has ${bytes.length} bytes, ${what} has at most ${maxBytes}`)
  }
  return type === undefined ? { type: 'file', name, text: text ?? '' } : picturePart(type, bytes)
}
