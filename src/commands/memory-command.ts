// `atrium memory`: the operator's documents, with or without a running service.
import { loadConfig } from '#config.ts'
import { isIdentity } from '#core/document.ts'
import { AppError } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import { countWords } from '#core/words.ts'
import { openVectors } from '#app/open-vectors.ts'
import { silentLog } from '#lib/log.ts'
import { isoTime } from '#core/time.ts'
import { createDocuments, type Documents } from '#memory/documents.ts'
import { exportFolder, importFolder, type Moved, type OnProgress } from '#memory/import-export.ts'
import { printable, proseOf } from '#safety/printable.ts'
import { createProgress } from './progress-line.ts'
import { readLimit } from './limit-option.ts'
import { reloadService } from './running-service.ts'
import { stoppable } from './stoppable.ts'
import { readInput } from './stdin.ts'
import { listedBy, print, table } from './report.ts'
import { withStore } from './home-store.ts'

const maxListed = 1_000
const maxFound = 100
const maxInputChars = 2 * 1024 * 1024
/** Skipped documents that are named. */
const maxNamed = 20

type Options = { readonly json?: boolean }

export function searchMemory(words: readonly string[], options: Options & { limit: string }): Promise<void> {
  const limit = readLimit(options.limit, maxFound)
  return withDocuments(async (documents) => {
    const found = await documents.search(operator, { query: words.join(' '), limit })
    const results = found.map(({ path, content, score, updatedAt }) => {
      return { path, content, score, updated_at: isoTime(updatedAt) }
    })
    const text = results
      .map(({ path, content, score }) => `${printable(path)}  (${score})\n${proseOf(content)}\n`)
      .join('\n')
    print(options, { results }, text || 'Nothing matches.')
  })
}

/** Prints the document unchanged, without an added line end; to a terminal without control sequences. */
export function readMemory(path: string, options: Options): Promise<void> {
  return withDocuments(async (documents) => {
    const { content, createdAt, updatedAt, revision: _, ...info } = await listed(documents.read(operator, path))
    const times = { created_at: isoTime(createdAt), updated_at: isoTime(updatedAt) }
    if (options.json) print(options, { ...info, ...times, content }, '')
    else process.stdout.write(process.stdout.isTTY ? proseOf(content) : content)
  })
}

export async function writeMemory(
  path: string,
  text: string | undefined,
  options: Options & { append?: boolean },
): Promise<void> {
  const content = text ?? (await readInput(maxInputChars, 'a document has at most 1 MiB'))
  // An empty text is meant; an empty input is mostly that of a command that failed.
  if (text === undefined && content === '') {
    throw new AppError('invalid_input', "standard input is empty: give TEXT, which may be '' for an empty document")
  }
  await withDocuments(async (documents) => {
    const writing = { path, content, author: 'user' as const }
    const outcome = options.append
      ? await documents.append(operator, writing)
      : (await documents.write(operator, [writing]))[0]
    print(options, { path, outcome }, `${outcome === 'created' ? 'Created' : 'Wrote'} ${printable(path)}.`)
  })
  await reloadIdentity(path)
}

export function listMemory(folder: string | undefined, options: Options): Promise<void> {
  return withDocuments(async (documents) => {
    const list = await documents.list(operator, { ...(folder !== undefined && { folder }), limit: maxListed + 1 })
    const shown = list.slice(0, maxListed).map(({ path, bytes, author, untrusted, updatedAt }) => {
      return { path, bytes, author, untrusted, updated_at: isoTime(updatedAt) }
    })
    const rows = shown.map(({ path, bytes, author, updated_at: at }) => [path, String(bytes), author, at])
    const more = list.length > maxListed ? `\n(the first ${maxListed}; name a folder to see others)` : ''
    const none = folder === undefined ? 'No documents yet: see `atrium memory write --help`' : 'No documents.'
    const text = rows.length > 0 ? table([['PATH', 'BYTES', 'BY', 'UPDATED'], ...rows]) + more : none
    print(options, shown, text)
  })
}

export async function deleteMemory(path: string, options: Options): Promise<void> {
  await withDocuments(async (documents) => {
    await listed(documents.remove(operator, path))
    print(options, { path, outcome: 'deleted' }, `Deleted ${printable(path)}.`)
  })
  await reloadIdentity(path)
}

export function memoryHistory(path: string, options: Options): Promise<void> {
  return withDocuments(async (documents) => {
    const versions = (await listed(documents.versions(operator, path))).map(({ writtenAt, ...version }) => {
      return { ...version, written_at: isoTime(writtenAt) }
    })
    const rows = versions.map(({ revision, written_at, author, bytes }) => [
      String(revision),
      written_at,
      author,
      String(bytes),
    ])
    const text = rows.length > 0 ? table([['REVISION', 'WRITTEN', 'BY', 'BYTES'], ...rows]) : 'No earlier versions.'
    print(options, versions, text)
  })
}

export async function restoreMemory(path: string, revision: string, options: Options): Promise<void> {
  if (!/^\d{1,15}$/.test(revision))
    throw new AppError('invalid_input', `a revision is a number, not ${revision}: atrium memory history lists them`)
  await withDocuments(async (documents) => {
    await listedBy(`atrium memory history ${path}`, () => documents.restore(operator, path, Number(revision)))
    print(options, { path, outcome: 'restored' }, `Restored ${printable(path)} as of revision ${revision}.`)
  })
  await reloadIdentity(path)
}

export async function importMemory(folder: string, options: Options): Promise<void> {
  try {
    await withDocuments(async (documents) => {
      const moved = await withProgress('imported', (onProgress) =>
        importFolder({ documents, user: operator, folder, onProgress }),
      )
      printMoved(options, 'Imported', moved)
    })
  } finally {
    // Identity files may be among what was imported before a fault or Ctrl+C.
    await reloadService()
  }
}

export function exportMemory(folder: string, options: Options): Promise<void> {
  return withDocuments(async (documents) => {
    const moved = await withProgress('exported', (onProgress) =>
      exportFolder({ documents, user: operator, folder, onProgress }),
    )
    printMoved(options, 'Exported', moved)
  })
}

function listed<T>(found: Promise<T>): Promise<T> {
  return listedBy('atrium memory list', () => found)
}

function withDocuments<T>(work: (documents: Documents) => Promise<T>): Promise<T> {
  return withStore(async (store) => {
    const config = loadConfig(await store.settings.all())
    const vectors = await openVectors({ config, store, log: silentLog })
    try {
      return await work(createDocuments({ store: store.documents, semanticSearch: vectors?.semanticSearch }))
    } finally {
      await vectors?.close()
    }
  })
}

/** Makes a running service reload an identity file, which it caches; other documents it reads each time. */
async function reloadIdentity(path: string): Promise<void> {
  if (isIdentity(path)) await reloadService()
}

/** Prints the count, and skipped documents on standard error; these make the exit code 1. */
function printMoved(options: Options, done: string, { moved, skipped }: Moved): void {
  print(options, { documents: moved, skipped }, `${done} ${countWords(moved, 'document')}.`)
  if (skipped.length === 0) return
  for (const { path, reason } of skipped.slice(0, maxNamed))
    process.stderr.write(`left out: ${printable(path)} ${printable(reason)}\n`)
  if (skipped.length > maxNamed) process.stderr.write(`left out: ${skipped.length - maxNamed} more\n`)
  process.exitCode = 1
}

function withProgress<T>(done: string, work: (onProgress: OnProgress) => Promise<T>): Promise<T> {
  const progress = createProgress()
  return stoppable(`stopped: what was ${done} stays`, (signal) =>
    work((count, of) => {
      signal.throwIfAborted()
      progress.show(`${done} ${countWords(count, 'document')}`, of === undefined ? undefined : count / of)
    }),
  ).finally(progress.end)
}
