// The digest of a turn: what tells later whether its entries are still those that it ended with.
import { createHash } from 'node:crypto'
import type { Entry } from './item.ts'
import { canonical } from './json.ts'

/** SHA-256 over the entries in their order, each as canonical JSON on a line. */
export function digestOf(entries: readonly Entry[]): string {
  const hash = createHash('sha256')
  for (const entry of entries) hash.update(`${canonical(entry)}\n`)
  return hash.digest('hex')
}
