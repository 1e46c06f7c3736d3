// One version of the schema: its changes for both databases.

/** One statement for both databases, or a list for each. */
type Change = string | { readonly sqlite: readonly string[]; readonly postgres: readonly string[] }

/** One version: its changes, in order, and whether processes that work with the version before may go on beside it. */
export type Migration = { readonly changes: readonly Change[]; readonly shared?: true }

export type Migrating = {
  readonly steps?: readonly Migration[]
  /** Gets the version of an existing database before each step, and before the copy of a file. */
  readonly onStep?: ((version: number) => void) | undefined
}

/**
 * A version beside which processes go on that work with the version before: each reads what the other stores, and what the
 * version promises holds whichever of them a request reaches. Replicas are replaced one by one.
 */
export function shared(changes: readonly Change[]): Migration {
  return { changes, shared: true }
}

/** Any other version: earlier processes end before the migration. */
export function alone(changes: readonly Change[]): Migration {
  return { changes }
}

/** The statements of a migration for one database. */
export function statementsOf(migration: Migration, backend: 'sqlite' | 'postgres'): string[] {
  return migration.changes.flatMap((change) => {
    if (typeof change !== 'string') return change[backend]
    return backend === 'sqlite' ? change : forPostgres(change)
  })
}

/** Translates for PostgreSQL: text sorts by bytes as in SQLite, BLOB is BYTEA, and there is no WITHOUT ROWID. */
function forPostgres(statement: string): string {
  return statement
    .replaceAll(/\)\s*WITHOUT ROWID/g, ')')
    .replaceAll(/\bTEXT\b/g, 'TEXT COLLATE "C"')
    .replaceAll(/\bBLOB\b/g, 'BYTEA')
}
