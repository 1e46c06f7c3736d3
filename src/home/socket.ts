// The Unix socket between commands and the running service. It is in the home, where only its owner can open it.
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, realpathSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '#core/errors.ts'
import { checkOwner } from '#home.ts'
import { socketFolder } from '#lib/socket-folder.ts'

/** The longest socket path in bytes that every system takes; Linux takes four more. */
const maxPathLength = 103

/** Returns the path to listen on and removes an old socket. Only for the process that has locked the home. */
export function takeSocket(home: string): string {
  const socket = socketOf(home)
  const folder = dirname(socket)
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 })
  checkPrivate(folder)
  rmSync(socket, { force: true })
  return socket
}

/** The socket of a home, if it exists. One left by a crashed process does not answer. Throws forbidden. */
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

/** If the path in the home is too long, the socket is in a private folder under /tmp, named by a hash of the home. */
function socketOf(home: string): string {
  const real = realpathSync(home)
  const inside = join(real, 'socket')
  if (Buffer.byteLength(inside) <= maxPathLength) return inside
  const name = createHash('sha256').update(real).digest('hex').slice(0, 32)
  return join(socketFolder(), name)
}

/** Throws forbidden for a folder where another user could have created the socket. */
function checkPrivate(folder: string): void {
  const found = lstatSync(folder)
  checkOwner(folder)
  if (found.isDirectory() && (found.mode & 0o077) === 0) return
  throw new AppError(
    'forbidden',
    `${folder} must be a folder with mode 700, since it has the service's socket: remove it, or chmod 700 it`,
  )
}
