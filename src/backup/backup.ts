// Makes a backup: one file with the rows of the database and the files of the home, as they were at one moment.
import { existsSync, lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '#core/errors.ts'
import type { Home } from '#home.ts'
import { makerMark, removeLeftovers } from '#lib/leftovers.ts'
import { readVersion } from '#lib/version.ts'
import type { Snapshot } from '#store/snapshot.ts'
import type { Header, Line } from './format.ts'
import { fileLines, joinKeys, keyLines, type Keys, readKeys } from './home-files.ts'
import { isBackup } from './read-file.ts'
import { type BackupFile, createBackupFile } from './write-file.ts'

export type BackupSource = {
  readonly home: Home
  /** A PostgreSQL server; else the SQLite file of the home. */
  readonly databaseUrl?: string
  /** Values of the environment that stand for files of the home. */
  readonly masterKey?: string
  readonly operatorToken?: string
}

/** The current step, and how much of it is done: 0 to 1. */
export type OnProgress = (what: string, share: number) => void

export type BackupParts = BackupSource & {
  readonly file: string
  readonly withKey: boolean
  readonly onProgress?: OnProgress
}

export type MadeBackup = {
  readonly header: Header
  readonly files: number
  readonly bytes: number
  /** Files that could not be read. */
  readonly skipped: readonly string[]
}

/** The name of the copy of a database, before the mark of its maker. */
const scratchStart = 'backup.part-'
const fullCodes: ReadonlySet<unknown> = new Set(['disk_full', 'ENOSPC', 'EDQUOT'])
const readOnlyCodes: ReadonlySet<unknown> = new Set(['home_unwritable', 'EROFS'])
/** Files that are named as skipped. */
const maxSkipped = 20

export async function makeBackup(parts: BackupParts): Promise<MadeBackup> {
  const { home, file, withKey, onProgress } = parts
  await checkTarget(file)
  const before = withKey ? readKeys(home, parts) : {}
  const snapshot = await openSnapshot(parts)
  try {
    const keys = withKey ? joinKeys(before, readKeys(home, parts)) : {}
    const target = await createBackupFile(file)
    try {
      return await writeAll(target, { snapshot, keys, withKey, home, ...(onProgress && { onProgress }) })
    } catch (error) {
      await target.discard()
      throw error
    }
  } finally {
    await snapshot.close()
  }
}

type WriteParts = {
  readonly snapshot: Omit<Snapshot, 'close'>
  readonly keys: Keys
  readonly withKey: boolean
  readonly home: Home
  readonly onProgress?: OnProgress
}

/** Writes the whole content of a backup and gives the file its name. */
export async function writeAll(target: BackupFile, parts: WriteParts): Promise<MadeBackup> {
  const { snapshot, keys, withKey, home, onProgress } = parts
  const counted = []
  for (const table of snapshot.tables) counted.push({ table, count: await snapshot.count(table) })
  const total = counted.reduce((sum, { count }) => sum + count, 0)
  const header: Header = {
    version: readVersion(),
    schema: snapshot.version,
    database: snapshot.backend,
    created_at: new Date().toISOString(),
    with_key: withKey,
    tables: Object.fromEntries(counted.map(({ table, count }) => [table.name, count])),
  }
  await target.add([{ type: 'header', header }])
  let done = 0
  for (const { table } of counted) {
    await target.add([{ type: 'table', table: table.name, columns: table.columns.map(({ name }) => name) }])
    for await (const rows of snapshot.rows(table)) {
      await target.add(rows.map((row): Line => ({ type: 'row', row })))
      done += rows.length
      onProgress?.(table.name, done / Math.max(1, total))
    }
  }
  const skipped: string[] = []
  const skip = (path: string): void => {
    if (skipped.length < maxSkipped) skipped.push(path)
  }
  let files = Object.keys(keys).length
  await target.add(keyLines(keys))
  for await (const lines of fileLines(home, skip)) {
    files += lines.filter(({ type }) => type === 'file' || type === 'link').length
    await target.add(lines)
    onProgress?.('files', 1)
  }
  return { header, files, bytes: await target.commit(files), skipped }
}

async function openSnapshot({ home, file, databaseUrl: url, onProgress }: BackupParts): Promise<Snapshot> {
  if (url !== undefined) {
    const { openPostgresSnapshot } = await import('#store/snapshot-postgres.ts')
    return openPostgresSnapshot(url)
  }
  if (!existsSync(home.database))
    throw new AppError('not_found', `${home.path} has no database yet: nothing to back up`)
  const { openSqliteSnapshot } = await import('#store/snapshot-sqlite.ts')
  return openWhereRoom([home.path, dirname(file)], (folder) => {
    // Copies that killed backups have left.
    removeLeftovers(folder, { start: scratchStart, ends: ['', '-journal', '-wal', '-shm'] })
    return openSqliteSnapshot({
      path: home.database,
      scratch: join(folder, `${scratchStart}${makerMark()}`),
      onCopied: (share) => onProgress?.('copying the database', share),
    })
  })
}

/** Tries the folders in turn: a backup of a disk that is full or read-only to another one must be possible. */
export async function openWhereRoom<T>(folders: readonly string[], open: (folder: string) => Promise<T>): Promise<T> {
  let cause: unknown
  for (const folder of folders.filter((each) => existsSync(each))) {
    try {
      return await open(folder)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (!fullCodes.has(code) && !readOnlyCodes.has(code)) throw error
      cause = error
    }
  }
  const where = [...new Set(folders)].join(' and ')
  if (readOnlyCodes.has((cause as NodeJS.ErrnoException | undefined)?.code))
    throw new AppError(
      'home_unwritable',
      `a backup needs room for a copy of the database, and ${where} cannot be written: name a file on another disk`,
      { cause },
    )
  const message = `a backup needs room for a copy of the database, and the disk is full in ${where}: free some space`
  throw new AppError('disk_full', message, { cause })
}

/** An earlier backup is replaced; anything else is left alone. */
async function checkTarget(file: string): Promise<void> {
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (!found) return
  if (found.isDirectory()) throw new AppError('invalid_input', `${file} is a folder: name a file in it`)
  if (!found.isFile() || !(await isBackup(file)))
    throw new AppError('invalid_input', `${file} exists and is no backup of Atrium: choose another name`)
}
