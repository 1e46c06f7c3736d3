// A folder of the cache: whole or not there at all, also after the power was cut.
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newId } from '#core/ids.ts'

const folderMode = 0o700
const fileMode = 0o600

/** Writes a folder. One that is there already is left alone: its name says what is in it. */
export function writeFolder(folder: string, files: ReadonlyMap<string, Uint8Array>): void {
  if (existsSync(folder)) return
  const made = `${folder}.${newId()}`
  mkdirSync(made, { recursive: true, mode: folderMode })
  for (const [name, bytes] of files) writeFileSync(join(made, name), bytes, { mode: fileMode, flush: true })
  syncFolder(made)
  try {
    renameSync(made, folder)
  } catch (error) {
    rmSync(made, { recursive: true, force: true })
    // Another process was first; what it wrote is the same.
    if (!existsSync(folder)) throw error
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
