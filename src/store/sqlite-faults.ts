// Errors of SQLite as errors that a user can act on.
import { AppError, tooManyFiles } from '#core/errors.ts'
import { openingFault } from '#lib/too-many-files.ts'

/** SQLITE_BUSY: another process has locked the file. */
const busyCode = 5
/** SQLITE_IOERR_SHMSIZE: there is no room for the index of the log, which each first connection makes. */
const noRoomCode = 4874
/**
 * SQLITE_IOERR_WRITE and _TRUNCATE: a failing disk, or one that the system has made read-only. Not _FSYNC, after which a crash
 * may bring back what was written.
 */
const unwrittenCodes: ReadonlySet<number> = new Set([778, 1546])
/** SQLITE_READONLY: the file was opened to be read only. */
const readOnlyCode = 8
/** SQLITE_CANTOPEN: the file, or one that belongs to it, cannot be opened. */
const unopenableCode = 14

export function isBusy(error: unknown): boolean {
  return primaryCode(error) === busyCode
}

export function isReadOnly(error: unknown): boolean {
  return primaryCode(error) === readOnlyCode
}

export function isUnopenable(error: unknown): boolean {
  return primaryCode(error) === unopenableCode
}

/** Maps database errors that a user can act on to an AppError; others are returned unchanged. */
export function asAppError(error: unknown): unknown {
  const code = (error as { errcode?: number }).errcode
  if (code === undefined || error instanceof AppError) return error
  const { message } = error as Error
  const full = 'the disk is full: nothing was stored; free some space and try again'
  if (code === noRoomCode) return new AppError('disk_full', full, { cause: error })
  if (unwrittenCodes.has(code)) return unwritable(message, error)
  switch (primaryCode(error)) {
    case 13:
      return new AppError('disk_full', full, { cause: error })
    case readOnlyCode:
      return unwritable(message, error)
    case busyCode:
    case 6:
    case 10:
      return unavailable(message, error)
    case unopenableCode:
      return unavailable(tooManyFiles(openingFault())?.message ?? message, error)
    case 11:
    case 26:
      return new AppError('database_unavailable', `the database file is damaged (${message}); restore a backup`, {
        cause: error,
      })
    default:
      return error
  }
}

function unavailable(reason: string, cause: unknown): AppError {
  return new AppError('database_unavailable', `the database is unavailable (${reason})`, { cause })
}

function unwritable(reason: string, cause: unknown): AppError {
  return new AppError('home_unwritable', `the database cannot be written (${reason})`, { cause })
}

/** The low byte of a code of SQLite. */
function primaryCode(error: unknown): number {
  return ((error as { errcode?: number }).errcode ?? 0) & 0xff
}
