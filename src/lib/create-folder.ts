// Creates folders that only their owner can enter.
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/** Creates a missing folder and its parents, one by one: Node's `recursive` never returns where none can be made (/proc). */
export function createFolder(path: string): void {
  if (existsSync(path)) return
  const parent = dirname(path)
  if (parent !== path) createFolder(parent)
  mkdirSync(path, { mode: 0o700 })
}
