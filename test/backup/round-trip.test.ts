// What a backup holds comes back in either database, row for row.
import assert from 'node:assert/strict'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { makeBackup } from '#backup/backup.ts'
import { settleRestore } from '#app/open-storage.ts'
import { homeAt } from '#home.ts'
import { createStage, preparedMark, writePlan } from '#home/restore-stage.ts'
import { loadPostgres } from '#store/load-postgres.ts'
import { openPostgresStore, openStore } from '#store/open-store.ts'
import { openPostgres } from '#store/postgres.ts'
import { openPostgresSnapshot } from '#store/snapshot-postgres.ts'
import { usePostgres } from '../postgres.ts'
import { ada, folder, turnOf } from '../store/harness.ts'
import { until } from '../until.ts'
import { fillHome, restore, rowsOf, seal, sqliteRows } from './filled.ts'

const postgres = usePostgres()

function storageOf(path: string): unknown[] {
  const db = new DatabaseSync(path)
  try {
    return db.prepare('SELECT user_id, sum(bytes) AS bytes FROM storage GROUP BY user_id ORDER BY user_id').all()
  } finally {
    db.close()
  }
}

test('every row of every table moves from SQLite to PostgreSQL and back by the same file', async (t) => {
  const home = await fillHome(folder(t))
  const before = await sqliteRows(home.database, t)
  for (const [table, rows] of Object.entries(before)) assert(rows.length > 0, `${table} is empty in this test`)
  const file = join(folder(t), 'one.backup')
  await makeBackup({ home, file, withKey: false })
  assert.equal(statSync(file).mode & 0o777, 0o600)

  const url = await postgres.database()
  const middle = homeAt(folder(t))
  await restore({ home: middle, databaseUrl: url, file, replace: false })
  assert.deepEqual(await rowsOf(await openPostgresSnapshot(url)), before)
  const { store } = await openPostgresStore({ url, seal })
  const words = { match: { term: 'fox' }, weights: [], depth: 10, limit: 10 }
  assert.deepEqual(
    (await store.documents.find(ada, words)).map(({ path }) => path),
    ['notes/fox.md'],
  )
  // New chunks get numbers behind those that were restored.
  const chunks = [{ text: 'new', lap: 0, terms: { title: [], body: ['new'], extra: [] } }]
  await store.documents.put(ada, [{ path: 'new.md', bytes: 3, author: 'user', untrusted: false, chunks }])
  assert(await store.documents.remove(ada, 'new.md'))
  await store.close()

  const back = join(folder(t), 'two.backup')
  await makeBackup({ home: middle, databaseUrl: url, file: back, withKey: false })
  const last = homeAt(folder(t))
  await restore({ home: last, file: back, replace: false })
  const after = await sqliteRows(last.database, t)
  // The document that came and went has raised a count.
  assert.deepEqual({ ...after, document_owners: [] }, { ...before, document_owners: [] })
  assert.deepEqual(storageOf(last.database), storageOf(home.database))
  const restored = openStore({ path: last.database, seal })
  assert.deepEqual(
    (await restored.documents.find(ada, words)).map(({ path }) => path),
    ['notes/fox.md'],
  )
  await restored.close()
})

test('a restore into PostgreSQL counts what each user stores at its end, not row by row, and new rows again', async (t) => {
  const home = await fillHome(folder(t))
  const filled = openStore({ path: home.database, seal })
  await Promise.all(Array.from({ length: 100 }, () => filled.turns.start(turnOf())))
  await filled.close()
  const file = join(folder(t), 'a.backup')
  await makeBackup({ home, file, withKey: false })
  const url = await postgres.database()
  await restore({ home: homeAt(folder(t)), databaseUrl: url, file, replace: false })
  const { store, sql } = await openPostgresStore({ url, seal })
  t.after(() => store.close())
  const counted = async (): Promise<unknown[]> => {
    const text = 'SELECT user_id, sum(bytes)::int AS bytes FROM storage GROUP BY user_id ORDER BY user_id COLLATE "C"'
    return (await sql.pool.query(text)).rows
  }
  const before = await counted()
  assert.deepEqual(
    before,
    storageOf(home.database).map((row) => ({ ...(row as object) })),
  )
  const touched = `SELECT n_tup_ins::int AS added, n_tup_upd::int AS changed FROM pg_stat_user_tables WHERE relname = 'storage'`
  const look = async () => (await sql.pool.query<{ added: number; changed: number }>(touched)).rows[0]
  await until(async () => ((await look())?.added ?? 0) > 0)
  assert.ok(((await look())?.changed ?? 0) < 50)
  await store.turns.start(turnOf())
  assert.notDeepEqual(await counted(), before)
})

test('a backup of an earlier schema is brought to the newest one', async (t) => {
  const { openSqlite } = await import('#store/sqlite.ts')
  const { migrateSqlite } = await import('#store/migrate-sqlite.ts')
  const { migrations } = await import('#store/migrations.ts')
  const home = homeAt(folder(t))
  const sql = openSqlite(home.database)
  migrateSqlite(sql.db, home.database, { steps: migrations.slice(0, 5) })
  sql.db.exec(`INSERT INTO settings VALUES ('old', '1', 0)`)
  sql.db.exec(`INSERT INTO secrets (name, sealed, updated_at) VALUES ('key', 'x', 0)`)
  await sql.close()
  const file = join(folder(t), 'old.backup')
  await makeBackup({ home, file, withKey: false })
  for (const url of [undefined, await postgres.database()]) {
    const target = homeAt(folder(t))
    await restore({ home: target, file, replace: false, ...(url && { databaseUrl: url }) })
    const store = url ? (await openPostgresStore({ url, seal })).store : openStore({ path: target.database, seal })
    assert.deepEqual(await store.settings.all(), { old: 1 })
    assert.deepEqual(
      (await store.secrets.list()).map(({ name }) => name),
      ['key'],
    )
    assert.deepEqual(await store.check(), [])
    await store.close()
  }
})

test('what is replaced is kept aside, in both databases', async (t) => {
  const home = await fillHome(folder(t))
  const file = join(folder(t), 'a.backup')
  await makeBackup({ home, file, withKey: false })
  const before = await sqliteRows(home.database, t)
  const url = await postgres.database()
  for (const databaseUrl of [undefined, url]) {
    const target = homeAt(folder(t))
    const parts = { home: target, file, ...(databaseUrl && { databaseUrl }) }
    await restore({ ...parts, replace: false })
    await assert.rejects(restore({ ...parts, replace: false }), /is not empty: with --replace/)
    const steps = new Set<string>()
    const onProgress = (what: string): void => void steps.add(what)
    const { aside = '' } = await restore({ ...parts, replace: true, onProgress })
    if (databaseUrl) {
      assert.ok(steps.has('keeping a copy of what is replaced'))
      const copy = homeAt(folder(t))
      await restore({ home: copy, file: join(aside, 'database.backup'), replace: false })
      assert.deepEqual(await sqliteRows(copy.database, t), before)
      assert.deepEqual(await rowsOf(await openPostgresSnapshot(databaseUrl)), before)
    } else {
      assert.deepEqual(await sqliteRows(join(aside, 'atrium.db'), t), before)
      assert.deepEqual(await sqliteRows(target.database, t), before)
    }
  }
})

/** A database that a process has joined, and the parts of a restore into it. */
async function joinDatabase(t: TestContext) {
  const home = await fillHome(folder(t))
  const file = join(folder(t), 'a.backup')
  await makeBackup({ home, file, withKey: false })
  const url = await postgres.database()
  const { store } = await openPostgresStore({ url, seal })
  const lease = await store.leases.join('a process')
  return { url, store, lease, parts: { home: homeAt(folder(t)), databaseUrl: url, file, replace: true } }
}

test('a service that was lost keeps a restore back for 12 seconds, also after the clock was set back', async (t) => {
  const { url, store, parts } = await joinDatabase(t)
  await store.close()
  const sql = openPostgres(url)
  /** What the clock of the database has moved by, as the rows see it. */
  const pass = (ms: number) => sql.pool.query(`UPDATE processes SET seen_at = seen_at - ${ms}`)
  await pass(-3_600_000)
  await assert.rejects(restore(parts), { code: 'home_locked' })
  await pass(12_001)
  await sql.close()
  await restore(parts)
})

test('a restore is refused while a service runs on the database', async (t) => {
  const { url, store, lease, parts } = await joinDatabase(t)
  // A service that is writing: the restore neither waits for it nor makes it wait.
  const serving = openPostgres(url)
  const writer = await serving.pool.connect()
  await writer.query('BEGIN; LOCK TABLE threads IN ROW EXCLUSIVE MODE')
  const impatient = `${url}${url.includes('?') ? '&' : '?'}options=-c%20lock_timeout%3D2000`
  await assert.rejects(restore({ ...parts, databaseUrl: impatient }), { code: 'home_locked' })
  writer.release(true)
  await serving.close()
  await store.leases.leave(lease)
  await store.close()
  const loading = await loadPostgres({ url, termsOf: () => ({ title: [], body: [], extra: [] }), mark: 'm' })
  const starting = openPostgres(url)
  const write = starting.pool.query('BEGIN; LOCK TABLE processes IN ROW EXCLUSIVE MODE NOWAIT; COMMIT')
  await assert.rejects(write, { code: '55P03' }, 'nobody writes meanwhile')
  await starting.close()
  await loading.abort()
  await restore(parts)
  const sql = openPostgres(url)
  const foreign = await sql.pool.query('SELECT count(*) AS count FROM threads')
  assert.notEqual(foreign.rows[0]?.count, '0')
  await sql.close()
})

test('with PostgreSQL the commit decides: key and files follow it, or are dropped with it', async (t) => {
  const source = await fillHome(folder(t))
  writeFileSync(join(source.path, 'master-key'), `${'0'.repeat(64)}\n`)
  const file = join(folder(t), 'a.backup')
  await makeBackup({ home: source, file, withKey: true })
  const url = await postgres.database()
  const home = homeAt(folder(t))
  await restore({ home, databaseUrl: url, file, replace: false })
  const sql = openPostgres(url)
  const { rows } = await sql.pool.query(`SELECT obj_description('schema_version'::regclass) AS mark`)
  await sql.close()
  const plan = { aside: 'aside', places: ['webui-token'], clears: [] }
  const token = join(home.path, 'webui-token')
  for (const [mark, placed] of [
    ['another restore', false],
    [String(rows[0]?.mark), true],
  ] as const) {
    writeFileSync(join(createStage(home.path), 'webui-token'), 'new')
    writePlan(home.path, { ...plan, mark })
    await settleRestore(home, { databaseUrl: url, locked: false })
    assert.equal(existsSync(token), placed)
    assert.equal(preparedMark(home.path), undefined)
  }
})
