// The service home: a private folder with the database, the master key, the operator's token and the log.
import { randomBytes, randomUUID } from 'node:crypto'
import { chmodSync, existsSync, linkSync } from 'node:fs'
import { readdirSync, readFileSync, readlinkSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AppError, tooManyFiles } from '#core/errors.ts'
import { finishRestore } from '#home/restore-stage.ts'
import { createFolder } from '#lib/create-folder.ts'
import { newToken } from '#lib/token.ts'
import { openingFault } from '#lib/too-many-files.ts'

const lockName = 'lock'
const keyPattern = /^[0-9a-f]{64}$/

export type Home = {
  readonly path: string
  readonly database: string
  readonly logFile: string
}

/**
 * Opens the home and creates a missing folder. Throws home_unwritable or forbidden with the way out. `toRead` also opens one on
 * a disk that is read-only.
 */
export function openHome(path: string, { toRead = false }: { readonly toRead?: boolean } = {}): Home {
  try {
    checkLink(path)
    createFolder(path)
    if (!statSync(path).isDirectory()) throw new Error('it is not a folder')
    checkOwner(path)
    chmodSync(path, 0o700)
    const probe = join(path, `.probe-${randomUUID()}`)
    writeFileSync(probe, '', { mode: 0o600 })
    rmSync(probe)
    createPrivateFile(join(path, lockName))
  } catch (error) {
    if (toRead && (error as NodeJS.ErrnoException).code === 'EROFS') return homeAt(path)
    throw error instanceof AppError ? error : unwritable(path, error)
  }
  return homeAt(path)
}

/** The home at a path, without checking the disk. */
export function homeAt(path: string): Home {
  return { path, database: join(path, 'atrium.db'), logFile: join(path, 'atrium.log') }
}

/**
 * Locks the home for this process, and carries out a restore that a killed process has decided. Returns the function that
 * unlocks it; undefined while another process has it.
 * SQLite's file lock ends with its process, even after a crash, so a restart takes over at once.
 */
export function lockHome(home: Home): (() => void) | undefined {
  const db = openLock(home)
  try {
    db.exec('PRAGMA journal_mode=MEMORY; BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if (((error as { errcode?: number }).errcode ?? 0) % 256 === 5) return undefined
    throw unwritable(home.path, error)
  }
  finishRestore(home.path)
  return () => db.close()
}

function openLock({ path }: Home): DatabaseSync {
  try {
    return new DatabaseSync(join(path, lockName), { timeout: 0 })
  } catch (error) {
    throw tooManyFiles(openingFault()) ?? unwritable(path, error)
  }
}

/** Removes a home that has nothing but its lock. */
export function removeUnusedHome({ path }: Home): void {
  if (readdirSync(path).some((name) => name !== lockName)) return
  rmSync(path, { recursive: true })
}

/** The key that seals secrets: from the environment, else from a file in the home. */
export function masterKey(home: Home, fromEnvironment: string | undefined): string {
  return (
    fromEnvironment?.toLowerCase() ?? readOrCreate(keyFile(home), () => randomBytes(32).toString('hex'), keyPattern)
  )
}

/** The new key of an interrupted key change, which may have sealed secrets already; undefined if there is none. */
export function nextKey(home: Home): string | undefined {
  const file = nextKeyFile(home)
  return existsSync(file) ? readOrCreate(file, () => '', keyPattern) : undefined
}

/** Creates the next key, or returns that of an interrupted change. It is synced to disk before this returns. */
export function createNextKey(home: Home): string {
  return readOrCreate(nextKeyFile(home), () => randomBytes(32).toString('hex'), keyPattern)
}

/** Replaces the key by the next one. Call it once everything is sealed under the next key. */
export function useNextKey(home: Home): void {
  renameSync(nextKeyFile(home), keyFile(home))
}

/** The operator's provisioned token, created at the first start. */
export function provisionedToken(home: Home): string {
  return readOrCreate(tokenFile(home), newToken, /^[\x21-\x7e]{16,4096}$/)
}

/** The operator's provisioned token, if one was created. */
export function existingToken(home: Home): string | undefined {
  return existsSync(tokenFile(home)) ? provisionedToken(home) : undefined
}

export function keyFile({ path }: Home): string {
  return join(path, 'master-key')
}

export function nextKeyFile({ path }: Home): string {
  return join(path, 'master-key.next')
}

export function tokenFile({ path }: Home): string {
  return join(path, 'webui-token')
}

/** Throws home_unwritable where a path leads over a symbolic link to nothing: no folder can be made there. */
export function checkLink(path: string): void {
  if (existsSync(path)) return
  const target = targetOf(path)
  if (target !== undefined)
    throw new AppError(
      'home_unwritable',
      `${path} is a symbolic link to ${target}, which is not there: make that folder or mount its disk, or set ATRIUM_HOME to another one`,
    )
  if (dirname(path) !== path) checkLink(dirname(path))
}

/** Undefined for what is no link, or cannot be looked at. */
function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link)
  } catch {
    return undefined
  }
}

/** Throws forbidden for a file of another user: root could use it, and would trust that user's content. */
export function checkOwner(path: string): void {
  const [owner, self] = [statSync(path).uid, process.geteuid?.()]
  if (self === undefined || owner === self) return
  throw new AppError(
    'forbidden',
    `${path} belongs to user ${owner}, but this is user ${self}: run as that user, or set ATRIUM_HOME to your own folder`,
  )
}

const withoutLinks: ReadonlySet<string> = new Set(['EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

function readOrCreate(file: string, create: () => string, pattern: RegExp): string {
  if (!existsSync(file)) createWhole(file, `${create()}\n`)
  checkOwner(file)
  const text = readFileSync(file, 'utf8').trim()
  if (!pattern.test(text))
    throw new AppError('invalid_config', `${file} has invalid content: restore it, or move it away`)
  return text
}

/**
 * Creates a file that is on the disk with all its content or not at all: an empty key, left by a full disk, would stop every
 * later start. Of two processes that start together one creates it, because a link replaces nothing.
 */
function createWhole(file: string, content: string): void {
  // Not the pid: two containers that share a home may have the same.
  const made = `${file}.${randomUUID()}.new`
  const how = { mode: 0o600, flush: true }
  try {
    writeFileSync(made, content, how)
    if (!linked(made, file)) writeFileSync(file, content, { ...how, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritable(file, error)
  } finally {
    rmSync(made, { force: true })
  }
}

/** False where there are no hard links: on FAT, and in the storage of Android. */
function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if (withoutLinks.has((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  }
}

/** Creates a missing file. An existing one is not opened: closing it would drop this process's locks on it. */
function createPrivateFile(file: string): void {
  try {
    writeFileSync(file, '', { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function unwritable(path: string, cause: unknown): AppError {
  const tooMany = tooManyFiles(cause)
  if (tooMany) return tooMany
  if ((cause as NodeJS.ErrnoException).code === 'ENOSPC')
    return new AppError('disk_full', `${path} cannot be written: the disk is full; free some space and try again`, {
      cause,
    })
  const why = cause instanceof Error ? cause.message.split('\n', 1)[0] : String(cause)
  return new AppError('home_unwritable', `${path} cannot be written (${why}): set ATRIUM_HOME to your own folder`, {
    cause,
  })
}
