// Writes a file of the workspace atomically: to a temporary file, synced to disk, then renamed.
import { randomBytes } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { AppError, wrongField } from '#core/errors.ts'
import { faultOf, openFolder, type Location, statIfExists } from './safe-open.ts'

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
const defaultMode = 0o644

/** Writes the file and creates missing folders. Returns true if it replaced a file, whose mode it keeps. */
export async function writeWhole({ names, ...rules }: Location, content: string): Promise<boolean> {
  const shown = names.join('/')
  const name = names.at(-1)
  if (name === undefined) throw wrongField('path', 'must name a file')
  await using folder = await openFolder({ ...rules, names: names.slice(0, -1), noLinks: true }, { make: true })
  const path = folder.at(name)
  const beside = folder.at(`.${name.slice(0, 40)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    const before = await statIfExists(path)
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
    // The rename, too, must be on disk.
    await folder.handle.sync()
    return before !== undefined
  } catch (error) {
    throw faultOf(error, shown)
  }
}

/** Only a regular file may be replaced: to replace a link would change what others see under its name. */
function checkReplaceable(file: Stats, shown: string): void {
  const what = file.isSymbolicLink() ? 'a link: write to its target' : file.isDirectory() ? 'a folder' : undefined
  if (what === undefined && file.isFile()) return
  throw new AppError('invalid_input', `${shown} is ${what ?? 'not a regular file'}`, { param: 'path' })
}
