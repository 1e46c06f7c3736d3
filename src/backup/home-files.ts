// The files of a home that belong in a backup: the workspaces, and on request the key and the operator's token.
import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { mkdir, open, opendir, readlink, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError } from '#core/errors.ts'
import { type Home, keyFile, nextKeyFile, tokenFile } from '#home.ts'
import { withoutUndefined } from '#lib/without-undefined.ts'
import { filePartBytes, type Line } from './format.ts'
import { openRealFile, openRealFolder, realFolder } from './open-real.ts'

/** Folders of the home with files of people. */
export const fileFolders = ['workspace', 'users'] as const
export const keyNames = ['master-key', 'master-key.next', 'webui-token'] as const
type KeyName = (typeof keyNames)[number]
const maxPathLength = 4_096
const privateMode = 0o600

export type Keys = Partial<Record<KeyName, string>>

/** Keys and token in use. A value of the environment stands for the file. */
export function readKeys(
  home: Home,
  { masterKey, operatorToken }: { masterKey?: string; operatorToken?: string },
): Keys {
  const [key, next, token] = [keyFile(home), nextKeyFile(home), tokenFile(home)].map((file) =>
    existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined,
  )
  const found = { 'master-key': masterKey?.toLowerCase() ?? key, 'webui-token': operatorToken ?? token }
  return withoutUndefined({ ...found, 'master-key.next': masterKey === undefined ? next : undefined })
}

/** The keys that open what was sealed between two looks: a rotation may have come between them. */
export function joinKeys(before: Keys, after: Keys): Keys {
  // The first key may have been made between the looks.
  const first = before['master-key'] ?? after['master-key']
  const second = after['master-key.next'] ?? after['master-key']
  return withoutUndefined({
    ...after,
    'master-key': first,
    'master-key.next': second === first ? undefined : second,
  })
}

export function keyLines(keys: Keys): Line[] {
  return Object.entries(keys).flatMap(([path, value]): Line[] => [
    { type: 'file', path, mode: privateMode },
    { type: 'part', bytes: Buffer.from(`${value}\n`) },
  ])
}

/** Files and links below the folders of a home, a few lines at a time. Calls `onSkipped` for what cannot be read as a whole. */
export async function* fileLines(home: Home, onSkipped: OnSkipped): AsyncGenerator<readonly Line[]> {
  for (const name of fileFolders.filter((each) => existsSync(join(home.path, each)))) {
    const top = realFolder(home.path, name)
    if (top === undefined) onSkipped(name)
    const folders = top === undefined ? [] : [name as string]
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      try {
        yield* entriesOf({ path: folder, real: `${top}${folder.slice(name.length)}` }, { folders, onSkipped })
      } catch (error) {
        if (!isGone(error)) onSkipped(folder)
      }
    }
  }
}

type OnSkipped = (path: string) => void
type Place = { readonly path: string; readonly real: string }

/** The files and links of one folder, or the folder itself if it is empty. Folders in it are added to `folders`. */
async function* entriesOf(
  { path: folder, real }: Place,
  { folders, onSkipped }: { folders: string[]; onSkipped: OnSkipped },
): AsyncGenerator<readonly Line[]> {
  const opened = await openRealFolder(real)
  let empty = folder.includes('/')
  try {
    for await (const { name } of await opendir(opened.at)) {
      empty = false
      const path = `${folder}/${name}`
      try {
        const found = lstatSync(join(opened.at, name), { throwIfNoEntry: false })
        // Removed meanwhile, or a name that is not UTF-8.
        if (!found) {
          if (name.includes('\u{fffd}')) onSkipped(path)
        } else if (found.isDirectory()) folders.push(path)
        else if (found.isSymbolicLink()) yield [{ type: 'link', path, to: await readlink(join(opened.at, name)) }]
        else if (found.isFile()) yield* partsOf({ path, real: join(real, name) })
      } catch (error) {
        if (!isGone(error)) onSkipped(path)
      }
    }
    if (empty) yield [{ type: 'folder', path: folder }]
  } finally {
    await opened.handle.close()
  }
}

async function* partsOf({ path, real }: Place): AsyncGenerator<readonly Line[]> {
  const file = await openRealFile(real)
  try {
    const { size, mode } = await file.stat()
    yield [{ type: 'file', path, mode: mode & 0o777 }]
    // At most what it had at the beginning: somebody may go on writing it.
    for (let left = size; left > 0; ) {
      const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(Math.min(left, filePartBytes)) })
      if (bytesRead === 0) throw new Error('it was cut short meanwhile')
      left -= bytesRead
      yield [{ type: 'part', bytes: buffer.subarray(0, bytesRead) }]
    }
  } finally {
    await file.close()
  }
}

function isGone(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
}

/** Writes files of a backup below a folder. Links are made at the end, after every folder: nothing is written through one. */
export function createFileWriter(folder: string, leaveOut: readonly string[]) {
  let file: Awaited<ReturnType<typeof open>> | undefined
  const links: { readonly path: string; readonly to: string }[] = []
  const close = async (): Promise<void> => {
    await file?.sync()
    await file?.close()
    file = undefined
  }
  return {
    async add(line: Line): Promise<void> {
      if (line.type === 'part') await file?.write(line.bytes)
      else await close()
      if (line.type === 'file' && !leaveOut.includes(line.path)) {
        const path = join(folder, checkPath(line.path))
        await mkdir(dirname(path), { recursive: true, mode: 0o700 })
        const mode = isKey(line.path) ? privateMode : line.mode & 0o777
        file = await open(path, 'wx', mode)
        // The mask of the process would take bits away.
        await file.chmod(mode)
      }
      if (line.type === 'folder') await mkdir(join(folder, checkFolder(line.path)), { recursive: true, mode: 0o700 })
      if (line.type === 'link' && !isKey(line.path)) links.push({ path: checkPath(line.path), to: line.to })
    },
    async end(): Promise<void> {
      await close()
      for (const { path } of links) await mkdir(dirname(join(folder, path)), { recursive: true, mode: 0o700 })
      for (const { path, to } of links) await symlink(to, join(folder, path)).catch((error) => refuseTwice(error, path))
    },
    close,
  }
}

/** A link where a file, a folder or a link is already: no backup of a home has that. */
function refuseTwice(error: NodeJS.ErrnoException, path: string): never {
  if (error.code !== 'EEXIST') throw error
  throw new AppError('invalid_input', `the backup has two things under one name: ${path.slice(0, 100)}`, {
    cause: error,
  })
}

/** A path of a backup names a key, or a file below one of the folders. */
export function checkPath(path: string): string {
  const [first = '', ...rest] = path.split('/')
  const below = fileFolders.some((name) => name === first) && rest.length > 0
  const plain = rest.every((part) => part !== '' && part !== '.' && part !== '..')
  if (path.length <= maxPathLength && !path.includes('\0') && (isKey(path) || (below && plain))) return path
  throw new AppError('invalid_input', `the backup has a file that is not of a home: ${path.slice(0, 100)}`)
}

function checkFolder(path: string): string {
  if (isKey(path)) throw new AppError('invalid_input', `the backup has a folder in place of ${path}`)
  return checkPath(path)
}

function isKey(path: string): boolean {
  return keyNames.some((name) => name === path)
}
