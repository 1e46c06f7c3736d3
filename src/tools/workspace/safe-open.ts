// Opens files and folders of a workspace, and nothing outside it. A handle is opened first and its real path checked
// afterwards, so a link that changes meanwhile has no effect. Names are then looked up in the open folder itself.
import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readlink, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '#core/errors.ts'
import { isInside } from '#lib/is-inside.ts'
import { isHomeFile, isLinkedToHome } from './home-files.ts'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants
const isLinux = process.platform === 'linux'

/** An open folder. `at` gives the path of an entry, valid even if the folder is moved. */
export type OpenFolder = AsyncDisposable & { readonly handle: FileHandle; at(name: string): string }

/** A file or folder of a workspace. */
export type Location = {
  /** The folder of the workspace; created if missing. */
  readonly root: string
  /** The real path of the service's home, whose own files are never opened. */
  readonly home: string
  /** The names of the path below `root`; none for the workspace itself. */
  readonly names: readonly string[]
  /** A file is opened only if its real path is below one of these folders, such as `notes/`. */
  readonly folders?: readonly string[]
  /** Links are refused, not followed: what is written is what the path names. */
  readonly noLinks?: true
}

/** Opens a folder of the workspace; with `make`, creates missing folders. */
export async function openFolder({ root, names, ...rules }: Location, { make = false } = {}): Promise<OpenFolder> {
  await mkdir(root, { recursive: true, mode: 0o700 })
  const top = await realpath(root)
  if (isHomeFile(top, { top, home: rules.home })) throw homeFault('the workspace')
  let folder = openFolderOf(await open(top, O_RDONLY | O_DIRECTORY), top)
  for (const [at, name] of names.entries()) {
    const shown = names.slice(0, at + 1).join('/')
    await using parent = folder
    folder = await enter(parent, name, { ...rules, top, shown, make })
  }
  return folder
}

/** Opens a regular file for reading. */
export async function openFile({ names, ...rules }: Location): Promise<FileHandle> {
  const shown = names.join('/')
  const { root, home, folders, noLinks } = rules
  await using folder = await openFolder({ ...rules, names: names.slice(0, -1) })
  const path = folder.at(names.at(-1) ?? '.')
  try {
    // Checked before opening, since opening a device may have side effects.
    checkRegularFile(await stat(path), shown)
    return await opened(path, O_NONBLOCK | (noLinks ? O_NOFOLLOW : 0), async (handle) => {
      const stats = await handle.stat()
      checkRegularFile(stats, shown)
      const top = await realpath(root)
      const real = await checkInside(handle, path, { top, home, shown })
      if (folders && !folders.some((each) => real.startsWith(join(top, each)))) {
        throw new AppError('forbidden', `${shown} leads out of ${folders.join(', ')}`, { param: 'path' })
      }
      if (await isLinkedToHome(stats, home)) throw homeFault(shown)
      return handle
    })
  } catch (error) {
    throw faultOf(error, shown)
  }
}

type EnterOptions = Pick<Location, 'home' | 'noLinks'> & {
  readonly top: string
  readonly shown: string
  readonly make: boolean
}

async function enter(folder: OpenFolder, name: string, options: EnterOptions): Promise<OpenFolder> {
  const { shown, make, noLinks } = options
  const path = folder.at(name)
  try {
    if (make && !(await statIfExists(path))) await mkdir(path, { mode: 0o755 }).catch(ignoreExisting)
    return await opened(path, O_DIRECTORY | (noLinks ? O_NOFOLLOW : 0), async (handle) =>
      openFolderOf(handle, await checkInside(handle, path, options)),
    )
  } catch (error) {
    const isLink = noLinks && (await lstat(path).catch(() => undefined))?.isSymbolicLink()
    if (isLink) throw new AppError('invalid_input', `${shown} is a link: write to its target`, { param: 'path' })
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

/** The real path of an open file. Throws forbidden if that is outside the workspace or belongs to the service. */
async function checkInside(
  handle: FileHandle,
  path: string,
  { top, home, shown }: { top: string; home: string; shown: string },
): Promise<string> {
  const real = isLinux ? await readlink(`/proc/self/fd/${handle.fd}`) : await realpath(path)
  if (!isInside(top, real)) {
    throw new AppError('forbidden', `${shown} leads out of the workspace`, { param: 'path' })
  }
  if (isHomeFile(real, { top, home })) throw homeFault(shown)
  return real
}

function homeFault(shown: string): AppError {
  return new AppError('forbidden', `${shown} belongs to the service itself`, { param: 'path' })
}

function checkRegularFile(file: Stats, shown: string): void {
  if (file.isDirectory()) throw new AppError('invalid_input', `${shown} is a folder`, { param: 'path' })
  if (!file.isFile()) throw new AppError('invalid_input', `${shown} is not a regular file`, { param: 'path' })
}

/** The file or link at a path; undefined if there is none. */
export async function statIfExists(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
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
