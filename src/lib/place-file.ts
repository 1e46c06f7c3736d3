// Puts a file in place, whole or not at all.
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { makerMark, removeLeftovers } from './leftovers.ts'

const end = '.new'

/** Writes a file beside its place, then moves it there. Removes what processes that ended in between have left of it. */
export function placeFile(path: string, content: string | Uint8Array): void {
  const made = `${path}.${makerMark()}${end}`
  writeFileSync(made, content)
  try {
    renameSync(made, path)
  } catch (error) {
    rmSync(made, { force: true })
    throw error
  }
  removeLeftovers(dirname(path), { start: `${basename(path)}.`, ends: [end] })
}
