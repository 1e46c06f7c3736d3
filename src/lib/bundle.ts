// The files that the bundle (tools/bundle.ts) has beside its code: scripts of other processes and threads. Node strips no
// types below node_modules, so an installed package cannot start them from the sources.
import { join } from 'node:path'

/** The path of a file of the bundle; undefined when this code runs from the sources. */
export function inBundle(name: string): string | undefined {
  return import.meta.filename.endsWith('.ts') ? undefined : join(import.meta.dirname, name)
}
