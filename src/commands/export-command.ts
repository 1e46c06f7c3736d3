// `atrium export`: everything of one person as files that other programs read, and that Atrium imports again.
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AppError, isFullDisk } from '#core/errors.ts'
import { operator, type UserId } from '#core/ids.ts'
import { allRows } from '#core/page.ts'
import type { Store } from '#core/store.ts'
import type { Shelf, Thread } from '#core/turn.ts'
import { countWords } from '#core/words.ts'
import { createFolder } from '#lib/create-folder.ts'
import { isoTime, isoTimeOrNull } from '#core/time.ts'
import { createDocuments } from '#memory/documents.ts'
import { exportFolder, makeFolder } from '#memory/import-export.ts'
import { printable } from '#safety/printable.ts'
import { exportFileName, exportThread } from '#turns/thread-export.ts'
import { findUser } from './find-user.ts'
import { withStore } from './home-store.ts'
import { createProgress } from './progress-line.ts'
import { print } from './report.ts'
import { stoppable } from './stoppable.ts'

const pageThreads = 100
/** A file of an export that has not come to its end. */
const unfinishedName = 'UNFINISHED'
/** All lists: pinned threads are in the usual one too. */
const shelves: readonly (Shelf | undefined)[] = [undefined, 'archived']

type Options = { readonly user?: string; readonly json?: boolean }

/** The folder must be new or empty: it has nothing else then, and nothing of an earlier export. */
export function exportAll(place: string, options: Options): Promise<void> {
  const folder = resolve(place)
  return withStore(async (store) => {
    const user = options.user === undefined ? operator : (await findUser(store, options.user)).id
    await makeEmpty(folder)
    const progress = createProgress()
    const { skipped, ...counts } = await stoppable('stopped: nothing was exported', (signal) => {
      const show = (what: string): void => {
        signal.throwIfAborted()
        progress.show(what)
      }
      return exportInto(folder, { store, user, show })
    })
      .catch(async (error: unknown) => {
        // A part of an export could be taken for the whole.
        for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true })
        throw exportFault(error, folder)
      })
      .finally(progress.end)
    const words = [
      countWords(counts.threads, 'thread'),
      countWords(counts.documents, 'document'),
      countWords(counts.skills, 'skill'),
      countWords(counts.missions, 'mission'),
    ]
    print(options, { folder, ...counts, skipped }, `Exported ${words.join(', ')} to ${printable(place)}.`)
    for (const { path, reason } of skipped) process.stderr.write(`${printable(`${path}: ${reason}`)}\n`)
    if (skipped.length > 0) process.exitCode = 1
  })
}

function exportFault(error: unknown, folder: string): unknown {
  if (!isFullDisk(error)) return error
  const message = `the disk of ${folder} is full: nothing was exported; free some space, or name a folder on another disk`
  return new AppError('disk_full', message, { cause: error })
}

type ExportParts = { readonly store: Store; readonly user: UserId; readonly show: (what: string) => void }

async function exportInto(folder: string, { store, user, show }: ExportParts) {
  // One that is killed must not be taken for a whole one.
  await writeFile(join(folder, unfinishedName), '', { mode: 0o600 })
  const threads = await exportThreads(join(folder, 'threads'), { store, user, show })
  const documents = createDocuments({ store: store.documents })
  const memory = await exportFolder({
    documents,
    user,
    folder: join(folder, 'memory'),
    onProgress: (moved) => show(countWords(moved, 'document')),
  })
  const skills = await exportSkills(join(folder, 'skills'), { store, user, show })
  const missions = await readMissions(store, user)
  await writeJson(join(folder, 'missions.json'), missions)
  await writeJson(join(folder, 'settings.json'), await readSettings(store, user))
  await rm(join(folder, unfinishedName))
  return { threads, documents: memory.moved, skills, missions: missions.length, skipped: memory.skipped }
}

async function makeEmpty(folder: string): Promise<void> {
  makeFolder(folder)
  const names = await readdir(folder)
  if (names.length === 0) return
  const what = names.includes(unfinishedName) ? 'has an export that was cut off: remove it, or' : 'is not empty:'
  throw new AppError('invalid_input', `${folder} ${what} name a new folder`)
}

/** Each thread as `atrium threads export` writes it, variants included. Ids sort by time. */
async function exportThreads(folder: string, { store, user, show }: ExportParts): Promise<number> {
  const { threads } = store
  await mkdir(folder, { mode: 0o700 })
  let count = 0
  for await (const thread of threadsOf(threads, user)) {
    const path = join(folder, `${thread.id}-${exportFileName(thread, 'json')}`)
    const text = Readable.from(exportThread({ threads, user, thread }, 'json'))
    try {
      await pipeline(text, createWriteStream(path, { mode: 0o600 }))
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'not_found') throw error
      // It was deleted meanwhile.
      await rm(path)
      continue
    }
    count++
    show(countWords(count, 'thread'))
  }
  return count
}

/**
 * The threads of a user's own, in every list: not those of senders, which the operator reaches. The lists are read twice: a
 * thread that goes on or changes its list meanwhile moves to where they were read already.
 */
async function* threadsOf(threads: Store['threads'], user: UserId): AsyncGenerator<Thread> {
  const seen = new Set<string>()
  for (const shelf of [...shelves, ...shelves]) {
    const query = { limit: pageThreads, ...(shelf && { shelf }) }
    for await (const listed of allRows((cursor) => threads.list(user, { ...query, ...(cursor && { cursor }) }))) {
      if (listed.userId !== user) continue
      const members = listed.family === undefined ? [listed] : await threads.family(user, listed.family)
      for (const { id } of members) {
        if (seen.has(id)) continue
        seen.add(id)
        const thread = id === listed.id ? listed : await threads.get(user, id)
        if (thread) yield thread
      }
    }
  }
}

/** Each skill as a folder, as `atrium skill add` takes it. */
async function exportSkills(folder: string, { store: { skills }, user, show }: ExportParts): Promise<number> {
  const all = await skills.list(user)
  for (const [at, { name }] of all.entries()) {
    for (const { path } of (await skills.get(user, name))?.files ?? []) {
      const content = await skills.content(user, name, path)
      if (!content) continue
      const file = join(folder, name, path)
      createFolder(dirname(file))
      await writeFile(file, content, { mode: 0o600 })
    }
    show(countWords(at + 1, 'skill'))
  }
  return all.length
}

async function readMissions({ missions }: Store, user: UserId): Promise<object[]> {
  const listed = await Array.fromAsync(allRows((cursor) => missions.list(user, cursor)))
  return listed.map(({ mission }) => {
    const { id, title, prompt, schedule, zone, status, tools, capUsd, missed, createdAt } = mission
    return {
      id,
      title,
      prompt,
      schedule,
      zone,
      status,
      missed,
      ...(tools && { tools }),
      ...(capUsd !== undefined && { cap_usd: capUsd }),
      created_at: isoTime(createdAt),
    }
  })
}

/** Without secrets: neither tokens nor the addresses of notifications. */
async function readSettings({ missions, grants, notifications }: Store, user: UserId): Promise<object> {
  const own = (await grants.list(user)).filter(({ userId }) => userId === user)
  const ways = await notifications.ways(user)
  return {
    zone: (await missions.zone(user)) ?? null,
    quiet_hours: (await notifications.quiet(user)) ?? null,
    notifications: ways.map(({ kind, label, events, content }) => ({ kind, label, events, content })),
    grants: own.map(({ tool, target, until, createdAt }) => ({
      tool,
      ...(target !== undefined && { target }),
      until: isoTimeOrNull(until),
      created_at: isoTime(createdAt),
    })),
  }
}

function writeJson(path: string, value: unknown): Promise<void> {
  return writeFile(path, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
}
