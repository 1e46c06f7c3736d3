// Databases of every version that has landed, made by the code of that time, open with the code of today.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newestVersion } from '#store/migrations.ts'
import { openStore } from '#store/open-store.ts'
import { openSqlite } from '#store/sqlite.ts'
import { usePostgres } from '../../postgres.ts'
import { checkPostgres, checkUpgraded, seal } from './check-upgraded.ts'
import { keptVersions, readSqliteFile } from './databases.ts'

const server = usePostgres()

test('there is a database of every version that users could have run', () => {
  // The newest may be so new that `make.ts` has not kept it yet. Version 27 landed together with 28.
  const landed = Array.from({ length: newestVersion - 1 }, (_, at) => at + 1).filter((version) => version !== 27)
  assert.deepEqual(
    keptVersions().filter((version) => version !== newestVersion),
    landed,
  )
})

test('SQLite: databases of all versions open, every thread reads, and every receipt is verified', async () => {
  for (const version of keptVersions()) {
    const image = readSqliteFile(version)
    const old = openSqlite(':memory:', { image })
    const all = (text: string) => old.db.prepare(text).all()
    const columns = all(`SELECT name FROM pragma_table_info('turns')`).map(({ name }) => name)
    const hash = columns.includes('hash') ? 'hash' : 'NULL'
    const hasDocuments = all(`SELECT name FROM sqlite_schema WHERE name = 'documents'`).length > 0
    const before = {
      turns: all(`SELECT id, user_id, ${hash} AS hash FROM turns ORDER BY id`).map((row) => ({
        id: String(row['id']),
        user: String(row['user_id']),
        hash: row['hash'] === null ? null : String(row['hash']),
      })),
      threads: all(`SELECT id, user_id, last_seq FROM threads`).map((row) => ({
        id: String(row['id']),
        user: String(row['user_id']),
        items: Number(row['last_seq']),
      })),
      waiting: all(`SELECT id FROM turns WHERE status = 'waiting'`).length,
      documents: hasDocuments ? all('SELECT path FROM documents').length : 0,
    }
    await old.close()
    const store = openStore({ path: ':memory:', seal, image })
    await checkUpgraded(store, before, version)
    await store.close()
  }
})

// All of them: upgrade.long.test.ts. From version 18 on, threads share bodies with their forks.
test('PostgreSQL: databases of some versions open, every thread reads, and every receipt is verified', async () => {
  const kept = keptVersions()
  const some = [kept[0], 17, kept.at(-1)].filter((version) => version !== undefined)
  await checkPostgres(await server.database(), some)
})
