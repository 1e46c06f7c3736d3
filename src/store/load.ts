// Filling an empty database with the rows of a backup. Nothing is visible before `finish`.
import type { ChunkTerms } from '#core/document.ts'
import type { PortableRow, PortableTable, PortableValue } from './portable-schema.ts'

export interface Loading {
  /** `columns` are names of columns of the table, in the order of the values. */
  add(table: PortableTable, columns: readonly string[], rows: readonly PortableRow[]): Promise<void>
  /** Brings the database to the newest version. */
  finish(): Promise<void>
  /** Drops everything that was loaded. */
  abort(): Promise<void>
}

/** The terms of a chunk, for the full-text index: a backup does not have the index. */
export type TermsOf = (path: string, text: string) => ChunkTerms

/** A row by the names of its columns. */
export function named(columns: readonly string[], row: PortableRow): Readonly<Record<string, PortableValue>> {
  return Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null]))
}

/** The numbers of a stored vector. */
export function vectorOf(bytes: PortableValue | undefined): Float32Array | undefined {
  if (!(bytes instanceof Uint8Array)) return undefined
  // A copy: the bytes may begin anywhere in their buffer.
  return new Float32Array(Uint8Array.from(bytes).buffer)
}
