// Databases as an earlier Atrium left them, for the test that each migration comes with.
import type { Store } from '#core/store.ts'
import { createSeal } from '#lib/seal.ts'
import { migratePostgres } from '#store/migrate-postgres.ts'
import { migrateSqlite } from '#store/migrate-sqlite.ts'
import { migrations } from '#store/migrations.ts'
import { openPostgresStore, openStore } from '#store/open-store.ts'
import { openPostgres } from '#store/postgres.ts'
import { query, type Row, type Value } from '#store/sql.ts'
import { openSqlite } from '#store/sqlite.ts'
import { folder } from './harness.ts'

/** A database of one version. What it holds is written by statements: today's code knows today's schema only. */
export type OldDatabase = {
  readonly backend: 'sqlite' | 'postgres'
  run(sql: string, ...values: Value[]): Promise<Row[]>
  /** Brings the database to a later version. */
  migrate(version: number): Promise<void>
  /** Opens the store, which brings the database up to date. */
  upgrade(): Promise<Store>
}
/** `t` closes what was opened. */
export type OpenVersion = (t: Closer, version: number) => Promise<OldDatabase>
export type Closer = { after(close: () => unknown): void }

const seal = createSeal('0'.repeat(64))

export async function openSqliteVersion(t: Closer, version: number): Promise<OldDatabase> {
  const path = `${folder(t)}/a.db`
  const sql = openSqlite(path)
  t.after(() => sql.close())
  const migrate = async (to: number) => void migrateSqlite(sql.db, path, { steps: migrations.slice(0, to) })
  await migrate(version)
  return {
    backend: sql.backend,
    migrate,
    run: (text, ...values) => sql.write(() => query(text, ...values)),
    async upgrade() {
      await sql.close()
      const store = openStore({ path, seal })
      t.after(() => store.close())
      return store
    },
  }
}

export async function openPostgresVersion(t: Closer, version: number, url: string): Promise<OldDatabase> {
  const sql = openPostgres(url)
  t.after(() => sql.close())
  const migrate = (to: number) => migratePostgres(sql.pool, { steps: migrations.slice(0, to) })
  await migrate(version)
  return {
    backend: sql.backend,
    migrate,
    run: (text, ...values) => sql.write(() => query(text, ...values)),
    async upgrade() {
      const { store } = await openPostgresStore({ url, seal })
      t.after(() => store.close())
      return store
    },
  }
}
