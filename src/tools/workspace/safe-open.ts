// Opening what is in a workspace, and nothing else. A handle is opened first and its real place looked at afterwards: a
// link that is changed meanwhile changes nothing. From a folder's handle on, names are looked up in that very folder.
import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readlink, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { AppError } from '#core/errors.ts'

const { O_RDONLY, O_DIRECTORY, O_NONBLOCK } = constants
const isLinux = process.platform === 'linux'

/** A folder held open. `at` names what is in it, wherever the folder is moved. */
export type Held = AsyncDisposable & { readonly handle: FileHandle; at(name: string): string }

export type Place = {
  /** The folder of the workspace; made when it is missing. */
  readonly root: string
  readonly names: readonly string[]
}

/** Opens a folder of the workspace; with `make`, makes what is missing of it. */
export async function openFolder({ root, names }: Place, { make = false } = {}): Promise<Held> {
  await mkdir(root, { recursive: true, mode: 0o700 })
  const top = await realpath(root)
  let held = hold(await open(top, O_RDONLY | O_DIRECTORY), top)
  for (const [at, name] of names.entries()) {
    const shown = names.slice(0, at + 1).join('/')
    await using above = held
    held = await enter(above, name, { top, shown, make })
  }
  return held
}

/** Opens a file for reading, a plain one only. */
export async function openFile({ root, names }: Place): Promise<FileHandle> {
  const shown = names.join('/')
  await using folder = await openFolder({ root, names: names.slice(0, -1) })
  const path = folder.at(names.at(-1) ?? '.')
  try {
    // Before it is opened: to open a device may do something.
    checkPlain(await stat(path), shown)
    return await opened(path, O_NONBLOCK, async (handle) => {
      checkPlain(await handle.stat(), shown)
      await checkInside(handle, path, { top: await realpath(root), shown })
      return handle
    })
  } catch (error) {
    throw faultOf(error, shown)
  }
}

type Wanted = { readonly top: string; readonly shown: string; readonly make: boolean }

async function enter(held: Held, name: string, { top, shown, make }: Wanted): Promise<Held> {
  const path = held.at(name)
  try {
    if (make && (await isMissing(path))) await mkdir(path, { mode: 0o755 }).catch(unlessThere)
    return await opened(path, O_DIRECTORY, async (handle) =>
      hold(handle, await checkInside(handle, path, { top, shown })),
    )
  } catch (error) {
    throw faultOf(error, shown)
  }
}

/** Opens to look: what does not pass is closed again. */
async function opened<T>(path: string, flag: number, pass: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await open(path, O_RDONLY | flag)
  try {
    return await pass(handle)
  } catch (error) {
    await handle.close()
    throw error
  }
}

function hold(handle: FileHandle, path: string): Held {
  // Elsewhere there is no name for an open folder: there its real path must do.
  const base = isLinux ? `/proc/self/fd/${handle.fd}` : path
  return { handle, at: (name) => join(base, name), [Symbol.asyncDispose]: () => handle.close() }
}

/** Where an open file really is. Throws forbidden when that is outside. */
async function checkInside(
  handle: FileHandle,
  path: string,
  { top, shown }: { top: string; shown: string },
): Promise<string> {
  const place = isLinux ? await readlink(`/proc/self/fd/${handle.fd}`) : await realpath(path)
  if (place !== top && !place.startsWith(top.endsWith(sep) ? top : top + sep)) {
    throw new AppError('forbidden', `${shown} leads out of the workspace`, { param: 'path' })
  }
  return place
}

function checkPlain(file: Stats, shown: string): void {
  if (file.isDirectory()) throw new AppError('invalid_input', `${shown} is a folder`, { param: 'path' })
  if (!file.isFile()) throw new AppError('invalid_input', `${shown} is no plain file`, { param: 'path' })
}

async function isMissing(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  )
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

/** A fault of the file system in words that name no path of the machine. */
export function faultOf(error: unknown, shown: string): unknown {
  if (error instanceof AppError) return error
  const code = (error as NodeJS.ErrnoException).code
  const name = shown === '' ? 'the workspace' : shown
  const said: Readonly<Record<string, string>> = {
    ENOENT: `${name} does not exist`,
    ENOTDIR: `${name} is not in a folder, or is none: a name of its path is a file`,
    ELOOP: `${name} is a link`,
    EACCES: `${name} may not be opened`,
    EPERM: `${name} may not be changed`,
    EISDIR: `${name} is a folder`,
    ENXIO: `${name} is no plain file`,
    ENAMETOOLONG: `${name.slice(0, 100)}… has too long a name`,
    ENOSPC: 'the disk is full',
    EROFS: 'the workspace cannot be written',
    EDQUOT: 'the disk is full',
  }
  if (code === undefined) return error
  return new AppError('invalid_input', said[code] ?? `${name} cannot be used (${code})`, {
    param: 'path',
    cause: error,
  })
}
