// Migrations on PostgreSQL, under an advisory lock: replicas that start together wait for each other.
import type { ClientBase, Pool, QueryConfig } from 'pg'
import { AppError } from '#core/errors.ts'
import { databaseClock, leaseMs } from './lease-store.ts'
import { type Migration, migrations, newestVersion, statementsOf } from './migrations.ts'
import { asAppError } from './postgres.ts'
import { checkVersion, oldestShared, outdated } from './version-check.ts'

/** Advisory lock key. It is arbitrary, but the same in every Atrium. */
const lockKey = 4_728_301_195
/** A new index on a large table takes longer than other statements may, and the other replicas wait for it. */
export const timeoutMs = 60 * 60 * 1000

/** A process that starts. Those that run have the name of `openPostgres`. */
const startingName = 'atrium-start'
/** How long a connection that is cut off may take to end. */
const maxCutMs = 10_000

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
    await run(`SET application_name = '${startingName}'`)
    await run(`SELECT pg_advisory_lock(${lockKey})`)
    await client.query(versionTable)
    const found = await client.query<{ version: string }>('SELECT version FROM schema_version')
    const version = Number(found.rows[0]?.version ?? 0)
    checkVersion(version, steps)
    const oldest = oldestShared(steps.length, steps)
    if (version > 0 && version < oldest) await checkAlone(client, { version, oldest })
    for (const [at, step] of steps.slice(version).entries()) {
      const from = version + at
      try {
        await client.query('BEGIN')
        if (from > 0 && !step.shared) await cutOffOlder(client, run)
        for (const statement of statementsOf(step, 'postgres')) await run(statement)
        await storeVersion(client, from + 1, steps)
        await client.query('COMMIT')
      } catch (error) {
        throw failedStep(error, { first: version, from })
      }
    }
    // Before the lock is given up: the next to have it must see this connection as that of a running process.
    await client.query('RESET ALL')
    await client.query('SELECT pg_advisory_unlock($1)', [lockKey])
    client.release()
  } catch (error) {
    // The lock and an open transaction end with the connection.
    client.release(true)
    throw asAppError(error)
  }
}

/** Refuses to migrate beside running processes whose code cannot work with what comes after. */
async function checkAlone(
  client: ClientBase,
  { version, oldest }: Record<'version' | 'oldest', number>,
): Promise<void> {
  const alive = `SELECT count(*) AS count FROM processes WHERE seen_at > ${databaseClock} - $1`
  const { rows } = await client.query<{ count: string }>(alive, [leaseMs])
  const count = Number(rows[0]?.count)
  if (count === 0) return
  throw new AppError(
    'database_unavailable',
    `the database has version ${version}, and ${count === 1 ? 'one process' : `${count} processes`} of an earlier Atrium use it, which cannot work with version ${oldest} and later: stop every replica, wait ${leaseMs / 1000} seconds, and start again`,
  )
}

/**
 * Cuts off earlier processes that `checkAlone` does not see: one that was suspended, or that has not joined yet, and
 * commands. They connect again, wait in `checkConnection` for the end of the migration, and are refused.
 */
async function cutOffOlder(client: ClientBase, run: (text: string) => Promise<unknown>): Promise<void> {
  await run('LOCK TABLE schema_version IN ACCESS EXCLUSIVE MODE')
  await client.query(
    `SELECT pg_terminate_backend(pid, $1) FROM pg_stat_activity
     WHERE datname = current_database() AND usename = current_user AND application_name = 'atrium'`,
    [maxCutMs],
  )
}

/** Refuses a new connection of a running process once a newer Atrium has brought the database to a version that excludes it. */
export async function checkConnection(client: ClientBase): Promise<void> {
  // The column is missing until a version is stored by an Atrium that knows it.
  const { rows } = await client.query<{ version: string; oldest: string | null }>(
    `SELECT version, to_jsonb(schema_version) ->> 'oldest' AS oldest FROM schema_version`,
  )
  for (const { version, oldest } of rows)
    if (Number(oldest) > newestVersion) throw outdated(Number(version), newestVersion)
}

/** A step that failed: it left nothing behind, and those before it stay. */
function failedStep(error: unknown, { first, from }: { readonly first: number; readonly from: number }): unknown {
  const known = asAppError(error)
  const code = known instanceof AppError ? known.code : 'database_unavailable'
  const where = `the database could not be brought from version ${from} to ${from + 1} (${(known as Error).message}) and has version ${from}`
  const back = from === first ? '' : `restore the backup from before the upgrade (version ${first}) and `
  return new AppError(code, `${where}. To go back, ${back}run the Atrium of before`, { cause: error })
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
  await storeVersion(client, to, migrations)
}

/** Also stores the oldest version whose processes may go on: these do not know the migrations after their own. */
async function storeVersion(client: ClientBase, version: number, steps: readonly Migration[]): Promise<void> {
  await client.query('ALTER TABLE schema_version ADD COLUMN IF NOT EXISTS oldest BIGINT')
  await client.query('DELETE FROM schema_version')
  const values = [version, oldestShared(version, steps)]
  await client.query('INSERT INTO schema_version (version, oldest) VALUES ($1, $2)', values)
}
