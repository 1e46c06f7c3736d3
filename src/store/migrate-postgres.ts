// Migrations on PostgreSQL: the same steps as SQLite's, under an advisory lock, so that replicas starting together take turns.
import type { Pool } from 'pg'
import { AppError } from '#core/errors.ts'
import { asAppError } from './postgres.ts'
import { migrations } from './schema.ts'

/** Any number, as long as every Atrium takes the same. */
const lockKey = 4_728_301_195

export async function migratePostgres(pool: Pool, steps = migrations): Promise<void> {
  const client = await pool.connect().catch((error: unknown) => {
    throw asAppError(error)
  })
  try {
    await client.query('SELECT pg_advisory_lock($1)', [lockKey])
    await client.query('CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)')
    const found = await client.query<{ version: string }>('SELECT version FROM schema_version')
    const version = Number(found.rows[0]?.version ?? 0)
    if (version > steps.length) {
      throw new AppError(
        'database_unavailable',
        `the database has version ${version}, this Atrium knows ${steps.length}: run the newer Atrium`,
      )
    }
    for (let from = version; from < steps.length; from++) {
      await client.query('BEGIN')
      for (const statement of steps[from] ?? []) await client.query(forPostgres(statement))
      await client.query('DELETE FROM schema_version')
      await client.query('INSERT INTO schema_version (version) VALUES ($1)', [from + 1])
      await client.query('COMMIT')
    }
    await client.query('SELECT pg_advisory_unlock($1)', [lockKey])
    client.release()
  } catch (error) {
    // The lock and an open transaction end with the connection.
    client.release(true)
    throw asAppError(error)
  }
}

/** Text sorts by bytes, as in SQLite; bytes have another name; there are no rowids to do without. */
function forPostgres(statement: string): string {
  return statement
    .replaceAll(/\)\s*WITHOUT ROWID/g, ')')
    .replaceAll(/\bTEXT\b/g, 'TEXT COLLATE "C"')
    .replaceAll(/\bBLOB\b/g, 'BYTEA')
}
