// Reads a ZIP archive with one top folder as a skill's folder. Bounded: an archive that would grow, leaves its folder or
// holds links is refused before anything is unpacked.
import { isUtf8 } from 'node:buffer'
import { crc32 } from 'node:zlib'
import type { Entry } from 'yauzl'
import { AppError } from '#core/errors.ts'
import { maxSkillBytes, maxSkillFiles, type SkillFile, type SkillFolder } from '#core/skill.ts'
import { skillPathFault } from './format.ts'
import { isClutter } from './folder.ts'

/** Folders and clutter count here, files of the skill have a lower limit. */
const maxEntries = 2_000
const [typeMask, linkType] = [0o170000, 0o120000]
/** Stored and deflated: the others are rare, and not read. */
const methods: readonly number[] = [0, 8]
/** Says that a name is UTF-8. macOS and Info-ZIP write such names without it. */
const utf8Flag = 0x800

/** The folder in an archive. Throws invalid_input, too_large. */
export async function readZip(bytes: Buffer): Promise<SkillFolder> {
  const { fromBufferPromise, getFileNameLowLevel } = await import('yauzl')
  try {
    // Names are decoded and checked here, not by the library.
    const archive = await fromBufferPromise(bytes, { lazyEntries: true, decodeStrings: false })
    if (archive.entryCount > maxEntries) throw tooLarge(`${archive.entryCount} entries`, maxEntries)
    const entries: NamedEntry[] = []
    let total = 0
    for await (const entry of archive.eachEntry()) {
      const { generalPurposeBitFlag, fileNameRaw, extraFields } = entry
      const flags = isUtf8(fileNameRaw) ? generalPurposeBitFlag | utf8Flag : generalPurposeBitFlag
      const path = getFileNameLowLevel(flags, fileNameRaw, extraFields, true)
      checkEntry({ path, entry })
      if (path.endsWith('/') || isClutter(path)) continue
      total += entry.uncompressedSize
      if (entries.push({ path, entry }) > maxSkillFiles)
        throw tooLarge(`more than ${maxSkillFiles} files`, maxSkillFiles)
      if (total > maxSkillBytes) throw tooLarge(`${total} bytes`, maxSkillBytes)
    }
    const name = topFolder(entries)
    const files: SkillFile[] = []
    for (const { path, entry } of entries) {
      // The reader ends with an error when a file is larger than the archive says.
      const content = Buffer.concat(await (await archive.openReadStreamPromise(entry)).toArray())
      if (crc32(content) !== entry.crc32) throw new Error(`${path} does not have its checksum`)
      files.push({ path: path.slice(name.length + 1), content })
    }
    return { name, files }
  } catch (error) {
    if (error instanceof AppError) throw error
    const message = 'the archive cannot be read: it is no ZIP file, or a broken one'
    throw new AppError('invalid_input', message, { cause: error })
  }
}

type NamedEntry = { readonly path: string; readonly entry: Entry }

function checkEntry({ path, entry }: NamedEntry): void {
  const fault = skillPathFault(path.replace(/\/$/, ''))
  if (fault) throw new AppError('invalid_input', `the archive holds ${JSON.stringify(path.slice(0, 200))}: ${fault}`)
  if (((entry.externalFileAttributes >>> 16) & typeMask) === linkType) {
    throw new AppError('invalid_input', `the archive holds a link, ${path}: a skill has files only`)
  }
  if (entry.isEncrypted()) throw new AppError('invalid_input', `${path} is encrypted`)
  if (!methods.includes(entry.compressionMethod))
    throw new AppError('invalid_input', `${path} is compressed in a way that is not read here: pack it with deflate`)
}

function topFolder(entries: readonly NamedEntry[]): string {
  const tops = new Set(entries.map(({ path }) => path.slice(0, Math.max(path.indexOf('/'), 0))))
  const [name] = tops
  if (tops.size === 1 && name !== undefined && name !== '') return name
  throw new AppError('invalid_input', 'the archive needs one top folder, which is the skill, and nothing beside it')
}

function tooLarge(what: string, max: number): AppError {
  return new AppError('too_large', `the archive has ${what}, at most ${max} are taken`)
}
