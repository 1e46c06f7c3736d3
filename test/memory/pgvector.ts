// A real PostgreSQL with a real pgvector inside this process, behind the store's port: the server of the other tests has none.
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite, type Transaction } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import type { Store } from '#core/store.ts'
import { createSeal } from '#lib/seal.ts'
import { statementsOf } from '#store/migration.ts'
import { migrations } from '#store/migrations.ts'
import { composeStore } from '#store/open-store.ts'
import { type Job, query, type Row, type Sql } from '#store/sql.ts'
import { createPgvector } from '#store/vector-store.ts'

export type Pgvector = {
  readonly store: Store
  readonly sql: Sql
  /** Makes the database as it was in the beginning. */
  empty(): Promise<void>
}

export async function openPgvector(): Promise<Pgvector> {
  const db = await openDatabase()
  const sql: Sql = {
    backend: 'postgres',
    lock: ' FOR NO KEY UPDATE',
    read: (job) => drive(db, job()),
    readLong: (_, job) => drive(db, job()),
    write: (job) => db.transaction((tx) => drive(tx, job())),
    ping: async () => void (await drive(db, query('SELECT 1'))),
    close: () => db.close(),
  }
  const over = { seal: createSeal('0'.repeat(64)), now: Date.now, check: () => Promise.resolve([]) }
  return {
    store: composeStore(sql, { ...over, prepareVectors: () => createPgvector(sql) }),
    sql,
    empty: async () => void (await db.exec('TRUNCATE chunks, chunk_vectors, documents, document_owners, duties')),
  }
}

/**
 * A new database with every table. To make one takes seconds, so the first one is kept from run to run, for as long as the
 * schema and the packages stay the same.
 */
async function openDatabase(): Promise<PGlite> {
  const root = join(import.meta.dirname, '..', '..')
  const statements = migrations.flatMap((migration) => statementsOf(migration, 'postgres'))
  const makers = [...statements, readFileSync(join(root, 'package-lock.json'), 'utf8')]
  const hash = createHash('sha256').update(makers.join(';')).digest('hex').slice(0, 16)
  const cache = join(root, 'node_modules', '.cache')
  const path = join(cache, `atrium-pgvector-${hash}.tar`)
  if (existsSync(path)) return PGlite.create({ extensions: { vector }, loadDataDir: new Blob([readFileSync(path)]) })
  for (const old of globSync(join(cache, 'atrium-pgvector-*'))) rmSync(old, { force: true })
  const db = await PGlite.create({ extensions: { vector } })
  await db.exec(['BEGIN', ...statements, 'COMMIT'].join(';\n'))
  const dump = await db.dumpDataDir('none')
  writeFileSync(`${path}.${process.pid}`, Buffer.from(await dump.arrayBuffer()))
  renameSync(`${path}.${process.pid}`, path)
  return db
}

async function drive<T>(db: PGlite | Transaction, job: Job<T>): Promise<T> {
  let step = job.next()
  while (!step.done) {
    let at = 0
    const text = step.value.sql.replaceAll('?', () => `$${++at}`)
    const { rows } = await db.query<Row>(text, [...step.value.values])
    step = job.next(rows)
  }
  return step.value
}
