// The folder of sockets whose path in their home would be too long.
import { join } from 'node:path'

/** Private to this user; there is one for all homes. */
export function socketFolder(): string {
  return join('/tmp', `atrium-${process.geteuid?.() ?? 'user'}`)
}
