// Migrations on PostgreSQL: the same steps as SQLite's, under an advisory lock, so that replicas starting together take turns.
import type { Pool } from 'pg'
import { checkVersion, migrations, statementsOf } from './migrations.ts'
import { asAppError } from './postgres.ts'

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
    checkVersion(version, steps)
    for (let from = version; from < steps.length; from++) {
      await client.query('BEGIN')
      for (const statement of statementsOf(steps[from] ?? [], 'postgres')) await client.query(statement)
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
