// A real PostgreSQL with a real pgvector inside this process, behind the store's port: the server of the other tests has none.
import { PGlite, type Transaction } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import type { Store } from '#core/store.ts'
import { createSeal } from '#lib/seal.ts'
import { migrations, statementsOf } from '#store/migrations.ts'
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
  const db = await PGlite.create({ extensions: { vector } })
  for (const migration of migrations) for (const each of statementsOf(migration, 'postgres')) await db.exec(each)
  const sql: Sql = {
    backend: 'postgres',
    lock: ' FOR UPDATE',
    read: (job) => drive(db, job()),
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
