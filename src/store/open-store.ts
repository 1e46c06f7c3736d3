// Opens a store on SQLite or PostgreSQL, and composes it of its parts.
import type { DatabaseSync } from 'node:sqlite'
import { AppError } from '#core/errors.ts'
import { newId } from '#core/ids.ts'
import type { Store } from '#core/store.ts'
import type { Seal } from '#lib/seal.ts'
import { createAccountStore } from './account-store.ts'
import { createChannelStore } from './channel-store.ts'
import { checkPostgres, checkSqlite } from './schema-check.ts'
import { eraseLeftovers } from './document-slices.ts'
import { createDocumentStore } from './document-store.ts'
import { createGrantStore } from './grant-store.ts'
import { createLeaseStore } from './lease-store.ts'
import { createMcpStore } from './mcp-store.ts'
import { createMissionStore } from './mission-store.ts'
import { createMemoryLimits } from './memory-limits.ts'
import { createSqlLimits } from './sql-limits.ts'
import { type Migrated, migrateSqlite, removeHalfCopies, versionOf } from './migrate-sqlite.ts'
import { migrations, newestVersion } from './migrations.ts'
import { startScrub } from './scrub-sqlite.ts'
import { createNotificationStore } from './notification-store.ts'
import { createOrderedIds, newestTurn, newestTurnBound } from './ordered-ids.ts'
import { createSecretStore } from './secret-store.ts'
import { createIdentityStore } from './identity-store.ts'
import { createSessionStore } from './session-store.ts'
import { createSkillStore } from './skill-store.ts'
import { createSettingStore } from './setting-store.ts'
import { first, type Sql } from './sql.ts'
import { asAppError } from './sqlite-faults.ts'
import { openSqlite } from './sqlite.ts'
import { createStorageStore } from './storage-quota.ts'
import { createThreadIndexStore } from './thread-index-store.ts'
import { createThreadStore } from './thread-store.ts'
import { createToolStore } from './tool-store.ts'
import { createTurnStore } from './turn-store.ts'
import { createUsageStore } from './usage-store.ts'
import { createVectorStore, findPgvector, createPgvector, loadSqliteVec } from './vector-store.ts'
import { checkVersion, outdated } from './version-check.ts'
import { watchWrites } from './write-check.ts'
import type { StoreBase } from './store-base.ts'

type CommonParts = {
  readonly seal: Seal
  readonly now?: () => number
  /** The storage quota of a user; 0 means none. */
  readonly maxUserBytes?: number
  /** Called before an existing database of this version is brought to the next one. */
  readonly onStep?: (version: number) => void
}

/** Parts of a store on SQLite. */
export type StoreParts = CommonParts & {
  readonly path: string
  /** Allows loading the vector extension into SQLite. */
  readonly vectors?: boolean
  /** This process has locked the home: what a killed one left half written is erased. */
  readonly locked?: boolean
  /**
   * Locks the home while an existing file is migrated, for a process that has not locked it. Undefined if another process
   * migrates it meanwhile (`isOld` turns false). Throws while another one has the home.
   */
  readonly lockToMigrate?: (isOld: () => boolean) => (() => void) | undefined
  /** Called when an existing file was brought to a newer version. */
  readonly onMigrated?: (migrated: Migrated) => void
  /** For tests: the content of a database in memory. */
  readonly image?: Uint8Array
}

type PostgresStoreParts = CommonParts & {
  readonly url: string
  /** Called each second while another process migrates. */
  readonly onWait?: () => void
  /** Called when a newer Atrium has brought the database to a version that this process cannot work with. */
  readonly onOutdated?: (error: AppError) => void
}

/** Opens a SQLite store. The file is created or migrated if needed. */
export function openStore(parts: StoreParts): Store {
  const { path, seal, now = Date.now, vectors = false, maxUserBytes = 0, locked = false, image } = parts
  const onBegin = locked ? undefined : () => checkOpen(sql.db)
  const sql = openSqlite(path, { extensions: vectors, onErase: () => scrub.soon(), onBegin, image })
  let newest: Record<string, unknown> | undefined
  try {
    migrateFile(sql.db, parts)
    newest = sql.db.prepare(newestTurn).get(newestTurnBound(now()))
  } catch (error) {
    sql.db.close()
    throw asAppError(error)
  }
  const dataVersion = dataVersionOf(sql.db)
  const scrub = startScrub(sql)
  // Fails on a full disk, or when the store is closed at once: the next start goes on.
  if (locked) eraseLeftovers(sql).catch(() => {})
  const store = composeStore(sql, {
    seal,
    now,
    lastId: newest && String(newest['id']),
    check: () => sql.read(checkSqlite),
    prepareVectors: () => loadSqliteVec(sql.db),
    maxUserBytes,
  })
  return {
    ...store,
    changedElsewhere: () => dataVersionOf(sql.db) !== dataVersion,
    async close() {
      await scrub.close()
      await store.close()
    },
  }
}

/** Changes with each commit of another connection. */
function dataVersionOf(db: DatabaseSync): unknown {
  return db.prepare('PRAGMA data_version').get()?.['data_version']
}

function migrateFile(db: DatabaseSync, { path, lockToMigrate, onStep, onMigrated }: StoreParts): void {
  const found = versionOf(db)
  const isOld = (): boolean => versionOf(db) < newestVersion
  const unlock = found > 0 && isOld() ? lockToMigrate?.(isOld) : undefined
  try {
    if (found > 0 && isOld()) removeHalfCopies(path)
    const migrated = migrateSqlite(db, path, { onStep })
    if (migrated) onMigrated?.(migrated)
  } finally {
    unlock?.()
  }
}

/** A process that has not locked the home may be older than the one that has. */
function checkOpen(db: DatabaseSync): void {
  const found = versionOf(db)
  if (found > newestVersion) throw outdated(found, newestVersion)
}

/** Opens and migrates a PostgreSQL store. Also returns its `sql`, for the bus. */
export async function openPostgresStore({
  url,
  seal,
  now = Date.now,
  maxUserBytes = 0,
  onStep,
  onWait,
  onOutdated,
}: PostgresStoreParts) {
  const [{ openPostgres }, { checkConnection, migratePostgres }] = await Promise.all([
    import('./postgres.ts'),
    import('./migrate-postgres.ts'),
  ])
  let migrated = false
  const sql = openPostgres(url, {
    async onConnect(client) {
      // The connection that migrates is the first one.
      if (!migrated) return
      await checkConnection(client).catch((error: unknown) => {
        if (error instanceof AppError) onOutdated?.(error)
        throw error
      })
    },
  })
  let lastId: string | undefined
  try {
    await migratePostgres(sql.pool, { onStep, onWait })
    migrated = true
    const newest = await sql.read(() => first(newestTurn, newestTurnBound(now())))
    lastId = newest && String(newest['id'])
  } catch (error) {
    await sql.close()
    throw error
  }
  const prepareVectors = () => createPgvector(sql)
  const check = (): Promise<string[]> => checkPostgres(sql.pool)
  return { store: composeStore(sql, { seal, now, lastId, check, prepareVectors, maxUserBytes }), sql }
}

/** A store that was not migrated, and its schema version. For `doctor`. */
export type InspectedStore = { readonly store: Store; readonly version: number }

type InspectParts = Pick<StoreParts, 'path' | 'seal' | 'vectors'>

/** Opens an existing SQLite file read-only. */
export function inspectStore({ path, seal, vectors = false }: InspectParts): InspectedStore {
  const sql = openSqlite(path, { extensions: vectors })
  try {
    sql.db.exec('PRAGMA query_only = TRUE')
    const version = versionOf(sql.db)
    checkVersion(version, migrations)
    const check = (): Promise<string[]> => sql.read(checkSqlite)
    const prepareVectors = () => loadSqliteVec(sql.db)
    return { store: composeStore(sql, { seal, now: Date.now, check, prepareVectors }), version }
  } catch (error) {
    sql.db.close()
    throw asAppError(error)
  }
}

/** Opens a PostgreSQL database without migrating it. */
export async function inspectPostgres({ url, seal }: { url: string; seal: Seal }): Promise<InspectedStore> {
  const [{ openPostgres }, { versionOfPostgres }] = await Promise.all([
    import('./postgres.ts'),
    import('./migrate-postgres.ts'),
  ])
  const sql = openPostgres(url)
  try {
    const version = await versionOfPostgres(sql.pool)
    checkVersion(version, migrations)
    const check = (): Promise<string[]> => checkPostgres(sql.pool)
    const prepareVectors = () => findPgvector(sql)
    return { store: composeStore(sql, { seal, now: Date.now, check, prepareVectors }), version }
  } catch (error) {
    await sql.close()
    throw error
  }
}

export type StoreDeps = Omit<StoreBase, 'sql' | 'nextId'> & {
  /** New ids of turns sort after it: the clock may have been set back since. */
  readonly lastId?: string | undefined
  readonly check: Store['check']
  readonly prepareVectors: Store['vectors']['prepare']
}

/** Composes the store over an open database. */
export function composeStore(inner: Sql, deps: StoreDeps): Store {
  const { sql, checkWrites } = watchWrites(inner)
  const { seal, now, lastId, check, prepareVectors, maxForkBytes, maxUserBytes = 0 } = deps
  const nextId = createOrderedIds(newId, lastId)
  return {
    backend: sql.backend,
    turns: createTurnStore({ sql, now, nextId, maxUserBytes, maxForkBytes }),
    threads: createThreadStore({ sql, now, nextId, maxForkBytes, maxUserBytes }),
    threadIndex: createThreadIndexStore({ sql, now }),
    storage: createStorageStore({ sql, maxUserBytes }),
    usage: createUsageStore({ sql, now }),
    accounts: createAccountStore({ sql, now }),
    sessions: createSessionStore({ sql, now }),
    identities: createIdentityStore({ sql, now }),
    grants: createGrantStore({ sql, now }),
    missions: createMissionStore({ sql, now, nextId, maxUserBytes }),
    channels: createChannelStore({ sql, now, nextId, maxUserBytes }),
    notifications: createNotificationStore({ sql, seal, now, nextId }),
    secrets: createSecretStore({ sql, seal, now }),
    settings: createSettingStore({ sql, now }),
    tools: createToolStore({ sql, now }),
    mcp: createMcpStore({ sql, now }),
    skills: createSkillStore({ sql, now, maxUserBytes }),
    documents: createDocumentStore({ sql, now, maxUserBytes }),
    vectors: createVectorStore({ sql, prepare: prepareVectors }),
    persistentLimits: createSqlLimits({ sql }),
    limits: sql.backend === 'sqlite' ? createMemoryLimits() : createSqlLimits({ sql }),
    leases: createLeaseStore({ sql }),
    check,
    ping: () => sql.ping(),
    checkWrites,
    changedElsewhere: () => false,
    close: () => sql.close(),
  }
}
