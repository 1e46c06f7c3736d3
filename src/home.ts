// The service home: a private folder with the database, the key, the operator's token and the log.
import { randomBytes } from 'node:crypto'
import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync } from 'node:fs'
import { openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AppError } from '#core/errors.ts'
import { newToken } from '#lib/token.ts'

const lockName = 'lock'
const keyForm = /^[0-9a-f]{64}$/

export type Home = {
  readonly path: string
  readonly database: string
  readonly logFile: string
}

/** Makes the folder where it is missing. Throws home_unwritable or forbidden with the way out. */
export function openHome(path: string): Home {
  try {
    makeFolder(path)
    if (!statSync(path).isDirectory()) throw new Error('it is not a folder')
    checkOwner(path)
    chmodSync(path, 0o700)
    const probe = join(path, `.probe-${process.pid}`)
    writeFileSync(probe, '', { mode: 0o600 })
    rmSync(probe)
    makePrivate(join(path, lockName))
  } catch (error) {
    throw error instanceof AppError ? error : unwritable(path, error)
  }
  return homeAt(path)
}

/** The home at a path, without a look at the disk. */
export function homeAt(path: string): Home {
  return { path, database: join(path, 'atrium.db'), logFile: join(path, 'atrium.log') }
}

/**
 * Takes the home for this process; undefined while another has it. SQLite's file lock ends with the process that holds
 * it, however that ends, so a restart takes over at once.
 */
export function lockHome(home: Home): (() => void) | undefined {
  const db = new DatabaseSync(join(home.path, lockName), { timeout: 0 })
  try {
    db.exec('PRAGMA journal_mode=MEMORY; BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if (((error as { errcode?: number }).errcode ?? 0) % 256 === 5) return undefined
    throw unwritable(home.path, error)
  }
  return () => db.close()
}

/** The key that seals secrets: given by the environment, else kept in the home. */
export function masterKey(home: Home, given: string | undefined): string {
  return given?.toLowerCase() ?? readOrMake(keyFile(home), () => randomBytes(32).toString('hex'), keyForm)
}

/** A key that a change of keys has made, and perhaps sealed with already; undefined when none was cut off. */
export function nextKey(home: Home): string | undefined {
  const file = nextKeyFile(home)
  return existsSync(file) ? readOrMake(file, () => '', keyForm) : undefined
}

/** Makes the key that is to follow, or finds the one of a change that was cut off. It is on the disk when this returns. */
export function makeNextKey(home: Home): string {
  const key = readOrMake(nextKeyFile(home), () => randomBytes(32).toString('hex'), keyForm)
  const file = openSync(nextKeyFile(home), 'r')
  fsyncSync(file)
  closeSync(file)
  return key
}

/** Everything is sealed under the next key: it takes the place of the one before. */
export function useNextKey(home: Home): void {
  renameSync(nextKeyFile(home), keyFile(home))
}

function nextKeyFile({ path }: Home): string {
  return join(path, 'master-key.next')
}

/** The operator's provisioned token, made at the first start. */
export function provisionedToken(home: Home): string {
  return readOrMake(tokenFile(home), newToken, /^[\x21-\x7e]{16,4096}$/)
}

export function keyFile({ path }: Home): string {
  return join(path, 'master-key')
}

export function tokenFile({ path }: Home): string {
  return join(path, 'webui-token')
}

/** Throws forbidden for what belongs to somebody else: root could use it, and would trust what they put there. */
export function checkOwner(path: string): void {
  const [owner, self] = [statSync(path).uid, process.geteuid?.()]
  if (self === undefined || owner === self) return
  throw new AppError(
    'forbidden',
    `${path} belongs to another user (${owner}, this one is ${self}): run as that user, or set ATRIUM_HOME to a folder of yours`,
  )
}

function readOrMake(file: string, make: () => string, form: RegExp): string {
  try {
    // `wx` makes one winner of two processes that start together.
    writeFileSync(file, `${make()}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritable(file, error)
  }
  checkOwner(file)
  const text = readFileSync(file, 'utf8').trim()
  if (!form.test(text))
    throw new AppError('invalid_config', `${file} does not hold what it should: restore it, or move it away`)
  return text
}

/** Makes a folder and those above it. One by one: Node's own way never returns where nothing can be made, as in /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  const parent = dirname(path)
  if (parent !== path) makeFolder(parent)
  mkdirSync(path, { mode: 0o700 })
}

/** Makes a missing file. One that exists is not even opened: closing it again would drop this process's locks on it. */
function makePrivate(file: string): void {
  try {
    writeFileSync(file, '', { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function unwritable(path: string, cause: unknown): AppError {
  const why = cause instanceof Error ? cause.message.split('\n', 1)[0] : String(cause)
  return new AppError('home_unwritable', `${path} cannot be written (${why}): set ATRIUM_HOME to a folder of yours`, {
    cause,
  })
}
