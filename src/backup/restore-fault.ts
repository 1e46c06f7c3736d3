// What the disk or the database says to the content of a backup, in words that a user can act on. Pure.
import { AppError } from '#core/errors.ts'
import { asAppError } from '#store/sqlite-faults.ts'

/** Codes of the file system for a name or a place that no home has. */
const refusedNames: ReadonlySet<unknown> = new Set(['ENAMETOOLONG', 'EEXIST', 'EISDIR', 'ENOTDIR'])

/** An error of a restore as an AppError; a bug is returned unchanged. */
export function restoreFault(error: unknown, { home, file }: { home: string; file: string }): unknown {
  const cause = asAppError(error)
  // `errcode` is SQLite's, `severity` PostgreSQL's.
  const { code, message, errcode, severity } = cause as NodeJS.ErrnoException & { errcode?: number; severity?: string }
  if (code === 'ENOSPC' || code === 'disk_full')
    return new AppError('disk_full', `the disk of ${home} is full: nothing was restored; free some space`, { cause })
  if (cause instanceof AppError) return cause
  if (!refusedNames.has(code) && errcode === undefined && severity === undefined) return cause
  return new AppError('invalid_input', `${file} cannot be used: ${message}; nothing was restored`, { cause })
}
