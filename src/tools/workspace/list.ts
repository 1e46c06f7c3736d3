// Lists a folder of the workspace.
import type { Dirent } from 'node:fs'
import { lstat, opendir } from 'node:fs/promises'
import { countWords } from '#core/words.ts'
import { faultOf, type Location, type OpenFolder, openFolder } from './safe-open.ts'

const maxEntries = 500

/** One line for each entry, folders first. */
export async function listFolder(location: Location): Promise<string> {
  const shown = location.names.join('/')
  await using folder = await openFolder(location)
  try {
    const { entries, more } = await entriesOf(folder)
    if (entries.length === 0) return shown === '' ? 'The workspace is empty.' : `${shown} is empty.`
    const sorted = entries.sort(
      (a, b) => Number(b.isDirectory()) - Number(a.isDirectory()) || (a.name < b.name ? -1 : 1),
    )
    const lines = await Promise.all(sorted.map((entry) => lineOf(entry, folder)))
    return [...lines, ...(more ? [`[more than ${maxEntries} entries: the rest is left out]`] : [])].join('\n')
  } catch (error) {
    throw faultOf(error, shown)
  }
}

async function entriesOf(folder: OpenFolder): Promise<{ entries: Dirent[]; more: boolean }> {
  const entries: Dirent[] = []
  for await (const entry of await opendir(folder.at('.'))) {
    if (entries.length === maxEntries) return { entries, more: true }
    entries.push(entry)
  }
  return { entries, more: false }
}

async function lineOf(entry: Dirent, folder: OpenFolder): Promise<string> {
  // A file name may contain any character but a slash and NUL.
  const name = entry.name.replaceAll(/\p{Cc}/gu, '?')
  if (entry.isDirectory()) return `${name}/`
  if (entry.isSymbolicLink()) return `${name} (link)`
  if (!entry.isFile()) return `${name} (not a regular file)`
  const size = await lstat(folder.at(entry.name)).then(
    (file) => file.size,
    () => 0,
  )
  return `${name} (${countWords(size, 'byte')})`
}
