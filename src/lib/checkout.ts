// The root folder of this checkout. Works for the sources (src/lib) and for the bundle (dist/atrium-…), since both are
// two folders below the root.
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')

/** The path of a file or folder of the checkout. */
export function inCheckout(...names: readonly string[]): string {
  return join(root, ...names)
}
