// Converts the content of a message, in the formats that clients send, to the parts of an item.
import * as z from 'zod/mini'
import { AppError, wrongField } from '#core/errors.ts'
import { isImageUrl, type Part } from '#core/item.ts'
import { byteLength, isObject } from '#core/json.ts'
import { maxTextFileBytes } from '#core/page-limits.ts'
import { check } from '#http/validate.ts'
import { fileText } from '#turns/attachments.ts'
import { text } from './request-fields.ts'

export const TextPartSchema = z.object({ text })

const RefusalPartSchema = z.object({ refusal: text })

export const ImagePartSchema = z.object({
  image_url: z.union([z.string(), z.object({ url: z.string() })], {
    error: 'must be a URL or a data URL: files by id are not offered here',
  }),
})

export const FilePartSchema = z.object({
  filename: z.nullish(text),
  file_data: z.nullish(text),
  file_url: z.nullish(text),
  file_id: z.nullish(text),
  text: z.nullish(text),
})

const textTypes = ['input_text', 'output_text', 'text', 'summary_text', 'reasoning_text']
const textMedia = /^(text\/|application\/(json|xml|yaml|x-yaml|javascript|toml|x-ndjson|sql)|[^;]*\+(json|xml))/i
const unknownMedia = /^(application\/octet-stream)?$/i

/** Parts of one message. Whatever reads a message takes all of its parts in one step. */
const maxParts = 1_000

/** Reads content that is a string or a list of parts. `path` is its position in the request. */
export function readContent(content: string | readonly unknown[], path: string): Part[] {
  return readParts(content, path, readPart)
}

/** The same for a door with parts of its own, of which `read` reads one. */
export function readParts(
  content: string | readonly unknown[],
  path: string,
  read: (part: unknown, path: string) => Part[],
): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  if (content.length > maxParts) {
    throw wrongField(path, `has ${content.length} parts, at most ${maxParts} are accepted: join its texts`)
  }
  return content.flatMap((part, at) => read(part, `${path}[${at}]`))
}

/** The text of content where only text is accepted: a function output, a system message. */
export function textIn(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === 'image' ? '[an image]' : part.text)).join('')
}

function readPart(part: unknown, path: string): Part[] {
  if (typeof part === 'string') return readContent(part, path)
  if (!isObject(part)) throw wrongField(path, 'must be an object')
  const type = part['type'] ?? 'text'
  if (typeof type === 'string' && textTypes.includes(type)) {
    return readContent(check(TextPartSchema, part, path).text, path)
  }
  if (type === 'refusal') return readContent(check(RefusalPartSchema, part, path).refusal, path)
  if (type === 'input_image' || type === 'image_url') return [readImage(part, path)]
  if (type === 'input_file' || type === 'file') return [readFile(part, path)]
  throw wrongField(`${path}.type`, 'must be input_text, output_text, input_image or input_file')
}

/** An image by URL or data URL. */
export function readImage(part: object, path: string): Part {
  const { image_url: image } = check(ImagePartSchema, part, path)
  const url = typeof image === 'string' ? image : image.url
  if (isImageUrl(url)) return { type: 'image', url }
  throw wrongField(`${path}.image_url`, 'must be an http(s) URL or a data URL of an image')
}

/** The text of a file. */
export function readFile(part: object, path: string): Part {
  const file = check(FilePartSchema, part, path)
  const name = file.filename || 'file'
  if (file.text != null) return { type: 'file', name, text: bounded(file.text, `${path}.text`) }
  if (file.file_data != null) {
    return { type: 'file', name, text: bounded(textOfData(file.file_data), `${path}.file_data`) }
  }
  const location = file.file_url ?? file.file_id
  if (location == null) throw wrongField(`${path}.file_data`, 'is required')
  return { type: 'file', name, text: `[not read: ${location} was named, but only file_data is accepted]` }
}

function bounded(text: string, path: string): string {
  const bytes = byteLength(text)
  if (bytes <= maxTextFileBytes) return text
  throw new AppError('too_large', `${path} has ${bytes} bytes, a text file has at most ${maxTextFileBytes}`, {
    param: path,
  })
}

/** The text of a text file; for any other file a note that tells the model what it cannot see. */
function textOfData(data: string): string {
  const url = /^data:([^,]{0,200}),/.exec(data)
  const head = url?.[1] ?? ''
  const media = head.split(';', 1)[0] ?? ''
  const body = data.slice(url?.[0].length ?? 0)
  const bytes = url && !/;base64$/i.test(head) ? percentDecoded(body) : Buffer.from(body, 'base64')
  const text = textMedia.test(media) || unknownMedia.test(media) ? fileText(bytes) : undefined
  return text ?? `[not read: ${media || 'binary data'} of ${bytes.length} bytes; only text is accepted]`
}

function percentDecoded(text: string): Buffer {
  try {
    return Buffer.from(decodeURIComponent(text))
  } catch {
    return Buffer.from(text)
  }
}
