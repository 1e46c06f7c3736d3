// The digest of a turn: shows later whether its entries are unchanged since it ended.
import { createHash } from 'node:crypto'
import type { Entry } from './item.ts'
import { canonical } from './json.ts'

export interface Digest {
  add(entries: readonly Entry[]): void
  /** Call once, at the end. */
  hex(): string
}

/** SHA-256 over the entries in order, each as one line of canonical JSON. */
export function createDigest(): Digest {
  const hash = createHash('sha256')
  return {
    add(entries) {
      for (const entry of entries) hash.update(`${canonical(entry)}\n`)
    },
    hex: () => hash.digest('hex'),
  }
}

/** The digest of a complete list of entries. */
export function digestOf(entries: readonly Entry[]): string {
  const digest = createDigest()
  digest.add(entries)
  return digest.hex()
}
