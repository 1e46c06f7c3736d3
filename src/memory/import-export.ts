// Documents as a folder of files, and back, without loss: bytes and names stay what they are.
import { mkdir, opendir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { maxDocuments } from '#core/document.ts'
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import { newId } from '#core/ids.ts'
import { decodeUtf8 } from '#lib/utf8.ts'
import type { Documents, Writing } from './documents.ts'
import { maxContentBytes, problemOfPath } from './document-path.ts'

/** What is written in one transaction. */
const batchDocuments = 200
const batchBytes = 4 * 1024 * 1024
const pageDocuments = 500

export type Skipped = { readonly path: string; readonly reason: string }
export type Moved = { readonly moved: number; readonly skipped: readonly Skipped[] }
/** Told after each step; `of` is how many there are, where that is known. */
export type Progress = (done: number, of?: number) => void

type FolderParts = {
  readonly documents: Documents
  readonly user: UserId
  readonly folder: string
  readonly told: Progress
}

/** Every file of a folder as a document of the same path. What cannot be one is left out, and told. */
export async function importFolder({ documents, user, folder, told }: FolderParts): Promise<Moved> {
  await checkFolder(folder)
  const skipped: Skipped[] = []
  const paths = await filesIn(folder, skipped)
  let moved = 0
  let batch: Writing[] = []
  let bytes = 0
  const flush = async (): Promise<void> => {
    const refused = await writeAll(documents, user, batch)
    moved += batch.length - refused.length
    skipped.push(...refused)
    batch = []
    bytes = 0
    told(moved, paths.length)
  }
  for (const path of paths) {
    const content = await contentOf(join(folder, path))
    if (typeof content !== 'string') {
      skipped.push({ path, reason: content.reason })
      continue
    }
    batch.push({ path, content, author: 'user' })
    bytes += content.length
    if (batch.length >= batchDocuments || bytes >= batchBytes) await flush()
  }
  if (batch.length > 0) await flush()
  return { moved, skipped }
}

/** Every document as a file of the same path; a file that is there is replaced, others stay. */
export async function exportFolder({ documents, user, folder, told }: FolderParts): Promise<Moved> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const skipped: Skipped[] = []
  let moved = 0
  for (let after = ''; ; ) {
    const page = await documents.list(user, { after, limit: pageDocuments })
    for (const { path } of page) {
      try {
        await writeWhole(join(folder, path), (await documents.read(user, path)).content)
        moved++
      } catch (error) {
        skipped.push({ path, reason: (error as Error).message })
      }
    }
    told(moved)
    const last = page.at(-1)
    if (!last || page.length < pageDocuments) return { moved, skipped }
    after = last.path
  }
}

async function checkFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch((error: unknown) => {
    throw new AppError('not_found', `there is no folder ${folder}`, { cause: error })
  })
  if (!found.isDirectory()) throw new AppError('invalid_input', `${folder} is not a folder`)
}

/** The files below a folder, in order; links are not followed. */
async function filesIn(folder: string, skipped: Skipped[]): Promise<string[]> {
  const files: string[] = []
  const folders = ['']
  for (let at = 0; at < folders.length; at++) {
    const within = folders[at] ?? ''
    // Names that are no UTF-8 come out with marks in them, which no other reading of them brings back.
    for await (const { name, isFile, isDirectory } of entriesOf(join(folder, within))) {
      const path = within === '' ? name : `${within}/${name}`
      const problem = name.includes('\ufffd') ? 'has a name that is not UTF-8' : undefined
      if (problem !== undefined) skipped.push({ path, reason: problem })
      else if (isDirectory) folders.push(path)
      else if (!isFile) skipped.push({ path, reason: 'is a link or no plain file' })
      else {
        const fault = problemOfPath(path)
        if (fault === undefined) files.push(path)
        else skipped.push({ path, reason: `its path ${fault}` })
      }
      if (files.length > maxDocuments) throw new AppError('too_large', `${folder} has more than ${maxDocuments} files`)
    }
  }
  return files.sort()
}

async function* entriesOf(folder: string) {
  for await (const entry of await opendir(folder)) {
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

/** One batch; where something in it is refused, one by one, so that the rest is kept. */
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

/** Beside, then renamed: never half a file, and never through a link. */
async function writeWhole(file: string, content: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = join(dirname(file), `.${newId()}.draft`)
  try {
    await writeFile(draft, content, { mode: 0o600, flag: 'wx' })
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
