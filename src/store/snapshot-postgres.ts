// The snapshot of a PostgreSQL database: a transaction that sees the state at its beginning.
import type { ClientBase } from 'pg'
import { liftTimeouts } from './lift-timeouts.ts'
import { versionIn } from './migrate-postgres.ts'
import { migrations } from './migrations.ts'
import { type PortableColumn, type PortableRow, type PortableTable } from './portable-schema.ts'
import { portableTables, type PortableValue } from './portable-schema.ts'
import { asAppError, openPostgres } from './postgres.ts'
import { countText, maxBatchBytes, maxBatchRows, selectText, type Snapshot, whereOf } from './snapshot.ts'
import { checkVersion } from './version-check.ts'

export async function openPostgresSnapshot(url: string): Promise<Snapshot> {
  const sql = openPostgres(url)
  const client = await sql.pool.connect().catch(async (error: unknown) => {
    await sql.close()
    throw asAppError(error)
  })
  const close = async (): Promise<void> => {
    client.release(true)
    await sql.close()
  }
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await liftTimeouts(client)
    return { ...(await snapshotOf(client)), close }
  } catch (error) {
    await close()
    throw asAppError(error)
  }
}

/** The snapshot of a transaction that is open already. */
export async function snapshotOf(client: ClientBase): Promise<Omit<Snapshot, 'close'>> {
  // Both cursors of a table then read it from its beginning, in the same order.
  await client.query('SET LOCAL synchronize_seqscans = off')
  const version = await versionIn(client)
  checkVersion(version, migrations)
  return {
    backend: 'postgres',
    version,
    tables: portableTables(version),
    count: async (table) => Number((await client.query(countText(table))).rows[0]?.['count']),
    rows: (table) => batches(client, table),
  }
}

/** One cursor tells the sizes of the next rows, another one reads as many of them as a batch may have. */
async function* batches(client: ClientBase, table: PortableTable): AsyncGenerator<readonly PortableRow[]> {
  try {
    await client.query(`DECLARE row_sizes NO SCROLL CURSOR FOR ${sizesText(table)}`)
    await client.query(`DECLARE row_values NO SCROLL CURSOR FOR ${selectText(table)}`)
    for (;;) {
      const { rows: sizes } = await client.query<{ bytes: string }>(`FETCH ${maxBatchRows} FROM row_sizes`)
      if (sizes.length === 0) break
      for (const rows of groupBySize(sizes.map(({ bytes }) => Number(bytes)))) {
        const found = await client.query<unknown[]>({ text: `FETCH ${rows} FROM row_values`, rowMode: 'array' })
        yield found.rows.map((row) => row.map((value, at) => portableOf(value, table.columns[at])))
      }
    }
    await client.query('CLOSE row_sizes')
    await client.query('CLOSE row_values')
  } catch (error) {
    throw asAppError(error)
  }
}

/** How many rows to read at a time so that each time stays below the bound. */
export function groupBySize(sizes: readonly number[], max = maxBatchBytes): number[] {
  const groups: number[] = []
  let [rows, bytes] = [0, 0]
  for (const size of sizes) {
    if (rows > 0 && bytes + size > max) {
      groups.push(rows)
      rows = 0
      bytes = 0
    }
    rows++
    bytes += size
  }
  return rows > 0 ? [...groups, rows] : groups
}

/** The sizes are known without reading the values. */
function sizesText({ name, columns, only }: PortableTable): string {
  const sizes = columns.filter(({ type }) => type !== 'number').map((column) => `COALESCE(${sizeOf(name, column)}, 0)`)
  return `SELECT ${['0', ...sizes].join(' + ')} AS bytes FROM ${name}${whereOf({ only })}`
}

function sizeOf(table: string, { name }: PortableColumn): string {
  return table === 'chunk_vectors' && name === 'numbers' ? `cardinality(${name}) * 8` : `octet_length(${name})`
}

function portableOf(value: unknown, column: PortableColumn | undefined): PortableValue {
  if (value === null || value === undefined) return null
  if (column?.type === 'number') return Number(value)
  // The numbers of a vector.
  if (Array.isArray(value)) {
    const { buffer } = Float32Array.from(value as number[])
    return new Uint8Array(buffer)
  }
  return value as string | Uint8Array
}
