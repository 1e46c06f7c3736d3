// What earlier runs found, in node_modules/.cache: a run repeats only what a change may have changed.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type Cache = {
  /** What was kept for a path, unless it was kept under another key. */
  read(path: string, key: string): unknown
  write(path: string, key: string, value: unknown): void
}

export function openCache(root: string): Cache {
  const folder = join(root, 'node_modules', '.cache', 'mutate')
  mkdirSync(folder, { recursive: true })
  const fileOf = (path: string): string => join(folder, `${path.replaceAll('/', '+')}.json`)
  return {
    read: (path, key) => {
      if (!existsSync(fileOf(path))) return undefined
      const kept = JSON.parse(readFileSync(fileOf(path), 'utf8')) as { key: string; value: unknown }
      return kept.key === key ? kept.value : undefined
    },
    // Whole or not at all: a run may be stopped at any time.
    write: (path, key, value) => {
      writeFileSync(`${fileOf(path)}.new`, JSON.stringify({ key, value }))
      renameSync(`${fileOf(path)}.new`, fileOf(path))
    },
  }
}

export function hash(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}
