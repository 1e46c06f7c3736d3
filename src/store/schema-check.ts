// Compares the schema of a database with a fresh one made by the migrations. For `doctor`.
import type { Pool } from 'pg'
import { DatabaseSync } from 'node:sqlite'
import { statementsOf } from './migration.ts'
import { migrations } from './migrations.ts'
import { type Job, query } from './sql.ts'

/** The columns of each table, and the table of each index. */
type Schema = {
  readonly tables: ReadonlyMap<string, ReadonlySet<string>>
  readonly indexes: ReadonlyMap<string, string>
}

const columnsOfSqlite = `SELECT t.name AS "table", c.name AS name FROM sqlite_schema t, pragma_table_xinfo(t.name) c WHERE t.type = 'table'`
const indexesOfSqlite = `SELECT tbl_name AS "table", name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL`

/** A job, so that it waits and fails like any other read. */
export function* checkSqlite(): Job<string[]> {
  const found = schemaOf(yield* query(columnsOfSqlite), yield* query(indexesOfSqlite))
  const fresh = new DatabaseSync(':memory:')
  try {
    for (const migration of migrations) for (const each of statementsOf(migration, 'sqlite')) fresh.exec(each)
    const expected = schemaOf(fresh.prepare(columnsOfSqlite).all(), fresh.prepare(indexesOfSqlite).all())
    return missingFrom(found, expected)
  } finally {
    fresh.close()
  }
}

/** The fresh schema is made in a transaction that is never committed. */
export async function checkPostgres(pool: Pool): Promise<string[]> {
  const client = await pool.connect()
  try {
    const read = async (): Promise<Schema> => {
      const columns = await client.query(
        `SELECT table_name AS table, column_name AS name FROM information_schema.columns WHERE table_schema = current_schema()`,
      )
      const indexes = await client.query(
        'SELECT tablename AS table, indexname AS name FROM pg_indexes WHERE schemaname = current_schema()',
      )
      return schemaOf(columns.rows, indexes.rows)
    }
    const found = await read()
    await client.query('BEGIN')
    await client.query('CREATE SCHEMA atrium_check')
    await client.query('SET LOCAL search_path TO atrium_check, public')
    for (const migration of migrations) for (const each of statementsOf(migration, 'postgres')) await client.query(each)
    return missingFrom(found, await read())
  } finally {
    // Closes the connection, which rolls the transaction back.
    client.release(true)
  }
}

type Named = { readonly table: string; readonly name: string }

function schemaOf(columns: readonly object[], indexes: readonly object[]): Schema {
  const tables = new Map<string, Set<string>>()
  for (const { table, name } of columns as Named[]) {
    const known = tables.get(table) ?? new Set()
    tables.set(table, known.add(name))
  }
  return { tables, indexes: new Map((indexes as Named[]).map(({ name, table }) => [name, table])) }
}

function missingFrom(found: Schema, expected: Schema): string[] {
  const lines: string[] = []
  for (const [table, columns] of expected.tables) {
    const existing = found.tables.get(table)
    if (!existing) lines.push(`the table ${table} is missing`)
    else for (const name of columns.difference(existing)) lines.push(`the table ${table} has no column ${name}`)
  }
  for (const [name, table] of expected.indexes) {
    if (found.tables.has(table) && !found.indexes.has(name)) lines.push(`the index ${name} is missing`)
  }
  return lines
}
