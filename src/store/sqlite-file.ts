// The file of a SQLite database: made for its owner only, with a write-ahead log, and the settings of its connections.
import { closeSync, openSync, statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { AppError } from '#core/errors.ts'
import { isBusy } from './sqlite-faults.ts'

/** How long a connection waits for another process. */
export const maxBusyMs = 5_000

/** Creates a missing file with access for its owner only; SQLite gives the WAL the same mode. SQLite reports any error. */
export function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o600))
  } catch {}
}

/**
 * A check that the file is still the one that is open now. In a file that was removed or replaced, commits succeed and are
 * lost. SQLite itself compares the same numbers, but not with a write-ahead log.
 */
export function watchFile(path: string): () => void {
  const opened = inodeOf(path)
  return () => {
    if (inodeOf(path) === opened) return
    const way = 'nothing more is stored; put it back, or stop Atrium and start it again'
    throw new AppError('database_unavailable', `${path} was removed, replaced or closed off while it was open: ${way}`)
  }
}

/** Undefined where there is no file, or its folder may not be entered. */
function inodeOf(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.ino
  } catch {
    return undefined
  }
}

/** True if a process that was killed has left a log, or another one has the file open. */
export function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
}

/** Switches to WAL. If two processes do so at once, SQLite fails one of them without its busy timeout: retry here. */
export function enableWal(db: DatabaseSync): void {
  const until = performance.now() + maxBusyMs
  for (;;) {
    try {
      return db.exec('PRAGMA journal_mode=WAL')
    } catch (error) {
      if (!isBusy(error) || performance.now() > until) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}

/** Sets what every connection has. Deleted content is overwritten: erasing a user must erase their texts. */
export function setUpConnection(db: DatabaseSync): void {
  db.exec('PRAGMA synchronous=FULL; PRAGMA foreign_keys=OFF; PRAGMA temp_store=MEMORY')
  db.exec('PRAGMA cache_size=-16000; PRAGMA journal_size_limit=67108864; PRAGMA secure_delete=ON')
}
