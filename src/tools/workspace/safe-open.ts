// Opens files and folders of a workspace, and nothing outside it. A handle is opened first and its real path checked
// afterwards, so a link that changes meanwhile has no effect. Names are then looked up in the open folder itself.
import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readlink, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { AppError } from '#core/errors.ts'

const { O_RDONLY, O_DIRECTORY, O_NONBLOCK } = constants
const isLinux = process.platform === 'linux'

/** An open folder. `at` gives the path of an entry, valid even if the folder is moved. */
export type OpenFolder = AsyncDisposable & { readonly handle: FileHandle; at(name: string): string }

/** A file or folder of a workspace. */
export type Location = {
  /** The folder of the workspace; created if missing. */
  readonly root: string
  /** The names of the path below `root`; none for the workspace itself. */
  readonly names: readonly string[]
}

/** Opens a folder of the workspace; with `make`, creates missing folders. */
export async function openFolder({ root, names }: Location, { make = false } = {}): Promise<OpenFolder> {
  await mkdir(root, { recursive: true, mode: 0o700 })
  const top = await realpath(root)
  let folder = openFolderOf(await open(top, O_RDONLY | O_DIRECTORY), top)
  for (const [at, name] of names.entries()) {
    const shown = names.slice(0, at + 1).join('/')
    await using parent = folder
    folder = await enter(parent, name, { top, shown, make })
  }
  return folder
}

/** Opens a regular file for reading. */
export async function openFile({ root, names }: Location): Promise<FileHandle> {
  const shown = names.join('/')
  await using folder = await openFolder({ root, names: names.slice(0, -1) })
  const path = folder.at(names.at(-1) ?? '.')
  try {
    // Checked before opening, since opening a device may have side effects.
    checkRegularFile(await stat(path), shown)
    return await opened(path, O_NONBLOCK, async (handle) => {
      checkRegularFile(await handle.stat(), shown)
      await checkInside(handle, path, { top: await realpath(root), shown })
      return handle
    })
  } catch (error) {
    throw faultOf(error, shown)
  }
}

type EnterOptions = { readonly top: string; readonly shown: string; readonly make: boolean }

async function enter(folder: OpenFolder, name: string, { top, shown, make }: EnterOptions): Promise<OpenFolder> {
  const path = folder.at(name)
  try {
    if (make && (await isMissing(path))) await mkdir(path, { mode: 0o755 }).catch(ignoreExisting)
    return await opened(path, O_DIRECTORY, async (handle) =>
      openFolderOf(handle, await checkInside(handle, path, { top, shown })),
    )
  } catch (error) {
    throw faultOf(error, shown)
  }
}

/** Opens a path and runs a check; closes the handle if the check throws. */
async function opened<T>(path: string, flag: number, check: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await open(path, O_RDONLY | flag)
  try {
    return await check(handle)
  } catch (error) {
    await handle.close()
    throw error
  }
}

function openFolderOf(handle: FileHandle, path: string): OpenFolder {
  // Only Linux has a path for an open folder; elsewhere its real path is used.
  const base = isLinux ? `/proc/self/fd/${handle.fd}` : path
  return { handle, at: (name) => join(base, name), [Symbol.asyncDispose]: () => handle.close() }
}

/** The real path of an open file. Throws forbidden if that is outside the workspace. */
async function checkInside(
  handle: FileHandle,
  path: string,
  { top, shown }: { top: string; shown: string },
): Promise<string> {
  const real = isLinux ? await readlink(`/proc/self/fd/${handle.fd}`) : await realpath(path)
  if (real !== top && !real.startsWith(top.endsWith(sep) ? top : top + sep)) {
    throw new AppError('forbidden', `${shown} leads out of the workspace`, { param: 'path' })
  }
  return real
}

function checkRegularFile(file: Stats, shown: string): void {
  if (file.isDirectory()) throw new AppError('invalid_input', `${shown} is a folder`, { param: 'path' })
  if (!file.isFile()) throw new AppError('invalid_input', `${shown} is not a regular file`, { param: 'path' })
}

async function isMissing(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  )
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

/** Converts an error of the file system to an AppError without paths of the machine. */
export function faultOf(error: unknown, shown: string): unknown {
  if (error instanceof AppError) return error
  const code = (error as NodeJS.ErrnoException).code
  const name = shown === '' ? 'the workspace' : shown
  const messages: Readonly<Record<string, string>> = {
    ENOENT: `${name} does not exist`,
    ENOTDIR: `${name} is not a folder, or a name in its path is a file`,
    ELOOP: `${name} is a link`,
    EACCES: `${name} may not be opened`,
    EPERM: `${name} may not be changed`,
    EISDIR: `${name} is a folder`,
    ENXIO: `${name} is not a regular file`,
    ENAMETOOLONG: `${name.slice(0, 100)}… has a name that is too long`,
    ENOSPC: 'the disk is full',
    EROFS: 'the workspace cannot be written',
    EDQUOT: 'the disk is full',
  }
  if (code === undefined) return error
  return new AppError('invalid_input', messages[code] ?? `${name} cannot be used (${code})`, {
    param: 'path',
    cause: error,
  })
}
