// Where this checkout stands, for whatever is found by its place: the one file that knows. It holds for the sources
// (src/lib) and for the bundle (dist/atrium-…) alike, since both stand two folders below the root.
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')

/** The path of a file or folder of the checkout. */
export function inCheckout(...names: readonly string[]): string {
  return join(root, ...names)
}
