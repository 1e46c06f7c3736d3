// The snapshot of a SQLite file: a copy made by SQLite's own backup while others write, read afterwards.
import { closeSync, openSync, rmSync } from 'node:fs'
import { access, constants, copyFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { setImmediate as pass } from 'node:timers/promises'
import { versionOf } from './migrate-sqlite.ts'
import { migrations } from './migrations.ts'
import { type PortableRow, portableTables, type PortableValue } from './portable-schema.ts'
import { countText, maxBatchBytes, maxBatchRows, selectText, type Snapshot } from './snapshot.ts'
import { asAppError, isUnopenable } from './sqlite-faults.ts'
import { hasLog } from './sqlite-file.ts'
import { checkVersion } from './version-check.ts'

const busyMs = 5_000
/** Pages that one step copies; between two steps the process does other work. */
const stepPages = 1_000

type SqliteSnapshotParts = {
  readonly path: string
  /** The path of the copy; it is removed with the snapshot. */
  readonly scratch: string
  /** The share of the file that is copied, from 0 to 1. */
  readonly onCopied?: (share: number) => void
}

export async function openSqliteSnapshot({ path, scratch, onCopied }: SqliteSnapshotParts): Promise<Snapshot> {
  let copy: DatabaseSync | undefined
  const remove = (): void => {
    copy?.close()
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(`${scratch}${end}`, { force: true })
  }
  try {
    try {
      await copyDatabase(path, scratch, onCopied)
    } catch (error) {
      if (!isUnopenable(error) || !(await isReadOnly(dirname(path)))) throw error
      await copyFiles(path, scratch)
    }
    copy = new DatabaseSync(scratch)
    // The copy is in WAL mode like its source, but nobody else reads it.
    copy.exec('PRAGMA journal_mode=DELETE; PRAGMA query_only=TRUE; PRAGMA cache_size=-16000')
    const version = versionOf(copy)
    checkVersion(version, migrations)
    const tables = portableTables(version)
    const db = copy
    return {
      backend: 'sqlite',
      version,
      tables,
      count: (table) => Promise.resolve(Number(db.prepare(countText(table)).get()?.['count'])),
      rows: (table) => batches(db.prepare(selectText(table)).iterate() as Iterable<Record<string, PortableValue>>),
      close: () => Promise.resolve(remove()),
    }
  } catch (error) {
    remove()
    throw asAppError(error)
  }
}

/**
 * SQLite begins a backup again whenever another connection writes. The open read transaction keeps the view of the source as
 * it was at the beginning, so that the copy comes to an end under any load.
 */
async function copyDatabase(path: string, scratch: string, onCopied?: (share: number) => void): Promise<void> {
  closeSync(openSync(scratch, 'wx', 0o600))
  const source = new DatabaseSync(path, { timeout: busyMs })
  try {
    source.exec('BEGIN')
    source.prepare('SELECT count(*) FROM sqlite_schema').get()
    await backup(source, scratch, {
      rate: stepPages,
      progress: ({ totalPages, remainingPages }) => onCopied?.(1 - remainingPages / Math.max(1, totalPages)),
    })
    source.exec('COMMIT')
  } finally {
    source.close()
  }
}

/** Without the index of its log SQLite cannot open a file on a read-only disk. Nobody writes there: a plain copy is whole. */
async function copyFiles(path: string, scratch: string): Promise<void> {
  await copyFile(path, scratch)
  if (hasLog(path)) await copyFile(`${path}-wal`, `${scratch}-wal`)
}

/** True on a disk that is read-only, not where only this user may not write. */
async function isReadOnly(folder: string): Promise<boolean> {
  const fault = await access(folder, constants.W_OK).catch((error: unknown) => error)
  return (fault as NodeJS.ErrnoException | undefined)?.code === 'EROFS'
}

async function* batches(rows: Iterable<Record<string, PortableValue>>): AsyncGenerator<readonly PortableRow[]> {
  let batch: PortableRow[] = []
  let bytes = 0
  for (const row of rows) {
    const values = Object.values(row)
    batch.push(values)
    for (const value of values) bytes += typeof value === 'number' ? 8 : (value?.length ?? 0)
    if (batch.length < maxBatchRows && bytes < maxBatchBytes) continue
    yield batch
    batch = []
    bytes = 0
    await pass()
  }
  if (batch.length > 0) yield batch
}
