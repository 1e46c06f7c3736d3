// Files attached to the next message.
import { AppError } from '#core/errors.ts'
import type { Part } from '#core/item.ts'
import { maxAttachedBytes, maxAttachments } from '#core/page-limits.ts'
import { pagesWords, sizeWords } from '#core/words.ts'
import { proseOf } from '#safety/printable.ts'
import type { NamedFile } from './block.ts'
import type { Theme } from './theme.ts'

/** Maximum number of files listed by name above the composer. */
const maxNamed = 3

export type Attached = { readonly name: string; readonly size: number; readonly part: Part }

/** An attached file with the pages of its PDF. */
export function namedFile({ name, size, part }: Attached): NamedFile {
  return { name, size, ...(part.type === 'file' && part.pages && { pages: part.pages }) }
}

/** Adds a file to the list. Throws too_large. */
export function withFile(files: readonly Attached[], file: Attached): readonly Attached[] {
  if (files.length >= maxAttachments) {
    throw new AppError('too_large', `At most ${maxAttachments} files go with a message`)
  }
  const bytes = [...files, file].reduce((sum, { size }) => sum + size, 0)
  if (bytes > maxAttachedBytes) {
    throw new AppError('too_large', `Together these files have over ${sizeWords(maxAttachedBytes)}`)
  }
  return [...files, file]
}

/** A file in words: `⎘ deploy.log  38 KB`, `⎘ plan.pdf  2 MB, 12 pages, 4 read`. */
export function fileWords({ name, size, pages }: NamedFile): string {
  const facts = [...(size > 0 ? [sizeWords(size)] : []), ...(pages ? [pagesWords(pages)] : [])]
  return `⎘ ${proseOf(name)}${facts.length > 0 ? `  ${facts.join(', ')}` : ''}`
}

/** The lines above the composer. */
export function attachedLines(files: readonly Attached[], { dim }: Theme): string[] {
  const named = files.slice(0, maxNamed).map((file) => dim(`   ${fileWords(namedFile(file))}`))
  return files.length > named.length ? [...named, dim(`   and ${files.length - named.length} more: /attach`)] : named
}
