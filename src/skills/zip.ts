// Reads a ZIP archive with one top folder as a skill's folder. Bounded: an archive that would grow, leaves its folder or
// holds links is refused before anything is unpacked.
import type { Entry } from 'yauzl'
import { AppError, errorMessage } from '#core/errors.ts'
import { maxSkillBytes, maxSkillFiles, type SkillFile, type SkillFolder } from '#core/skill.ts'
import { skillPathFault } from './format.ts'
import { isClutter } from './folder.ts'

/** Folders and clutter count here, files of the skill have a lower limit. */
const maxEntries = 2_000
const [typeMask, linkType] = [0o170000, 0o120000]

/** The folder in an archive. Throws invalid_input, too_large. */
export async function readZip(bytes: Buffer): Promise<SkillFolder> {
  const { fromBufferPromise } = await import('yauzl')
  try {
    const archive = await fromBufferPromise(bytes, { lazyEntries: true, strictFileNames: true })
    if (archive.entryCount > maxEntries) throw tooLarge(`${archive.entryCount} entries`, maxEntries)
    const entries: Entry[] = []
    let total = 0
    for await (const entry of archive.eachEntry()) {
      checkEntry(entry)
      if (entry.fileName.endsWith('/') || isClutter(entry.fileName)) continue
      total += entry.uncompressedSize
      if (entries.push(entry) > maxSkillFiles) throw tooLarge(`more than ${maxSkillFiles} files`, maxSkillFiles)
      if (total > maxSkillBytes) throw tooLarge(`${total} bytes`, maxSkillBytes)
    }
    const name = topFolder(entries)
    const files: SkillFile[] = []
    for (const entry of entries) {
      // The reader ends with an error when a file is larger than the archive says.
      const content = Buffer.concat(await (await archive.openReadStreamPromise(entry)).toArray())
      files.push({ path: entry.fileName.slice(name.length + 1), content })
    }
    return { name, files }
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('invalid_input', `the archive cannot be read: ${errorMessage(error)}`, { cause: error })
  }
}

function checkEntry(entry: Entry): void {
  const { fileName } = entry
  const fault = skillPathFault(fileName.replace(/\/$/, ''))
  if (fault)
    throw new AppError('invalid_input', `the archive holds ${JSON.stringify(fileName.slice(0, 200))}: ${fault}`)
  if (((entry.externalFileAttributes >>> 16) & typeMask) === linkType) {
    throw new AppError('invalid_input', `the archive holds a link, ${fileName}: a skill has files only`)
  }
  if (entry.isEncrypted()) throw new AppError('invalid_input', `${fileName} is encrypted`)
}

function topFolder(entries: readonly Entry[]): string {
  const tops = new Set(entries.map(({ fileName }) => fileName.slice(0, Math.max(fileName.indexOf('/'), 0))))
  const [name] = tops
  if (tops.size === 1 && name !== undefined && name !== '') return name
  throw new AppError('invalid_input', 'the archive needs one top folder, which is the skill, and nothing beside it')
}

function tooLarge(what: string, max: number): AppError {
  return new AppError('too_large', `the archive has ${what}, at most ${max} are taken`)
}
