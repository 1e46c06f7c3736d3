// The digest of a turn: what tells later whether its entries are still those that it ended with.
import { createHash } from 'node:crypto'
import type { Entry } from './item.ts'
import { canonical } from './json.ts'

export interface Digest {
  add(entries: readonly Entry[]): void
  /** Once, at the end. */
  hex(): string
}

/** SHA-256 over the entries in their order, each as canonical JSON on a line. */
export function createDigest(): Digest {
  const hash = createHash('sha256')
  return {
    add(entries) {
      for (const entry of entries) hash.update(`${canonical(entry)}\n`)
    },
    hex: () => hash.digest('hex'),
  }
}

/** The digest of entries that are all there. */
export function digestOf(entries: readonly Entry[]): string {
  const digest = createDigest()
  digest.add(entries)
  return digest.hex()
}
