// Export of documents to a folder of files, and import from one, without loss of bytes or names.
import { statSync } from 'node:fs'
import { opendir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { maxDocuments } from '#core/document.ts'
import { AppError, cannotRead } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import { isUuid, newId } from '#core/ids.ts'
import { createFolder } from '#lib/create-folder.ts'
import { decodeUtf8 } from '#lib/utf8.ts'
import type { Documents, Writing } from './documents.ts'
import { maxContentBytes, problemOfPath } from './document-path.ts'

/** Limits of one transaction: meanwhile a running service cannot write. The store writes a larger document in slices. */
const firstBatch = { documents: 20, chars: 32 * 1024 }
/** The next batch is twice as large after a short one, and half as large after a long one. */
const [shortMs, longMs] = [15, 35]
const [minFactor, maxFactor] = [0.25, 8]
/** Between two transactions, for the writes of a running service. */
const restMs = 5
const pageDocuments = 500
/** Of the name of a file that is being exported, behind a dot and an id. */
const draftEnd = '.draft'

export type Skipped = { readonly path: string; readonly reason: string }
export type Moved = { readonly moved: number; readonly skipped: readonly Skipped[] }
/** Called after each batch; `total` is absent when it is not known. */
export type OnProgress = (done: number, total?: number) => void

type FolderParts = {
  readonly documents: Documents
  readonly user: UserId
  readonly folder: string
  readonly onProgress: OnProgress
}

type ImportParts = FolderParts & { readonly maxFiles?: number; readonly now?: () => number }

/** Imports every file of a folder as a document with the same path. Unsuitable files are skipped and reported. */
export async function importFolder(parts: ImportParts): Promise<Moved> {
  const { documents, user, folder, onProgress, maxFiles = maxDocuments, now = () => performance.now() } = parts
  await checkFolder(folder)
  const skipped: Skipped[] = []
  const paths = await filesIn(folder, maxFiles, skipped)
  let moved = 0
  let batch: Writing[] = []
  let chars = 0
  let factor = 1
  const flush = async (): Promise<void> => {
    const begun = now()
    const refused = await writeAll(documents, user, batch)
    factor = nextFactor(factor, now() - begun)
    moved += batch.length - refused.length
    skipped.push(...refused)
    batch = []
    chars = 0
    onProgress(moved, paths.length)
    await sleep(restMs)
  }
  for (const path of paths) {
    const content = await contentOf(join(folder, path))
    if (typeof content !== 'string') {
      skipped.push({ path, reason: content.reason })
      continue
    }
    batch.push({ path, content, author: 'user' })
    chars += content.length
    if (batch.length >= factor * firstBatch.documents || chars >= factor * firstBatch.chars) await flush()
  }
  if (batch.length > 0) await flush()
  return { moved, skipped }
}

/** How many times the first batch the next one is. A word that is new to the index takes longer than others. */
export function nextFactor(factor: number, tookMs: number): number {
  if (tookMs < shortMs) return Math.min(2 * factor, maxFactor)
  return tookMs > longMs ? Math.max(factor / 2, minFactor) : factor
}

/** Writes every document to a file with the same path. Existing files are replaced, other files stay. */
export async function exportFolder({ documents, user, folder, onProgress }: FolderParts): Promise<Moved> {
  makeFolder(folder)
  const skipped: Skipped[] = []
  let moved = 0
  for (let after = ''; ; ) {
    const page = await documents.list(user, { after, limit: pageDocuments })
    for (const { path } of page) {
      try {
        await writeAtomically(join(folder, path), (await documents.read(user, path)).content)
        moved++
      } catch (error) {
        skipped.push({ path, reason: (error as Error).message })
      }
    }
    onProgress(moved)
    const last = page.at(-1)
    if (!last || page.length < pageDocuments) return { moved, skipped }
    after = last.path
  }
}

/** Makes the folder of an export if it is missing. Throws invalid_input. */
export function makeFolder(folder: string): void {
  try {
    createFolder(folder)
  } catch (error) {
    throw new AppError('invalid_input', `${folder} cannot be made: ${(error as Error).message}`, { cause: error })
  }
  if (!statSync(folder).isDirectory()) throw new AppError('invalid_input', `${folder} is not a folder`)
}

async function checkFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch((error: unknown) => {
    throw new AppError('invalid_input', `there is no folder ${folder}`, { cause: error })
  })
  if (!found.isDirectory()) throw new AppError('invalid_input', `${folder} is not a folder`)
}

/** The files below a folder, sorted; links are not followed. */
async function filesIn(folder: string, maxFiles: number, skipped: Skipped[]): Promise<string[]> {
  const files: string[] = []
  const folders = ['']
  for (let at = 0; at < folders.length; at++) {
    const within = folders[at] ?? ''
    // A name that is not UTF-8 is read with U+FFFD in it, and the file cannot be opened by that name.
    for await (const { name, isFile, isDirectory } of entriesOf(join(folder, within))) {
      const path = within === '' ? name : `${within}/${name}`
      if (name.includes('\ufffd')) skipped.push({ path, reason: 'has a name that is not UTF-8' })
      else if (isDirectory) folders.push(path)
      else if (!isFile) skipped.push({ path, reason: 'is a link or not a regular file' })
      else if (isDraft(name)) skipped.push({ path, reason: 'is what a killed export was writing' })
      else {
        const problem = problemOfPath(path)
        if (problem === undefined) files.push(path)
        else skipped.push({ path, reason: `its path ${problem}` })
      }
      if (files.length > maxFiles) throw new AppError('too_large', `${folder} has more than ${maxFiles} files`)
    }
  }
  return files.sort()
}

async function* entriesOf(folder: string) {
  for await (const entry of await opendir(folder).catch(cannotRead(folder))) {
    yield { name: entry.name, isFile: entry.isFile(), isDirectory: entry.isDirectory() }
  }
}

async function contentOf(file: string): Promise<string | { reason: string }> {
  try {
    if ((await stat(file)).size > maxContentBytes) return { reason: 'is larger than 1 MiB' }
    const text = decodeUtf8(await readFile(file), { keepBom: true })
    if (text === undefined) return { reason: 'is not UTF-8 text' }
    return text.includes('\0') ? { reason: 'is not text: it has a NUL character' } : text
  } catch (error) {
    return { reason: (error as Error).message }
  }
}

/** Writes one batch. When it is refused, writes its documents one by one, so that only the bad ones are skipped. */
async function writeAll(documents: Documents, user: UserId, batch: readonly Writing[]): Promise<Skipped[]> {
  try {
    await documents.write(user, batch)
    return []
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid_input') throw error
    if (batch.length === 1) return batch.map(({ path }) => ({ path, reason: error.message }))
    const refused: Skipped[] = []
    for (const each of batch) refused.push(...(await writeAll(documents, user, [each])))
    return refused
  }
}

/** Writes a temporary file and renames it: a file is never incomplete, and a link is replaced, not followed. */
async function writeAtomically(file: string, content: string): Promise<void> {
  createFolder(dirname(file))
  const draft = join(dirname(file), `.${newId()}${draftEnd}`)
  try {
    await writeFile(draft, content, { mode: 0o600, flag: 'wx' })
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

function isDraft(name: string): boolean {
  return name.startsWith('.') && name.endsWith(draftEnd) && isUuid(name.slice(1, -draftEnd.length))
}
