// Files attached to a draft: read in the browser, refused with a reason where no model could use them.
import { signal } from '@preact/signals'
import { maxAttachedBytes, maxAttachments, maxPictureBytes, maxTextFileBytes } from '#core/page-limits.ts'
import { sizeWords } from '#core/words.ts'
import type { Attachment } from '#doors/web/wire/chat.ts'
import { newKey } from '../lib/key.ts'

/** Longer pasted text becomes a file. */
const maxPastedChars = 20_000
/** The longest beginning that tells a type. */
const signatureBytes = 12
/** By the first bytes of a file, a character each: neither its name nor the system that names its type has looked into it. */
const signatures: readonly (readonly [type: string, beginning: string])[] = [
  ['image/png', '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/gif', 'GIF87a'],
  ['image/gif', 'GIF89a'],
  // Without the size that stands between.
  ['image/webp', 'RIFFWEBP'],
  ['application/pdf', '%PDF-'],
]

export type Chosen = {
  readonly id: string
  readonly name: string
  readonly size: number
  /** Object URL of a picture's preview. */
  readonly url?: string
  readonly file?: Attachment
  /** Why it cannot be sent. */
  readonly refused?: string
}

/** By draft: a thread's id, or `new`. */
const chosen = signal<ReadonlyMap<string, readonly Chosen[]>>(new Map())

export function filesWith(draft: string): readonly Chosen[] {
  return chosen.value.get(draft) ?? []
}

export function hasFiles(): boolean {
  return [...chosen.peek().values()].some((files) => files.length > 0)
}

/** The files of a paste. Long text is one: a field would take seconds to lay it out again with each key. */
export function pastedFiles(pasted: Pick<DataTransfer, 'files' | 'getData'> | null): readonly File[] {
  const files = [...(pasted?.files ?? [])]
  const text = pasted?.getData('text/plain') ?? ''
  if (files.length > 0 || text.length <= maxPastedChars) return files
  return [new File([text], 'pasted-text.txt', { type: 'text/plain' })]
}

/** Attaches files from the button, a paste or a drop. */
export async function addFiles(draft: string, files: Iterable<File>): Promise<void> {
  for (const file of files) {
    const next = await read(file, filesWith(draft))
    put(draft, [...filesWith(draft), next])
  }
}

/** Gives the files of a message back to a draft, as they were to be sent. */
export async function returnFiles(draft: string, files: readonly Attachment[]): Promise<void> {
  for (const file of files) {
    const bytes = Uint8Array.fromBase64(file.data)
    const found = await read(new File([bytes], file.name, { type: file.media_type }), filesWith(draft))
    put(draft, [...filesWith(draft), found.file ? { ...found, file } : found])
  }
}

export function removeFile(draft: string, id: string): void {
  const found = filesWith(draft).find((each) => each.id === id)
  if (found?.url) URL.revokeObjectURL(found.url)
  put(
    draft,
    filesWith(draft).filter((each) => each.id !== id),
  )
}

/** Takes the files that can be sent out of the draft's list. The others stay until they are removed. */
export function takeFiles(draft: string): Attachment[] {
  return filesWith(draft).flatMap(({ id, file }) => {
    if (file) removeFile(draft, id)
    return file ?? []
  })
}

/** Gives all files of one draft to another. */
export function moveFiles(from: string, to: string): void {
  put(to, [...filesWith(to), ...filesWith(from)])
  put(from, [])
}

/** Gives the refused files of one draft to another, which has none. */
export function moveRefused(from: string, to: string): void {
  const { refused = [], others = [] } = Object.groupBy(filesWith(from), ({ file }) => (file ? 'others' : 'refused'))
  put(to, refused)
  put(from, others)
}

function put(draft: string, files: readonly Chosen[]): void {
  chosen.value = new Map([...chosen.peek(), [draft, files]])
}

async function read(file: File, others: readonly Chosen[]): Promise<Chosen> {
  const base = { id: newKey(), name: file.name || 'pasted', size: file.size }
  try {
    return await readAs(base, file, others)
  } catch {
    return { ...base, refused: 'It could not be read: it is a folder, or has changed since' }
  }
}

async function readAs(
  base: Pick<Chosen, 'id' | 'name' | 'size'>,
  file: File,
  others: readonly Chosen[],
): Promise<Chosen> {
  const refused = (reason: string): Chosen => ({ ...base, refused: reason })
  const total = others.reduce((sum, each) => sum + (each.file ? each.size : 0), 0)
  if (others.filter((each) => each.file).length >= maxAttachments)
    return refused(`At most ${maxAttachments} files go with a message`)
  if (file.size === 0) return refused('The file is empty')
  if (total + file.size > maxAttachedBytes)
    return refused(`All files together take at most ${sizeWords(maxAttachedBytes)}`)
  const type = await typeOf(file)
  if (type !== undefined) {
    const isPicture = type !== 'application/pdf'
    const kind = isPicture ? 'picture' : 'PDF'
    if (file.size > maxPictureBytes) return refused(`A ${kind} has at most ${sizeWords(maxPictureBytes)}`)
    const data = new Uint8Array(await file.arrayBuffer()).toBase64()
    const sent = { ...base, file: { name: base.name, media_type: type, data } }
    return isPicture ? { ...sent, url: URL.createObjectURL(file) } : sent
  }
  const isLong = file.size > maxTextFileBytes
  const bytes = new Uint8Array(await file.slice(0, maxTextFileBytes).arrayBuffer())
  if (!isText(bytes, isLong)) {
    const picture = file.type.startsWith('image/')
    return refused(
      picture ? 'Pictures can be PNG, JPEG, GIF or WebP' : 'Only pictures, PDFs and text files can be read',
    )
  }
  if (isLong) return refused(`A text file has at most ${sizeWords(maxTextFileBytes)}`)
  return { ...base, file: { name: base.name, media_type: 'text/plain', data: bytes.toBase64() } }
}

async function typeOf(file: File): Promise<string | undefined> {
  const bytes = new Uint8Array(await file.slice(0, signatureBytes).arrayBuffer())
  const beginning = String.fromCharCode(...bytes).replace(/^RIFF[^]{4}/, 'RIFF')
  return signatures.find(([, each]) => beginning.startsWith(each))?.[0]
}

/** The last character of a beginning may be cut. */
function isText(bytes: Uint8Array, isBeginning: boolean): boolean {
  try {
    return !new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isBeginning }).includes('\0')
  } catch {
    return false
  }
}
