// Writing a file of the workspace: whole or not at all. It is written beside, brought to the disk, then put in place.
import { randomBytes } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { lstat, open, rename, rm } from 'node:fs/promises'
import { AppError } from '#core/errors.ts'
import { faultOf, openFolder, type Place } from './safe-open.ts'

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
const defaultMode = 0o644

/** Writes the file, and makes the folders above it. True when there was one before; its mode stays. */
export async function writeWhole({ root, names }: Place, content: string): Promise<boolean> {
  const shown = names.join('/')
  const name = names.at(-1)
  if (name === undefined) throw new AppError('invalid_input', 'path must name a file', { param: 'path' })
  await using folder = await openFolder({ root, names: names.slice(0, -1) }, { make: true })
  const path = folder.at(name)
  const beside = folder.at(`.${name.slice(0, 40)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    const before = await present(path)
    if (before) checkReplaceable(before, shown)
    try {
      const file = await open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
      try {
        await file.writeFile(content, 'utf8')
        await file.chmod(before ? before.mode & 0o777 : defaultMode)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(beside, path)
    } catch (error) {
      await rm(beside, { force: true })
      throw error
    }
    // The name too must be on the disk.
    await folder.handle.sync()
    return before !== undefined
  } catch (error) {
    throw faultOf(error, shown)
  }
}

/** What a write would replace must be a plain file: to put one in the place of a link would change what others see. */
function checkReplaceable(file: Stats, shown: string): void {
  const what = file.isSymbolicLink() ? 'a link: write to what it leads to' : file.isDirectory() ? 'a folder' : undefined
  if (what === undefined && file.isFile()) return
  throw new AppError('invalid_input', `${shown} is ${what ?? 'no plain file'}`, { param: 'path' })
}

async function present(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
