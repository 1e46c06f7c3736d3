// The service's own files: its keys, database, tokens, log and socket. No tool reaches them, wherever the workspace is.
import type { Stats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isInside } from '#lib/is-inside.ts'

/** True when a path of a workspace belongs to the service: it is in the home, and the workspace is not a folder in it. */
export function isHomeFile(path: string, { top, home }: { readonly top: string; readonly home: string }): boolean {
  return isInside(home, path) && (top === home || !isInside(home, top))
}

/** True when a file is another name (a hard link) of one in the home. */
export async function isLinkedToHome({ nlink, dev, ino }: Stats, home: string): Promise<boolean> {
  if (nlink < 2) return false
  for (const name of await readdir(home)) {
    const own = await stat(join(home, name)).catch(() => undefined)
    if (own?.isFile() && own.ino === ino && own.dev === dev) return true
  }
  return false
}
