// Finds links that lead out of the workspace, among the words of a command.
import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { isInside } from '#lib/is-inside.ts'
import { isHomeFile } from './home-files.ts'

/** More words are not looked at: they count as leading out. */
const maxWords = 100

/** True when a word is the path of something outside the workspace, or of the service itself. The home is a real path. */
export function leadsOut(
  words: readonly string[],
  { root, home }: { readonly root: string; readonly home: string },
): boolean {
  if (words.length > maxWords) return true
  try {
    const top = realIfExists(root)
    // The first command creates the workspace.
    if (top === undefined) return false
    return words.some((word) => {
      const real = realIfExists(resolve(top, word))
      return real !== undefined && (!isInside(top, real) || isHomeFile(real, { top, home }))
    })
  } catch {
    return true
  }
}

/** The real path; undefined if nothing is there. Throws for a path that cannot be followed to its end. */
function realIfExists(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(code)) return undefined
    throw error
  }
}
