// Files that go with the next message: read in the browser, refused with a reason where no model could take them.
import { signal } from '@preact/signals'
import type { Attachment } from '#doors/web/wire/chat.ts'
import { newKey } from '../lib/key.ts'
import { sizeText } from '../lib/words.ts'

const maxFiles = 20
const maxTextBytes = 1024 * 1024
const maxImageBytes = 8 * 1024 * 1024
/** All of them together stay below what the gateway takes in one request. */
const maxTotalBytes = 10 * 1024 * 1024
const imageTypes = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

export type Chosen = {
  readonly id: string
  readonly name: string
  readonly size: number
  /** Shows a picture; undefined for texts. */
  readonly url?: string
  readonly file?: Attachment
  /** Why it cannot go. */
  readonly refused?: string
}

/** By the draft that they go with. */
const chosen = signal<ReadonlyMap<string, readonly Chosen[]>>(new Map())

/** The files that go with a draft. */
export function filesWith(draft: string): readonly Chosen[] {
  return chosen.value.get(draft) ?? []
}

/** Takes files from the button, a paste or a drop. */
export async function addFiles(draft: string, files: Iterable<File>): Promise<void> {
  for (const file of files) {
    const next = await read(file, filesWith(draft))
    put(draft, [...filesWith(draft), next])
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

/** Those that can go; they leave the composer. */
export function takeFiles(draft: string): Attachment[] {
  const files = filesWith(draft).flatMap(({ file }) => (file ? [file] : []))
  for (const { id } of filesWith(draft)) removeFile(draft, id)
  return files
}

/** Whoever signs in next has not chosen them. */
export function forgetFiles(): void {
  for (const [draft, files] of chosen.peek()) for (const { id } of files) removeFile(draft, id)
}

function put(draft: string, files: readonly Chosen[]): void {
  chosen.value = new Map([...chosen.peek(), [draft, files]])
}

async function read(file: File, others: readonly Chosen[]): Promise<Chosen> {
  const base = { id: newKey(), name: file.name || 'pasted', size: file.size }
  const refused = (reason: string): Chosen => ({ ...base, refused: reason })
  const total = others.reduce((sum, each) => sum + (each.file ? each.size : 0), 0)
  if (others.length >= maxFiles) return refused(`At most ${maxFiles} files go with a message`)
  if (file.size === 0) return refused('The file is empty')
  if (total + file.size > maxTotalBytes) return refused(`Together over ${sizeText(maxTotalBytes)}`)
  if (imageTypes.has(file.type)) {
    if (file.size > maxImageBytes) return refused(`A picture has at most ${sizeText(maxImageBytes)}`)
    const data = base64(new Uint8Array(await file.arrayBuffer()))
    return { ...base, url: URL.createObjectURL(file), file: { name: base.name, media_type: file.type, data } }
  }
  if (file.size > maxTextBytes) return refused(`A text file has at most ${sizeText(maxTextBytes)}`)
  const bytes = new Uint8Array(await file.arrayBuffer())
  if (!isText(bytes)) {
    const picture = file.type.startsWith('image/')
    return refused(picture ? 'Pictures can be PNG, JPEG, GIF or WebP' : 'Only pictures and text files can be read')
  }
  return { ...base, file: { name: base.name, media_type: 'text/plain', data: base64(bytes) } }
}

function isText(bytes: Uint8Array): boolean {
  try {
    return !new TextDecoder('utf-8', { fatal: true }).decode(bytes).includes('\0')
  } catch {
    return false
  }
}

export function base64(bytes: Uint8Array): string {
  return bytes.toBase64()
}
