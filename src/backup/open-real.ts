// Opens files and folders of the home for a backup and follows no link: one that is put in place after a look would lead to
// the keys. The handle is opened first and its real path compared afterwards.
import { constants, realpathSync } from 'node:fs'
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants
const isLinux = process.platform === 'linux'

/** The real path of a folder of the home, which may be a link to a place outside. Undefined for a link to the home's own files. */
export function realFolder(home: string, name: string): string | undefined {
  const [top, real] = [realpathSync(home), realpathSync(join(home, name))]
  return real === join(top, name) || !(isInside(top, real) || isInside(real, top)) ? real : undefined
}

/** Opens a regular file by its real path. Undefined for anything else. A FIFO does not hold it up. */
export async function openRealFile(path: string): Promise<FileHandle | undefined> {
  const file = await openReal(path, O_NONBLOCK)
  if (file && (await file.stat()).isFile()) return file
  await file?.close()
  return undefined
}

/** Opens a folder by its real path. `at` is the path of the open folder itself. */
export async function openRealFolder(path: string): Promise<{ handle: FileHandle; at: string } | undefined> {
  const handle = await openReal(path, O_DIRECTORY)
  // Only Linux has a path for an open folder.
  return handle && { handle, at: isLinux ? `/proc/self/fd/${handle.fd}` : path }
}

async function openReal(path: string, flag: number): Promise<FileHandle | undefined> {
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | flag)
  try {
    if ((await (isLinux ? readlink(`/proc/self/fd/${handle.fd}`) : realpath(path))) === path) return handle
  } catch (error) {
    await handle.close()
    throw error
  }
  await handle.close()
  return undefined
}

function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}
