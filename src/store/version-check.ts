// Checks that this Atrium can work with the version of a database, and makes the errors for other versions.
import { AppError } from '#core/errors.ts'
import type { Migration } from './migration.ts'

/** The oldest version whose processes may use a database of this version. */
export function oldestShared(version: number, steps: readonly Migration[]): number {
  return steps.slice(0, version).findLastIndex(({ shared }) => !shared) + 1
}

/** Refuses to open a database of a newer Atrium. `path` is its file, if it has one. */
export function checkVersion(found: number, steps: readonly Migration[], path?: string): void {
  if (found <= steps.length) return
  const copy = path === undefined ? '' : ` (a copy from before the upgrade is named ${path}.vN.backup)`
  throw new AppError(
    'database_unavailable',
    `the database has version ${found}, this Atrium knows ${steps.length}: run the newer Atrium, or restore a backup${copy}`,
  )
}

/** The error of an open database that a newer Atrium has migrated meanwhile. */
export function outdated(found: number, known: number): AppError {
  return new AppError(
    'database_unavailable',
    `a newer Atrium has brought the database to version ${found}, which this one (version ${known}) cannot work with: nothing more is stored; start the newer Atrium in its place`,
  )
}
