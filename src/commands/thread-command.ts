// `atrium threads show|rename|delete|pin|archive|export|import`: one thread of the operator, with or without a
// running service.
import { once } from 'node:events'
import { open, readFile, rm, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createScans } from '#app/leak-scans.ts'
import { AppError, cannotRead } from '#core/errors.ts'
import { isUuid, operator } from '#core/ids.ts'
import { maxThreadTitleChars } from '#core/page-limits.ts'
import type { Store } from '#core/store.ts'
import type { Thread } from '#core/turn.ts'
import { countWords } from '#core/words.ts'
import { inPace } from '#lib/pace.ts'
import { printable, proseOf } from '#safety/printable.ts'
import { eraseRemoved } from '#turns/erase-removed.ts'
import { eraseWords } from '#turns/erase-words.ts'
import { draftsOf, titleOf } from '#turns/message.ts'
import { type ExportFormat, exportFormats, exportThread } from '#turns/thread-export.ts'
import { importedItems, maxImportBytes, readExport } from '#turns/thread-import.ts'
import { isTitle } from '#turns/thread-title.ts'
import { withStore } from './home-store.ts'
import { refusePipe } from './named-file.ts'
import { agrees } from './prompts.ts'
import { print, say } from './report.ts'
import { readInput } from './stdin.ts'
import { stoppable } from './stoppable.ts'

export function showThread(id: string, { json = false }: { json?: boolean }): Promise<void> {
  return exportThreadFile(id, { format: json ? 'json' : 'markdown' })
}

export function renameThread(id: string, title: string): Promise<void> {
  const words = title.trim()
  if (!isTitle(words))
    throw new AppError('invalid_input', `a title has 1 to ${maxThreadTitleChars} characters in one line`)
  return withThread(id, async ({ threads }, thread) => {
    await threads.rename(operator, thread.id, words)
    say(`Renamed to ${proseOf(words)}.`)
  })
}

const places = {
  pin: [{ pinned: true }, 'Pinned'],
  unpin: [{ pinned: false }, 'Unpinned'],
  archive: [{ archived: true }, 'Archived'],
  unarchive: [{ archived: false }, 'Brought back'],
} as const

export function shelveThread(how: keyof typeof places, id: string): Promise<void> {
  const [place, done] = places[how]
  return withThread(id, async ({ threads }, thread) => {
    await threads.shelve(operator, thread.id, place)
    say(`${done} ${proseOf(thread.title)}.`)
  })
}

export function deleteThreads(ids: readonly string[], { yes = false }: { yes?: boolean }): Promise<void> {
  return withStore(async (store) => {
    const found: Thread[] = []
    for (const id of ids) found.push(await findThread(store, id))
    for (const { title } of found) process.stderr.write(`${proseOf(title)}\n`)
    if (!yes && !process.stdin.isTTY)
      throw new AppError('invalid_input', 'nothing was deleted: look at the titles above and pass --yes')
    if (!yes && !(await agrees(`Delete ${countWords(found.length, 'thread')} for good?`))) return
    for (const { id } of found) await store.threads.remove(operator, id)
    await eraseRemoved(store.threads)
    await eraseWords(
      store.threadIndex,
      found.map(({ id }) => id),
    )
    say(`Deleted ${countWords(found.length, 'thread')}.`)
  })
}

/** Prints the file unchanged to a pipe or a file; to a terminal without control sequences. */
export function exportThreadFile(id: string, options: { format: string; output?: string }): Promise<void> {
  const { format, output } = options
  if (!isFormat(format)) throw new AppError('invalid_input', `--format takes json or markdown, not ${format}`)
  return withThread(id, async (store, thread) => {
    const parts = exportThread({ threads: store.threads, user: operator, thread }, format)
    if (output === undefined) {
      for await (const part of parts) if (!process.stdout.write(printed(part))) await once(process.stdout, 'drain')
      return
    }
    await stoppable('stopped: nothing was exported', (signal) => writeNewFile(output, parts, signal))
    say(`Exported to ${printable(output)}.`)
  })
}

/** Writes a file that was not there before, whole or not at all. */
async function writeNewFile(path: string, parts: AsyncIterable<string>, signal: AbortSignal): Promise<void> {
  // Another program's file must not be replaced, nor one that everybody may read be filled.
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new AppError('invalid_input', `${path} is there already: choose another name`)
  })
  try {
    await pipeline(parts, file.createWriteStream(), { signal })
  } catch (error) {
    // Half a thread would keep the next attempt from the name.
    await rm(path, { force: true })
    throw error
  }
}

export async function importThread(path: string, options: { json?: boolean }): Promise<void> {
  const read = readExport(path === '-' ? await readInput(maxImportBytes, tooLong) : await readBounded(path))
  const items = importedItems(read)
  await withStore(async (store) => {
    const scans = createScans({ secrets: store.secrets, own: () => [] })
    await scans.read()
    const drafts = await draftsOf(items, (text) => inPace(scans.ofSent(operator).maskInSlices(text)))
    const title = read.title || titleOf(items)
    const { id } = await store.threads.create(operator, { door: 'run', title, metadata: {}, drafts })
    print(options, { id, title }, `Imported ${proseOf(title)} as ${id}.`)
  })
}

const tooLong = `an exported thread has at most ${maxImportBytes} bytes`

async function readBounded(path: string): Promise<string> {
  const refuse = cannotRead(path, ': name a file that `atrium threads export` has written')
  await refusePipe(path)
  const { size } = await stat(path).catch(refuse)
  if (size > maxImportBytes) throw new AppError('too_large', tooLong)
  return readFile(path, 'utf8').catch(refuse)
}

function withThread(id: string, work: (store: Store, thread: Thread) => Promise<void>): Promise<void> {
  return withStore(async (store) => work(store, await findThread(store, id)))
}

async function findThread({ threads }: Store, id: string): Promise<Thread> {
  const thread = isUuid(id) ? await threads.get(operator, id) : undefined
  if (!thread) throw new AppError('not_found', `there is no thread ${id}: see \`atrium threads\``)
  return thread
}

function isFormat(text: string): text is ExportFormat {
  return exportFormats.some((each) => each === text)
}

function printed(part: string): string {
  return process.stdout.isTTY ? proseOf(part) : part
}
