// What a killed process left half written is erased by the service, and never by a command that runs beside it.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openHomeStore, openStorage } from '#app/open-storage.ts'
import { readConfig } from '#config.ts'
import type { NewDocument } from '#core/document.ts'
import { silentLog } from '#lib/log.ts'
import { lockHome, openHome } from '#home.ts'
import { hiddenPath } from '#store/document-slices.ts'
import { migrateSqlite } from '#store/migrate-sqlite.ts'
import { migrations } from '#store/migrations.ts'
import { openSqlite } from '#store/sqlite.ts'
import { ada, folder } from '../store/harness.ts'
import { until } from '../until.ts'

function document(path: string): NewDocument {
  const chunks = [{ text: 'hello', lap: 0, terms: { title: [], body: ['hello'], extra: [] } }]
  return { path, bytes: 5, author: 'user', untrusted: false, chunks }
}

test('only the service, which locks the home, erases hidden chunks: they may be those of a running write', async (t) => {
  const config = readConfig({ ATRIUM_HOME: folder(t) })
  const first = await openHomeStore(config)
  t.after(() => first.store.close())
  await first.store.documents.put(ada, [document('a')])
  const db = new DatabaseSync(first.home.database)
  t.after(() => db.close())
  db.prepare('UPDATE chunks SET path = ?').run(hiddenPath())
  const chunks = (): unknown => db.prepare('SELECT count(*) AS n FROM chunks').get()?.['n']
  const command = await openHomeStore(config)
  for (const path of ['b', 'c', 'd']) await command.store.documents.put(ada, [document(path)])
  await command.store.close()
  assert.equal(chunks(), 4)
  const service = await openStorage(config, silentLog)
  t.after(() => service.close())
  await until(() => chunks() === 3)
})

test('a command goes on once another one has upgraded the database, which had the home meanwhile', async (t) => {
  const config = readConfig({ ATRIUM_HOME: folder(t) })
  const home = openHome(config.home)
  const sql = openSqlite(home.database)
  migrateSqlite(sql.db, home.database, { steps: migrations.slice(0, -1) })
  const unlock = lockHome(home)
  t.after(() => unlock?.())
  // The wait blocks this process: the other one upgrades while this one looks for the first time.
  t.mock.method(Atomics, 'wait', () => void migrateSqlite(sql.db, home.database))
  const { store } = await openHomeStore(config)
  await store.close()
  await sql.close()
})

test('an upgrade of the database is told when it begins, and how to go back when it is done', async (t) => {
  const config = readConfig({ ATRIUM_HOME: folder(t) })
  const home = openHome(config.home)
  const sql = openSqlite(home.database)
  migrateSqlite(sql.db, home.database, { steps: migrations.slice(0, -2) })
  await sql.close()
  const lines: string[] = []
  const said: string[] = []
  const log = { ...silentLog, warn: (_: object, words: string) => void lines.push(words) }
  await (await openStorage(config, log, (words) => said.push(words))).close()
  assert.equal(lines.length, 2)
  assert.match(lines[0] ?? '', new RegExp(`from version ${migrations.length - 2} to ${migrations.length}`))
  assert.match(lines[1] ?? '', /To go back/)
  assert.deepEqual(said, lines, 'a terminal, whose log is a file, shows the same')
})

test('a command does not upgrade the database under an earlier service, and stores nothing once it is upgraded itself', async (t) => {
  const config = readConfig({ ATRIUM_HOME: folder(t) })
  const home = openHome(config.home)
  const migrate = async (steps: typeof migrations) => {
    const sql = openSqlite(home.database)
    migrateSqlite(sql.db, home.database, { steps })
    await sql.close()
  }
  await migrate(migrations.slice(0, -1))
  const unlock = lockHome(home)
  await assert.rejects(openHomeStore(config), {
    code: 'home_locked',
    message: /earlier Atrium, or one that is upgrading, runs .* stop it first/,
  })
  unlock?.()
  const { store } = await openHomeStore(config)
  t.after(() => store.close())
  await store.settings.change(() => ({ kept: 1 }))
  await migrate([...migrations, { changes: [] }])
  await assert.rejects(
    store.settings.change(() => ({ kept: 2 })),
    {
      code: 'database_unavailable',
      message: /a newer Atrium has brought the database to version .* nothing more is stored/,
    },
  )
  assert.equal((await store.settings.all())['kept'], 1)
})
