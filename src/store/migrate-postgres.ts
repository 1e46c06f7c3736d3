// Migrations on PostgreSQL, under an advisory lock: replicas that start together wait for each other.
import type { ClientBase, Pool, QueryConfig } from 'pg'
import { checkVersion, migrations, statementsOf } from './migrations.ts'
import { asAppError } from './postgres.ts'

/** Advisory lock key. It is arbitrary, but the same in every Atrium. */
const lockKey = 4_728_301_195
/** A new index on a large table takes longer than other statements may, and the other replicas wait for it. */
export const timeoutMs = 60 * 60 * 1000

const versionTable = 'CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)'

/** The schema version of a database; 0 if it is empty. */
export async function versionOfPostgres(pool: Pool): Promise<number> {
  try {
    return await versionIn(pool)
  } catch (error) {
    throw asAppError(error)
  }
}

/** The same within a transaction. */
export async function versionIn(client: Pick<ClientBase, 'query'>): Promise<number> {
  const table = await client.query<{ name: string | null }>(`SELECT to_regclass('schema_version') AS name`)
  if (!table.rows[0]?.name) return 0
  const found = await client.query<{ version: string }>('SELECT version FROM schema_version')
  return Number(found.rows[0]?.version ?? 0)
}

export async function migratePostgres(pool: Pool, steps = migrations): Promise<void> {
  const client = await pool.connect().catch((error: unknown) => {
    throw asAppError(error)
  })
  // The package's types lack `query_timeout` of a single query.
  const run = (text: string) => client.query({ text, query_timeout: timeoutMs } as QueryConfig)
  try {
    await run(`SET statement_timeout = ${timeoutMs}`)
    await run(`SELECT pg_advisory_lock(${lockKey})`)
    await client.query(versionTable)
    const found = await client.query<{ version: string }>('SELECT version FROM schema_version')
    const version = Number(found.rows[0]?.version ?? 0)
    checkVersion(version, steps)
    for (let from = version; from < steps.length; from++) {
      await client.query('BEGIN')
      for (const statement of statementsOf(steps[from] ?? [], 'postgres')) await run(statement)
      await storeVersion(client, from + 1)
      await client.query('COMMIT')
    }
    await client.query('SELECT pg_advisory_unlock($1)', [lockKey])
    await client.query('RESET statement_timeout')
    client.release()
  } catch (error) {
    // The lock and an open transaction end with the connection.
    client.release(true)
    throw asAppError(error)
  }
}

/** Keeps other processes from migrating until the transaction ends. */
export async function lockMigrations(client: ClientBase): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock($1)', [lockKey])
}

/** Brings a database from one version to another within the caller's transaction. */
export async function applyMigrations(
  client: ClientBase,
  run: (statement: string) => Promise<unknown>,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  await client.query(versionTable)
  for (const migration of migrations.slice(from, to))
    for (const statement of statementsOf(migration, 'postgres')) await run(statement)
  await storeVersion(client, to)
}

async function storeVersion(client: ClientBase, version: number): Promise<void> {
  await client.query('DELETE FROM schema_version')
  await client.query('INSERT INTO schema_version (version) VALUES ($1)', [version])
}
