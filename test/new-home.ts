// A home for a test. In a file of its own: a test that needs no more than this starts no process.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A home of its own for a test. */
export function newHome(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'atrium-home-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
