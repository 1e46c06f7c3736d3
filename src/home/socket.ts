// Where commands meet the service of a home: a Unix socket in the home, which only its owner can enter.
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, realpathSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '#core/errors.ts'
import { checkOwner } from '#home.ts'

/** The path of a socket has room for no more on any system; Linux takes four bytes more. */
const maxPathLength = 103

/** The place to listen, made free. Only for the process that has the home: what stands there was left by one that is gone. */
export function takeSocket(home: string): string {
  const socket = socketOf(home)
  const folder = dirname(socket)
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 })
  checkPrivate(folder)
  rmSync(socket, { force: true })
  return socket
}

/** The socket of a home, if there is one; a process that crashed leaves one where nobody answers. Throws forbidden. */
export function findSocket(home: string): string | undefined {
  if (!statSync(home, { throwIfNoEntry: false })?.isDirectory()) return undefined
  checkOwner(home)
  const socket = socketOf(home)
  const found = lstatSync(socket, { throwIfNoEntry: false })
  if (!found?.isSocket()) return undefined
  checkPrivate(dirname(socket))
  checkOwner(socket)
  return socket
}

/** A home too deep for a socket has it in a private folder under /tmp, by a name made from the home's path. */
function socketOf(home: string): string {
  const real = realpathSync(home)
  const inside = join(real, 'socket')
  if (Buffer.byteLength(inside) <= maxPathLength) return inside
  const name = createHash('sha256').update(real).digest('hex').slice(0, 32)
  return join('/tmp', `atrium-${process.geteuid?.() ?? 'user'}`, name)
}

/** Throws forbidden for a folder in which somebody else could have put the socket. */
function checkPrivate(folder: string): void {
  const found = lstatSync(folder)
  checkOwner(folder)
  if (found.isDirectory() && (found.mode & 0o077) === 0) return
  throw new AppError(
    'forbidden',
    `${folder} must be a folder of mode 700, for the socket in it: remove it, or chmod 700 it`,
  )
}
