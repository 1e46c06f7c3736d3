// Brings what was written to the disk.
import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Syncs a file, or the names in a folder, before it returns. */
export function syncPath(path: string): void {
  const opened = openSync(path, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}
