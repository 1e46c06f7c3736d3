// Reads a folder of the disk as a skill's folder. Bounded, and without links.
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { AppError, cannotRead } from '#core/errors.ts'
import { maxSkillBytes, maxSkillFiles, type SkillFile, type SkillFolder } from '#core/skill.ts'

const maxDepth = 10

/** The folder at a path. Throws invalid_input, too_large. */
export async function readFolder(path: string): Promise<SkillFolder> {
  const root = await realpath(path).catch(cannotRead(path))
  if (!(await stat(root)).isDirectory()) throw new AppError('invalid_input', `${path} is not a folder`)
  const files: SkillFile[] = []
  let bytes = 0
  const walk = async (below: string, depth: number): Promise<void> => {
    if (depth > maxDepth) throw new AppError('invalid_input', `${below} is nested deeper than ${maxDepth} folders`)
    const folder = join(root, below)
    const found = await readdir(folder, { withFileTypes: true }).catch(cannotRead(folder))
    for (const entry of found.sort((one, two) => (one.name < two.name ? -1 : 1))) {
      const at = below === '' ? entry.name : `${below}/${entry.name}`
      if (isClutter(at)) continue
      if (entry.isDirectory()) await walk(at, depth + 1)
      else if (!entry.isFile())
        throw new AppError('invalid_input', `${at} is a link or a device: a skill has files only`)
      else {
        const file = join(root, at)
        bytes += (await stat(file).catch(cannotRead(file))).size
        if (bytes > maxSkillBytes) throw tooLarge(`more than ${maxSkillBytes} bytes`)
        if (files.length === maxSkillFiles) throw tooLarge(`more than ${maxSkillFiles} files`)
        files.push({ path: at, content: await readFile(file).catch(cannotRead(file)) })
      }
    }
  }
  await walk('', 1)
  return { name: basename(root), files }
}

/** Files of version control and operating systems: they are no part of a skill. */
export function isClutter(path: string): boolean {
  return /(?:^|\/)(?:\.git|__MACOSX|node_modules|__pycache__)(?:\/|$)|(?:^|\/)(?:\.DS_Store|Thumbs\.db)$/.test(path)
}

function tooLarge(what: string): AppError {
  return new AppError('too_large', `the folder has ${what}, a skill has at most ${maxSkillFiles} files and 10 MiB`)
}
