// Opens files and folders of the home for a backup and follows no link: one that is put in place after a look would lead to
// the keys. The handle is opened first and its real path compared afterwards.
import { constants, realpathSync } from 'node:fs'
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { isInside } from '#lib/is-inside.ts'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants
const isLinux = process.platform === 'linux'

/** The real path of a folder of the home, which may be a link to a place outside. Undefined for a link to the home's own files. */
export function realFolder(home: string, name: string): string | undefined {
  const [top, real] = [realpathSync(home), realpathSync(join(home, name))]
  return real === join(top, name) || !(isInside(top, real) || isInside(real, top)) ? real : undefined
}

/** Opens a regular file by its real path. Throws for anything else; a FIFO does not hold it up. */
export function openRealFile(path: string): Promise<FileHandle> {
  return openReal(path, O_NONBLOCK, async (file) => (await file.stat()).isFile())
}

/** Opens a folder by its real path. `at` is the path of the open folder itself. */
export async function openRealFolder(path: string): Promise<{ handle: FileHandle; at: string }> {
  const handle = await openReal(path, O_DIRECTORY)
  // Only Linux has a path for an open folder.
  return { handle, at: isLinux ? `/proc/self/fd/${handle.fd}` : path }
}

async function openReal(
  path: string,
  flag: number,
  isRight: (handle: FileHandle) => Promise<boolean> = () => Promise.resolve(true),
): Promise<FileHandle> {
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | flag)
  try {
    const real = await (isLinux ? readlink(`/proc/self/fd/${handle.fd}`) : realpath(path))
    if (real !== path || !(await isRight(handle))) throw new Error('it was replaced meanwhile')
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}
