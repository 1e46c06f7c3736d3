// Loads the rows of a backup into a PostgreSQL database, in one transaction that replaces what was there.
import type { ClientBase, PoolClient, QueryConfig } from 'pg'
import { AppError } from '#core/errors.ts'
import { databaseClock, endFutureLeases, leaseMs } from './lease-store.ts'
import { liftTimeouts } from './lift-timeouts.ts'
import { type Loading, named, type TermsOf, vectorOf } from './load.ts'
import {
  applyMigrations,
  cutOffOlder,
  endWithClient,
  lockMigrations,
  timeoutMs,
  versionIn,
} from './migrate-postgres.ts'
import { migrations, newestVersion } from './migrations.ts'
import { leftOut, type PortableRow, type PortableTable, portableTables, type PortableValue } from './portable-schema.ts'
import { asAppError, openPostgres } from './postgres.ts'
import { countText } from './snapshot.ts'
import { snapshotOf } from './snapshot-postgres.ts'
import type { Snapshot } from './snapshot.ts'
import { termVector } from './term-index.ts'
import { postgresVector } from './vector-store.ts'
import { checkVersion, oldestShared } from './version-check.ts'

/** Parameters of one statement: PostgreSQL takes at most 65,535. */
const maxParameters = 20_000

export type PostgresLoad = Loading & {
  /** The rows that are replaced; undefined when there are none. */
  readonly replaced: Omit<Snapshot, 'close'> | undefined
  /** Drops what was there. To be called before the first row is added. */
  begin(version: number): Promise<void>
}

type PostgresLoadParts = {
  readonly url: string
  readonly termsOf: TermsOf
  /** Stored with the rows: `restoredAs` tells later whether the transaction was committed. */
  readonly mark: string
}

/** Begins the transaction. Throws home_locked while a service runs on the database. */
export async function loadPostgres({ url, termsOf, mark }: PostgresLoadParts): Promise<PostgresLoad> {
  const sql = openPostgres(url)
  let client: PoolClient | undefined
  try {
    client = await sql.pool.connect()
    return await beginLoad(client, { sql, termsOf, mark })
  } catch (error) {
    client?.release(true)
    await sql.close()
    throw asAppError(error)
  }
}

type BeginParts = Omit<PostgresLoadParts, 'url'> & { readonly sql: ReturnType<typeof openPostgres> }

async function beginLoad(client: PoolClient, { sql, termsOf, mark }: BeginParts): Promise<PostgresLoad> {
  // The package's types lack `query_timeout` of a single query.
  const send = (text: string, values: unknown[] = []) =>
    client.query<Record<string, unknown>>({ text, values, query_timeout: timeoutMs } as QueryConfig)
  await endWithClient(send)
  await send('BEGIN')
  await liftTimeouts(client)
  await lockMigrations(client)
  const found = await versionIn(client)
  checkVersion(found, migrations)
  if (found > 0) {
    // Before the lock, which a running service would wait for; and under the lock, for one that started meanwhile.
    await refuseWhileServed(client).catch(async (error: unknown) => {
      // Over another connection: the transaction ends with the refusal.
      await sql.pool.query(endFutureLeases)
      throw error
    })
    await lockTables(client, found)
    await refuseWhileServed(client)
  }
  const replaced = found > 0 && (await holdsRows(client, found)) ? await snapshotOf(client) : undefined
  let counted: readonly string[] = []
  let lastOwner: { readonly user: string; readonly number: number } = { user: '', number: 0 }

  async function termsFor(columns: readonly string[], row: PortableRow): Promise<string> {
    const { user_id: user, path, text } = named(columns, row)
    if (lastOwner.user !== user) {
      const { rows } = await send('SELECT number FROM document_owners WHERE user_id = $1', [user])
      lastOwner = { user: String(user), number: Number(rows[0]?.['number'] ?? 0) }
    }
    return termVector(lastOwner.number, termsOf(String(path), String(text)))
  }

  async function valuesOf(table: string, columns: readonly string[], row: PortableRow): Promise<PortableValue[]> {
    if (row.some((value) => typeof value === 'string' && value.includes('\0')))
      throw new AppError('invalid_input', `a text of ${table} contains NUL (U+0000), which PostgreSQL cannot store`)
    if (table === 'chunks') return [...row, await termsFor(columns, row)]
    if (table !== 'chunk_vectors') return [...row]
    const vector = vectorOf(named(columns, row)['numbers'])
    const [bits, numbers] = vector ? postgresVector(vector) : [null, null]
    const list = numbers === null ? null : `{${numbers}}`
    return [...columns.map((name, at) => (name === 'numbers' ? list : (row[at] ?? null))), bits]
  }

  return {
    replaced,
    async begin(version) {
      if (found > 0 && found < oldestShared(newestVersion, migrations)) await cutOffOlder(client, send)
      if (found > 0) await dropTables(client, found)
      await applyMigrations(client, send, { from: 0, to: version })
      counted = await pauseCounting(client)
    },
    async add({ name }, columns, rows) {
      try {
        const extra = { chunks: ['terms'], chunk_vectors: ['bits'] }[name] ?? []
        const all = [...columns, ...extra]
        const step = Math.max(1, Math.floor(maxParameters / all.length))
        for (let from = 0; from < rows.length; from += step) {
          const some = rows.slice(from, from + step)
          const values: PortableValue[] = []
          for (const row of some) values.push(...(await valuesOf(name, columns, row)))
          const lines = some.map(
            (_, at) => `(${all.map((each, of) => `$${at * all.length + of + 1}${castOf(name, each)}`).join(', ')})`,
          )
          const overriding = name === 'chunks' ? ' OVERRIDING SYSTEM VALUE' : ''
          await send(`INSERT INTO ${name} (${all.join(', ')})${overriding} VALUES ${lines.join(', ')}`, values)
        }
      } catch (error) {
        throw asAppError(error)
      }
    },
    async finish() {
      try {
        await countStorage(counted, send)
        const version = await versionIn(client)
        await applyMigrations(client, send, { from: version, to: migrations.length })
        await send(
          `SELECT setval(pg_get_serial_sequence('chunks', 'id'), COALESCE((SELECT max(id) FROM chunks), 0) + 1, false)`,
        )
        await send(`COMMENT ON TABLE schema_version IS '${mark.replaceAll("'", "''")}'`)
        await send('COMMIT')
      } catch (error) {
        throw asAppError(error)
      }
      client.release()
      await sql.close()
    },
    async abort() {
      client.release(true)
      await sql.close()
    },
  }
}

/**
 * Keeps triggers from counting what each user stores, row by row, and returns their tables. Within one transaction each update
 * of a row looks at all of its versions from before: the threads of a user would take the square of their number.
 */
async function pauseCounting(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
     WHERE p.proname = 'count_storage' AND t.tgname = c.relname || '_stored' AND pg_table_is_visible(c.oid)`,
  )
  for (const { name } of rows) await client.query(`ALTER TABLE ${name} DISABLE TRIGGER ${name}_stored`)
  return rows.map(({ name }) => name)
}

/** Counts what the triggers would have counted, and lets them go on. */
async function countStorage(tables: readonly string[], send: (text: string) => Promise<unknown>): Promise<void> {
  for (const table of tables) {
    const slot = table === 'threads' ? 'hashtext(id) & 15' : '0'
    await send(
      `INSERT INTO storage (user_id, slot, bytes) SELECT user_id, ${slot}, sum(bytes) FROM ${table} GROUP BY 1, 2
       ON CONFLICT (user_id, slot) DO UPDATE SET bytes = storage.bytes + excluded.bytes`,
    )
    await send(`ALTER TABLE ${table} ENABLE TRIGGER ${table}_stored`)
  }
}

/** The mark of the last load that was committed. */
export async function restoredAs(url: string): Promise<string | undefined> {
  const sql = openPostgres(url)
  try {
    const text = `SELECT obj_description(to_regclass('schema_version')) AS mark`
    const { rows } = await sql.pool.query<{ mark: string | null }>(text)
    return rows[0]?.mark ?? undefined
  } catch (error) {
    throw asAppError(error)
  } finally {
    await sql.close()
  }
}

/** Nothing is lost with rate counters. */
const worthless: ReadonlySet<string> = new Set(['counters'])

async function holdsRows(client: ClientBase, version: number): Promise<boolean> {
  for (const table of portableTables(version)) {
    if (worthless.has(table.name)) continue
    const { rows } = await client.query<{ count: string }>(countText(table))
    if (Number(rows[0]?.count) > 0) return true
  }
  return false
}

async function refuseWhileServed(client: ClientBase): Promise<void> {
  const text = `SELECT count(*) AS count FROM processes WHERE seen_at > ${databaseClock} - ${leaseMs}`
  const { rows } = await client.query<{ count: string }>(text)
  if (Number(rows[0]?.count) > 0)
    throw new AppError('home_locked', 'a service runs on this database: stop every process of it first')
}

/** Nobody writes until the end: a service that starts meanwhile waits, and what it would write is not lost. */
async function lockTables(client: ClientBase, version: number): Promise<void> {
  const text = `SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NOT NULL`
  const { rows } = await client.query<{ name: string }>(text, [tableNames(version)])
  await client.query(`LOCK TABLE ${rows.map(({ name }) => name).join(', ')} IN SHARE ROW EXCLUSIVE MODE`)
}

/** Drops the tables of Atrium and the functions of their triggers; what else is in the database stays. */
async function dropTables(client: ClientBase, version: number): Promise<void> {
  const names = tableNames(version)
  const { rows } = await client.query<{ name: string }>(
    `SELECT DISTINCT p.oid::regprocedure::text AS name FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
     WHERE t.tgrelid = ANY (SELECT to_regclass(name) FROM unnest($1::text[]) AS name) AND NOT t.tgisinternal`,
    [names],
  )
  await client.query(`DROP TABLE IF EXISTS ${names.join(', ')} CASCADE`)
  for (const { name } of rows) await client.query(`DROP FUNCTION IF EXISTS ${name} CASCADE`)
}

/** The tables of a version, with those that are in no backup, some of which are of later versions. */
function tableNames(version: number): string[] {
  return [...portableTables(version).map(({ name }) => name), ...leftOut, 'duties', 'schema_version']
}

function castOf(table: PortableTable['name'], column: string): string {
  if (table === 'chunks' && column === 'terms') return '::tsvector'
  if (table === 'chunk_vectors' && column === 'bits') return '::varbit'
  return table === 'chunk_vectors' && column === 'numbers' ? '::real[]' : ''
}
