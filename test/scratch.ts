// Temporary folders, which are removed at the latest when the process exits.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Scratch = { readonly path: string; readonly remove: () => void }

/** The folders that are not removed yet. One exit listener serves all: Node warns about many. */
const folders = new Set<string>()

/** A new folder, removed by `remove` and at the latest when the process ends. */
export function openScratch(prefix: string): Scratch {
  const path = mkdtempSync(join(tmpdir(), prefix))
  if (folders.size === 0) process.once('exit', removeAll)
  folders.add(path)
  return {
    path,
    remove() {
      removeFolder(path)
      folders.delete(path)
      if (folders.size === 0) process.off('exit', removeAll)
    },
  }
}

function removeAll(): void {
  for (const path of folders) {
    try {
      removeFolder(path)
    } catch {
      // One that cannot be removed keeps none of the others.
    }
  }
}

function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 3 })
}
