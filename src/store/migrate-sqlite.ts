// Migrations on SQLite: one exclusive transaction per version, after a copy of the file; a new file takes one for all.
import { chmodSync, existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AppError, type ErrorCode } from '#core/errors.ts'
import { syncPath } from '#lib/sync-path.ts'
import { type Migrating, type Migration, statementsOf } from './migration.ts'
import { migrations } from './migrations.ts'
import { asAppError } from './sqlite-faults.ts'
import { checkVersion } from './version-check.ts'

/** SQLite writes it beside a copy that it makes, and would take it for that of the next copy with the name. */
const journalEnd = '-journal'
const halfCopy = new RegExp(`^\\d+\\.backup\\.\\d+(${journalEnd})?$`)
/** Between two steps, `application_id` is the version that the upgrade began with, times this, plus the one it has reached. */
const underWay = 65_536

/** The versions of a migration, and the copy from before it. */
export type Migrated = { readonly from: number; readonly to: number; readonly copy: string }

/**
 * Migrates a SQLite file to the newest version. Each step checks the version again inside its transaction, so two processes
 * that start together apply it once. Before the first step the file is copied beside itself, unless it is new. Undefined if
 * there was nothing to migrate, or nothing in the file.
 */
export function migrateSqlite(
  db: DatabaseSync,
  path: string,
  { steps = migrations, onStep = () => {} }: Migrating = {},
): Migrated | undefined {
  const found = versionOf(db)
  checkVersion(found, steps, path)
  const began = beginningOf(db, found)
  if (found === steps.length) {
    // This Atrium works on where the upgrade was cut off: what it stores is not in the copy.
    if (began < found) db.exec('PRAGMA application_id = 0')
    return undefined
  }
  const goesOn = began < found && existsSync(copyOf(path, began))
  const from = goesOn ? began : found
  const copy = copyOf(path, from)
  const copies = from > 0 && path !== ':memory:'
  if (copies && !goesOn) {
    onStep(from)
    try {
      keepCopy(db, copy, from)
    } catch (error) {
      const where = `the copy of the database from before its upgrade could not be made (${(error as Error).message})`
      throw failed(error, (code) => {
        const first = code === 'disk_full' ? `make room for ${megabytesOf(path)} MB in ${dirname(path)}` : 'mend this'
        return `${where}. The database has version ${from} as before: ${first} and start again, or run the Atrium of before`
      })
    }
  }
  // The sorted rows of a new index need not fit into memory.
  if (from > 0) db.exec('PRAGMA temp_store=FILE')
  try {
    for (let version = found; version < steps.length; version = versionOf(db)) {
      if (from > 0) onStep(version)
      migrateTo(db, from === 0 ? steps.length : version + 1, { from: version, began: from, steps })
    }
  } catch (error) {
    if (!copies) throw error
    const version = versionOf(db)
    const where = `the database could not be brought from version ${version} to ${version + 1} (${(error as Error).message})`
    throw failed(error, () => `${where}. ${wayBack({ from, copy, path })}`)
  } finally {
    if (from > 0) db.exec('PRAGMA temp_store=MEMORY')
  }
  return copies ? { from, to: steps.length, copy } : undefined
}

/** How to return to the state before a migration. */
export function wayBack({ from, copy, path }: { from: number; copy: string; path: string }): string {
  return `To go back, stop Atrium, remove ${path}-wal and ${path}-shm, put ${copy} (version ${from}) in place of ${path}, and run the Atrium of before`
}

function failed(cause: unknown, wordsFor: (code: ErrorCode) => string): AppError {
  const known = asAppError(cause)
  const code = known instanceof AppError ? known.code : 'database_unavailable'
  return new AppError(code, wordsFor(code), { cause })
}

/** The most that a copy takes: a part of the database may be in its log alone. */
function megabytesOf(path: string): number {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
  return Math.ceil((statSync(path).size + (log?.size ?? 0)) / 1e6)
}

/** Brings a new file that nobody else has open to a version, without a copy. */
export function applyMigrations(db: DatabaseSync, to = migrations.length): void {
  const from = versionOf(db)
  migrateTo(db, to, { from, began: from, steps: migrations.slice(0, to) })
}

function copyOf(path: string, version: number): string {
  return `${path}.v${version}.backup`
}

/** `began` is the version that the whole upgrade began with. */
type Leg = { readonly from: number; readonly began: number; readonly steps: readonly Migration[] }

/** Does nothing if another process has brought the file beyond `from` meanwhile. */
function migrateTo(db: DatabaseSync, to: number, { from, began, steps }: Leg): void {
  db.exec('BEGIN EXCLUSIVE')
  try {
    if (versionOf(db) === from && to > from) {
      for (const step of steps.slice(from, to)) {
        for (const statement of statementsOf(step, 'sqlite')) db.exec(statement)
      }
      db.exec(`PRAGMA user_version = ${to}`)
      db.exec(`PRAGMA application_id = ${to === steps.length ? 0 : began * underWay + to}`)
    }
    db.exec('COMMIT')
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/**
 * Copies the database to a temporary name and renames it: a copy cut off by a crash must not look like a whole one. It is on
 * the disk before the migration begins.
 */
function keepCopy(db: DatabaseSync, target: string, version: number): void {
  const temporary = `${target}.${process.pid}`
  try {
    db.prepare('VACUUM INTO ?').run(temporary)
    chmodSync(temporary, 0o600)
    const copy = new DatabaseSync(temporary, { readOnly: true })
    const copied = versionOf(copy)
    copy.close()
    // Else another process has migrated meanwhile, and made the copy itself.
    if (copied !== version) return
    // SQLite leaves it to the system when a copy reaches the disk.
    syncPath(temporary)
    renameSync(temporary, target)
    syncPath(dirname(target))
  } finally {
    for (const end of ['', journalEnd]) rmSync(`${temporary}${end}`, { force: true })
  }
}

/** Removes what killed processes had copied so far. The home is locked: nobody else copies. */
export function removeHalfCopies(path: string): void {
  const prefix = `${basename(path)}.v`
  for (const name of readdirSync(dirname(path))) {
    if (name.startsWith(prefix) && halfCopy.test(name.slice(prefix.length)))
      rmSync(join(dirname(path), name), { force: true })
  }
}

/**
 * The version with which the upgrade began that has brought the file to `version` and was cut off there, else `version`. A
 * copy from within an upgrade is no way back: no Atrium of before may know its version.
 */
function beginningOf(db: DatabaseSync, version: number): number {
  const mark = Number(db.prepare('PRAGMA application_id').get()?.['application_id'])
  return mark % underWay === version ? Math.floor(mark / underWay) : version
}

/** The schema version of a file; 0 if it is empty. */
export function versionOf(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0)
}
