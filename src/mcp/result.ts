// The result of an MCP call as the agent reads it: a text, and images beside it.
import { isObject } from '#core/json.ts'
import { jsonInSlices } from '#core/json-slices.ts'
import { sizeWords } from '#core/words.ts'

const maxBlocks = 1_000
const maxImages = 8
/** Characters of base64 in the images of one result. */
const maxImageChars = 8 * 1024 * 1024
/** Formats that the clients of models take. */
const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
const maxLineChars = 500

export type CallOutput = {
  readonly text: string
  /** Data URLs. */
  readonly images: readonly string[]
  readonly isError: boolean
}

/** Reads a result, with a pause after each block. Foreign content of an unknown kind becomes a line that names it. */
export function* readResult(result: unknown): Generator<void, CallOutput> {
  const { content, structuredContent, isError } = isObject(result) ? result : {}
  const blocks: readonly unknown[] = Array.isArray(content) ? content : []
  const images: string[] = []
  const lines: string[] = []
  let imageChars = 0
  for (const block of blocks.slice(0, maxBlocks)) {
    lines.push(lineOf(block))
    const url = images.length < maxImages ? imageUrl(block) : undefined
    if (url !== undefined && imageChars + url.length <= maxImageChars) {
      images.push(url)
      imageChars += url.length
    }
    yield
  }
  if (blocks.length > maxBlocks) lines.push(`[${blocks.length - maxBlocks} more blocks are left out]`)
  // Servers of the newer era may send structured content alone.
  if (lines.length === 0 && structuredContent !== undefined) {
    const slices: string[] = []
    for (const slice of jsonInSlices(structuredContent)) {
      slices.push(slice)
      yield
    }
    lines.push(slices.join(''))
  }
  return { text: lines.join('\n'), images, isError: isError === true }
}

function imageUrl(block: unknown): string | undefined {
  if (!isObject(block) || block['type'] !== 'image') return undefined
  const { data, mimeType } = block
  if (typeof data !== 'string' || typeof mimeType !== 'string' || !imageTypes.includes(mimeType)) return undefined
  return /^[A-Za-z0-9+/]+={0,2}$/.test(data) ? `data:${mimeType};base64,${data}` : undefined
}

function lineOf(block: unknown): string {
  if (!isObject(block)) return '[an unreadable block]'
  switch (block['type']) {
    case 'text':
      return textOf(block['text'])
    case 'image':
    case 'audio':
      return `[${block['type']}: ${short(block['mimeType'])}, ${sizeOf(block['data'])}]`
    case 'resource_link':
      return `[resource: ${words(block['title'] ?? block['name'], block['uri'], block['description'])}]`
    case 'resource':
      return resourceLine(block['resource'])
    default:
      return `[a block of the kind ${short(block['type'])}]`
  }
}

/** The contents of a resource that the result carries along. */
function resourceLine(resource: unknown): string {
  if (!isObject(resource)) return '[an unreadable resource]'
  const { uri, mimeType, text, blob } = resource
  if (typeof text === 'string') return `[resource: ${short(uri)}]\n${text}`
  return `[resource: ${words(uri, mimeType, sizeOf(blob))}]`
}

function words(...parts: unknown[]): string {
  return parts
    .filter((part) => typeof part === 'string' && part !== '')
    .map(short)
    .join(', ')
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function short(value: unknown): string {
  return textOf(value).slice(0, maxLineChars).replaceAll(/\s+/g, ' ') || 'unknown'
}

function sizeOf(base64: unknown): string {
  return sizeWords(Math.floor((textOf(base64).length * 3) / 4))
}
