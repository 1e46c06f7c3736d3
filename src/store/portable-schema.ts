// The tables and columns that a backup has: those that both databases share, by schema version. A table of a later
// migration is in it by itself.
import { DatabaseSync } from 'node:sqlite'
import { statementsOf } from './migration.ts'
import { migrations } from './migrations.ts'

/** A value that both databases store. */
export type PortableValue = string | number | Uint8Array | null
export type PortableRow = readonly PortableValue[]

export type PortableTable = {
  readonly name: string
  readonly columns: readonly PortableColumn[]
  /** Restricts the rows of a backup; without it every row is in it. */
  readonly only?: string
}

export type PortableColumn = { readonly name: string; readonly type: 'text' | 'number' | 'bytes' }

/**
 * Tables without lasting content: processes and their leases, the sums that triggers keep, sign-ins that take minutes, and
 * the full-text indexes, which are made again.
 */
export const leftOut: ReadonlySet<string> = new Set([
  'processes',
  'storage',
  'login_codes',
  'sign_ins',
  'thread_index_owners',
  'thread_index_cursors',
  'indexed_threads',
  'threads_to_index',
  'thread_chunks',
])
/** Made again from `numbers`, which have the same form in both databases. */
const derivedColumns: ReadonlySet<string> = new Set(['chunk_vectors.bits'])
/** Chunks without a document have a path with a slash in front: they are being written, or are left over. */
const withoutHidden: Readonly<Record<string, string>> = {
  chunks: `NOT (path >= '/' AND path < '0')`,
  chunk_vectors: `id IN (SELECT id FROM chunks WHERE NOT (path >= '/' AND path < '0'))`,
}

/** The tables of one schema version, in an order in which they can be filled. */
export function portableTables(version: number): readonly PortableTable[] {
  const fresh = new DatabaseSync(':memory:')
  try {
    for (const migration of migrations.slice(0, version))
      for (const statement of statementsOf(migration, 'sqlite')) fresh.exec(statement)
    const names = fresh
      .prepare(
        `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'`,
      )
      .all()
      .map(({ name }) => String(name))
    return names
      .filter((name) => !leftOut.has(name))
      .toSorted(byFilling)
      .map((name) => ({
        name,
        columns: columnsOf(fresh, name),
        ...(withoutHidden[name] && { only: withoutHidden[name] }),
      }))
  } finally {
    fresh.close()
  }
}

/** Terms need the numbers of their owners, and vectors their chunks. */
const filledFirst = ['document_owners', 'documents', 'chunks', 'chunk_vectors']

function byFilling(one: string, other: string): number {
  return filledFirst.indexOf(one) - filledFirst.indexOf(other) || (one < other ? -1 : 1)
}

function columnsOf(db: DatabaseSync, table: string): PortableColumn[] {
  return db
    .prepare('SELECT name, type FROM pragma_table_info(?)')
    .all(table)
    .filter(({ name }) => !derivedColumns.has(`${table}.${String(name)}`))
    .map(({ name, type }) => ({ name: String(name), type: typeOf(String(type)) }))
}

function typeOf(declared: string): PortableColumn['type'] {
  if (declared === 'BLOB') return 'bytes'
  return declared === 'TEXT' ? 'text' : 'number'
}
