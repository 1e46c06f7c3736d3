// Opens the store a configuration names.
import type { Store } from '#core/store.ts'
import type { Seal } from '#lib/seal.ts'
import { createAccountStore } from './accounts.ts'
import { checkPostgres, checkSqlite } from './check.ts'
import { createDocumentStore } from './documents.ts'
import { createGrantStore } from './grants.ts'
import { createLeaseStore } from './leases.ts'
import { createMemoryLimits } from './limits.ts'
import { createSqlLimits } from './limits-sql.ts'
import { migrateSqlite, versionOf } from './migrate-sqlite.ts'
import { checkVersion, migrations } from './migrations.ts'
import { createSecretStore } from './secrets.ts'
import { createIdentityStore } from './identities.ts'
import { createSessionStore } from './sessions.ts'
import { createSettingStore } from './settings.ts'
import type { Sql } from './sql.ts'
import { asAppError, openSqlite } from './sqlite.ts'
import { createThreadStore } from './threads.ts'
import { createToolStore } from './tools.ts'
import { createTurnStore } from './turns.ts'
import { createUsageStore } from './usage.ts'
import { createVectorStore, lookForPgvector, preparePostgres, prepareSqlite } from './vectors.ts'

export type StoreParts = {
  readonly path: string
  readonly seal: Seal
  readonly now?: () => number
  /** Vectors may be asked for. */
  readonly vectors?: boolean
}

/** A SQLite store; the file is made and brought up to date. */
export function openStore({ path, seal, now = Date.now, vectors = false }: StoreParts): Store {
  const sql = openSqlite(path, { extensions: vectors })
  try {
    migrateSqlite(sql.db, path)
  } catch (error) {
    sql.db.close()
    throw asAppError(error)
  }
  return composeStore(sql, {
    seal,
    now,
    check: () => Promise.resolve(checkSqlite(sql.db)),
    prepareVectors: () => prepareSqlite(sql.db),
  })
}

/** A PostgreSQL store, brought up to date, and the server's pool for the bus. */
export async function openPostgresStore({ url, seal, now = Date.now }: Omit<StoreParts, 'path'> & { url: string }) {
  const [{ openPostgres }, { migratePostgres }] = await Promise.all([
    import('./postgres.ts'),
    import('./migrate-postgres.ts'),
  ])
  const sql = openPostgres(url)
  try {
    await migratePostgres(sql.pool)
  } catch (error) {
    await sql.close()
    throw error
  }
  const prepareVectors = () => preparePostgres(sql)
  return { store: composeStore(sql, { seal, now, check: () => checkPostgres(sql.pool), prepareVectors }), sql }
}

/** A store as it is found, not brought up to date, and its version. For `doctor`. */
export type FoundStore = { readonly store: Store; readonly version: number }

/** Looks at a SQLite file that is there; nothing is written to it. */
export function lookIntoStore({ path, seal, now = Date.now, vectors = false }: StoreParts): FoundStore {
  const sql = openSqlite(path, { extensions: vectors })
  try {
    sql.db.exec('PRAGMA query_only = TRUE')
    const version = versionOf(sql.db)
    checkVersion(version, migrations)
    const check = (): Promise<string[]> => Promise.resolve(checkSqlite(sql.db))
    return { store: composeStore(sql, { seal, now, check, prepareVectors: () => prepareSqlite(sql.db) }), version }
  } catch (error) {
    sql.db.close()
    throw asAppError(error)
  }
}

/** Looks at a database of PostgreSQL in the same way. */
export async function lookIntoPostgres({
  url,
  seal,
  now = Date.now,
}: Omit<StoreParts, 'path'> & { url: string }): Promise<FoundStore> {
  const [{ openPostgres }, { versionOfPostgres }] = await Promise.all([
    import('./postgres.ts'),
    import('./migrate-postgres.ts'),
  ])
  const sql = openPostgres(url)
  try {
    const version = await versionOfPostgres(sql.pool)
    checkVersion(version, migrations)
    const check = (): Promise<string[]> => checkPostgres(sql.pool)
    return { store: composeStore(sql, { seal, now, check, prepareVectors: () => lookForPgvector(sql) }), version }
  } catch (error) {
    await sql.close()
    throw error
  }
}

export type StoreOver = {
  readonly seal: Seal
  readonly now: () => number
  readonly check: Store['check']
  readonly prepareVectors: Store['vectors']['prepare']
  readonly maxForkBytes?: number
}

/** The store over a port that is open. */
export function composeStore(sql: Sql, { seal, now, check, prepareVectors, maxForkBytes }: StoreOver): Store {
  return {
    backend: sql.backend,
    turns: createTurnStore({ sql, now }),
    threads: createThreadStore({ sql, now, maxForkBytes }),
    usage: createUsageStore({ sql, now }),
    accounts: createAccountStore({ sql, now }),
    sessions: createSessionStore({ sql, now }),
    identities: createIdentityStore({ sql, now }),
    grants: createGrantStore({ sql, now }),
    secrets: createSecretStore({ sql, seal, now }),
    settings: createSettingStore({ sql, now }),
    tools: createToolStore({ sql, now }),
    documents: createDocumentStore({ sql, now }),
    vectors: createVectorStore({ sql, prepare: prepareVectors }),
    lastingLimits: createSqlLimits({ sql }),
    limits: sql.backend === 'sqlite' ? createMemoryLimits() : createSqlLimits({ sql }),
    leases: createLeaseStore({ sql }),
    check,
    ping: () => sql.ping(),
    close: () => sql.close(),
  }
}
