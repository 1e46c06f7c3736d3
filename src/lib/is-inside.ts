// Where a path lies.
import { sep } from 'node:path'

/** True when a path is a folder, or in it. Both are real paths. */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}
