// Writes a folder of the cache atomically: it is complete or absent, even after a power failure.
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newId } from '#core/ids.ts'
import { syncPath } from '#lib/sync-path.ts'

const folderMode = 0o700
const fileMode = 0o600

/** Writes a folder. An existing one is left as it is: folder names identify their content. */
export function writeFolder(folder: string, files: ReadonlyMap<string, Uint8Array>): void {
  if (existsSync(folder)) return
  const temporary = `${folder}.${newId()}`
  try {
    mkdirSync(temporary, { recursive: true, mode: folderMode })
    for (const [name, bytes] of files) writeFileSync(join(temporary, name), bytes, { mode: fileMode, flush: true })
    syncPath(temporary)
    renameSync(temporary, folder)
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true })
    // Another process wrote the same folder first.
    if (!existsSync(folder)) throw error
  }
}
