// Completes a path that is being typed after an `@`: the names in its folder that begin with its last part.
import { opendir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { PathOffer } from '#doors/terminal/offers.ts'

/** Entries of a folder that are read; the rest of a larger folder is not offered. */
const maxEntries = 5_000
const maxOffers = 50

/** Folders first, then files, each by name. Hidden names only after a dot. Throws when the folder cannot be read. */
export async function offerPaths(written: string): Promise<readonly PathOffer[]> {
  const typed = written.replaceAll(/\\(.)/g, '$1')
  const cut = typed.lastIndexOf('/') + 1
  const [folder, start] = [typed.slice(0, cut), typed.slice(cut)]
  const found: PathOffer[] = []
  let looked = 0
  for await (const entry of await opendir(resolve(folder.replace(/^~(?=\/)/, homedir()) || '.'))) {
    if (++looked > maxEntries) break
    const { name } = entry
    if (!name.startsWith(start) || (name.startsWith('.') && start === '')) continue
    const isFolder = entry.isDirectory()
    const end = isFolder ? '/' : ' '
    found.push({
      name: `${name}${isFolder ? '/' : ''}`,
      rest: `${escaped(name.slice(start.length))}${end}`,
      folder: isFolder,
    })
  }
  return found
    .toSorted((one, other) => Number(other.folder) - Number(one.folder) || one.name.localeCompare(other.name))
    .slice(0, maxOffers)
}

function escaped(text: string): string {
  return text.replaceAll(/[\s\\]/g, '\\$&')
}
