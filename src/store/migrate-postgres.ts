// Migrations on PostgreSQL, under an advisory lock: replicas that start together wait for each other.
import { setTimeout } from 'node:timers/promises'
import type { ClientBase, Pool, PoolClient, QueryConfig, QueryResult } from 'pg'
import { AppError } from '#core/errors.ts'
import { hourMs } from '#core/time.ts'
import { databaseClock, endFutureLeases, leaseMs } from './lease-store.ts'
import { liftTimeouts } from './lift-timeouts.ts'
import { type Migrating, type Migration, statementsOf } from './migration.ts'
import { migrations, newestVersion } from './migrations.ts'
import { asAppError, runningName, setLimits } from './postgres.ts'
import { checkVersion, oldestShared, outdated } from './version-check.ts'

/** Advisory lock key. It is arbitrary, but the same in every Atrium. */
const lockKey = 4_728_301_195
/** A new index on a large table takes longer than other statements may, and the other replicas wait for it. */
export const timeoutMs = hourMs

/** The connections of a process that starts. Those of one that runs have `runningName`. */
const startingName = 'atrium-start'
/** How long connections that are cut off may take to end, and how often this is looked at. */
const maxCutMs = 10_000
const cutLookMs = 20
const maxLockAttempts = 5
/** How often the caller is told that another process has the lock. */
const waitTellMs = 1_000
/** How often the server looks during a statement whether its client is still there. */
const clientLookMs = 1_000
/** How long the check of a new connection waits for a migration, and for an answer. */
const checkLockMs = 3_000
const checkAnswerMs = 5_000

const versionTable = 'CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL, oldest BIGINT)'

/** Sends one statement, with the timeout of a migration. */
type Send = (statement: string) => Promise<unknown>

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

/** With another encoding PostgreSQL cuts texts within characters, or has no place for some of them. */
async function checkEncoding(client: Pick<ClientBase, 'query'>): Promise<void> {
  const { rows } = await client.query<{ encoding: string }>(`SELECT current_setting('server_encoding') AS encoding`)
  const encoding = rows[0]?.encoding
  if (encoding === 'UTF8') return
  const way = "create one with CREATE DATABASE atrium ENCODING 'UTF8' TEMPLATE template0, and name it in DATABASE_URL"
  throw new AppError('invalid_config', `the database has the encoding ${encoding}, and Atrium needs UTF8: ${way}`)
}

/** `onWait` is called each second while another process migrates. */
export async function migratePostgres(
  pool: Pool,
  { steps = migrations, onStep = () => {}, onWait = () => {} }: Migrating & { onWait?: (() => void) | undefined } = {},
): Promise<void> {
  const { client, run } = await lockToMigrate(pool, onWait).catch((error: unknown) => {
    throw asAppError(error)
  })
  try {
    await client.query(versionTable)
    const found = await client.query<{ version: string }>('SELECT version FROM schema_version')
    const version = Number(found.rows[0]?.version ?? 0)
    checkVersion(version, steps)
    if (version === 0) await checkEncoding(client)
    const oldest = oldestShared(steps.length, steps)
    if (version > 0 && version < oldest) await checkAlone(client, { version, oldest })
    for (const [at, step] of steps.slice(version).entries()) {
      const from = version + at
      if (version > 0) onStep(from)
      try {
        await client.query('BEGIN')
        await liftTimeouts(client)
        // A database that was empty has no earlier processes, but it may have others that start.
        if (version > 0 && !step.shared) await cutOffOlder(client, run)
        await addOldest(client, run)
        for (const statement of statementsOf(step, 'postgres')) await run(statement)
        await storeVersion(client, from + 1, steps)
        await client.query('COMMIT')
      } catch (error) {
        throw failedStep(error, { first: version, from })
      }
    }
    // Before the lock is given up: the next to have it must see this connection as that of a running process.
    await client.query('RESET ALL')
    await setLimits(client, { url: pool.options.connectionString })
    await client.query('SELECT pg_advisory_unlock($1)', [lockKey])
    client.release()
  } catch (error) {
    // The lock and an open transaction end with the connection.
    client.release(true)
    throw asAppError(error)
  }
}

/** A connection with the lock. One that another migration cut off before it had its name is replaced. */
async function lockToMigrate(pool: Pool, onWait: () => void): Promise<{ client: PoolClient; run: Send }> {
  for (let attempt = 1; ; attempt++) {
    const client = await pool.connect()
    let waiting: NodeJS.Timeout | undefined
    // The package's types lack `query_timeout` of a single query.
    const run: Send = (text) => client.query({ text, query_timeout: timeoutMs } as QueryConfig)
    try {
      await run(`SET statement_timeout = ${timeoutMs}; SET lock_timeout = 0`)
      await run(`SET application_name = '${startingName}'`)
      await endWithClient(run)
      waiting = setInterval(onWait, waitTellMs)
      await run(`SELECT pg_advisory_lock(${lockKey})`)
      return { client, run }
    } catch (error) {
      client.release(true)
      if (attempt === maxLockAttempts) throw error
    } finally {
      clearInterval(waiting)
    }
  }
}

/**
 * Ends a statement whose client was killed: else it would go on, for up to an hour, and the next process would wait for it.
 * A server that cannot look refuses the setting.
 */
export async function endWithClient(run: Send): Promise<void> {
  await run(`SET client_connection_check_interval = ${clientLookMs}`).catch(() => {})
}

/** Refuses to migrate beside running processes whose code cannot work with what comes after. */
async function checkAlone(
  client: ClientBase,
  { version, oldest }: Record<'version' | 'oldest', number>,
): Promise<void> {
  await client.query(endFutureLeases)
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
 * commands. They connect again, wait in `checkConnection` for the end of the migration, and are refused. Within the
 * transaction of the migration.
 */
export async function cutOffOlder(client: ClientBase, run: Send): Promise<void> {
  // Before the lock, which would wait for a command that reads all in one transaction; and under the lock, for those
  // that connected meanwhile.
  await endRunning(client)
  await run('LOCK TABLE schema_version IN ACCESS EXCLUSIVE MODE')
  await endRunning(client)
}

/** Ends the connections of running processes to this database, but for its own. */
async function endRunning(client: ClientBase): Promise<void> {
  // A transaction sees connections as they were when it first looked.
  const look = async (text: string, values: unknown[]): Promise<number[]> => {
    await client.query('SELECT pg_stat_clear_snapshot()')
    return (await client.query<{ pid: number }>(text, values)).rows.map(({ pid }) => pid)
  }
  // As the user that logged in: a role that it took may not end the connections of that user.
  const { rows } = await client.query<{ role: string }>(`SELECT current_setting('role') AS role`)
  const setRole = `SELECT set_config('role', $1, true)`
  await client.query(setRole, ['none'])
  const ended = await look(
    `SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND usename = session_user AND application_name = $1 AND pid <> pg_backend_pid()`,
    [runningName],
  )
  await client.query(setRole, [rows[0]?.role])
  const until = performance.now() + maxCutMs
  while (ended.length > 0) {
    const left = await look('SELECT pid FROM pg_stat_activity WHERE pid = ANY ($1)', [ended])
    if (left.length === 0) return
    if (performance.now() > until) throw notCutOff(left.length)
    await setTimeout(cutLookMs)
  }
}

function notCutOff(count: number): AppError {
  const which = count === 1 ? 'one connection' : `${count} connections`
  return new AppError(
    'database_unavailable',
    `${which} of an earlier Atrium could not be cut off within ${maxCutMs / 1000} seconds: stop every process of it, and start again`,
  )
}

/**
 * Refuses a new connection of a running process once a newer Atrium has brought the database to a version that excludes it.
 * `lockMs` is how long it waits for a migration.
 */
export async function checkConnection(client: ClientBase, lockMs = checkLockMs): Promise<void> {
  // The column is missing until a version is stored by an Atrium that knows it. The wait for a lock has an end of its own:
  // connections that nobody waits for any more must not pile up behind a long migration.
  const text = `SET LOCAL lock_timeout = ${lockMs};
    SELECT version, to_jsonb(schema_version) ->> 'oldest' AS oldest FROM schema_version`
  // One result for each statement; the package's types know neither this nor `query_timeout`.
  const results: unknown = await client.query({ text, query_timeout: checkAnswerMs } as QueryConfig)
  const [, found] = results as [unknown, QueryResult<{ version: string; oldest: string | null }>]
  for (const { version, oldest } of found.rows)
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
  run: Send,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  await client.query(versionTable)
  await addOldest(client, run)
  for (const migration of migrations.slice(from, to))
    for (const statement of statementsOf(migration, 'postgres')) await run(statement)
  await storeVersion(client, to, migrations)
}

/**
 * Adds the column to a table from before it. Before the changes of a step: it waits for whoever reads the table, such as a
 * backup, which must not wait for a change of the step in turn.
 */
async function addOldest(client: ClientBase, run: Send): Promise<void> {
  const { rowCount } = await client.query(
    `SELECT 1 FROM pg_attribute WHERE attrelid = 'schema_version'::regclass AND attname = 'oldest' AND NOT attisdropped`,
  )
  if (rowCount === 0) await run('ALTER TABLE schema_version ADD COLUMN oldest BIGINT')
}

/** Also stores the oldest version whose processes may go on: these do not know the migrations after their own. */
async function storeVersion(client: ClientBase, version: number, steps: readonly Migration[]): Promise<void> {
  await client.query('DELETE FROM schema_version')
  const values = [version, oldestShared(version, steps)]
  await client.query('INSERT INTO schema_version (version, oldest) VALUES ($1, $2)', values)
}
