// Migrations: once, whoever comes together; with a copy before; never backwards.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { AppError } from '#core/errors.ts'
import { createSeal } from '#lib/seal.ts'
import { migrateSqlite } from '#store/migrate-sqlite.ts'
import { migrations } from '#store/migrations.ts'
import { openStore } from '#store/open-store.ts'
import { openSqlite } from '#store/sqlite.ts'
import { folder } from './harness.ts'
import { next, settingsOf, versionOf } from './sqlite-file.ts'
import { migrateTests } from './suite-migrate.ts'
import { openSqliteVersion } from './versions.ts'

migrateTests(openSqliteVersion)

test('a copy of what was there is kept before a migration, for its owner alone', async (t) => {
  const path = join(folder(t), 'a.db')
  const store = openStore({ path, seal: createSeal('0'.repeat(64)) })
  await store.settings.change(() => ({ before: 1 }))
  await store.close()
  assert.deepEqual(
    readdirSync(join(path, '..')).filter((name) => name.endsWith('.backup')),
    [],
    'a new file needs no copy',
  )
  const copy = `${path}.v${migrations.length}.backup`
  writeFileSync(copy, 'the copy of a migration that failed long ago')
  const sql = openSqlite(path)
  const done = migrateSqlite(sql.db, path, { steps: next })
  assert.deepEqual(done, { from: migrations.length, to: next.length, copy })
  assert.equal(migrateSqlite(sql.db, path, { steps: next }), undefined)
  await sql.close()
  assert.deepEqual(settingsOf(copy), [{ name: 'before', value: '1' }])
  assert.equal(settingsOf(path).length, 2)
  assert.equal(statSync(copy).mode & 0o777, 0o600)
})

test('a migration that fails leaves the version and the rows as they were', async (t) => {
  const path = join(folder(t), 'a.db')
  const sql = openSqlite(path)
  t.after(() => sql.close())
  migrateSqlite(sql.db, path)
  const broken = [...migrations, { changes: [`INSERT INTO settings VALUES ('v', '2', 0)`, 'NOT SQL'] }]
  const copy = `${path}.v${migrations.length}.backup`
  assert.throws(
    () => migrateSqlite(sql.db, path, { steps: broken }),
    (error: AppError) => {
      assert.equal(error.code, 'database_unavailable')
      assert(error.message.includes(`from version ${migrations.length} to ${broken.length}`), error.message)
      assert(error.message.includes(`put ${copy} (version ${migrations.length}) in place of ${path}`), error.message)
      return true
    },
  )
  assert.equal(versionOf(copy), migrations.length)
  assert.equal(versionOf(path), migrations.length)
  assert.deepEqual(settingsOf(path), [])
  assert.equal(sql.db.isTransaction, false)
  const [from, to] = [next.length, next.length + 1]
  assert.throws(() => migrateSqlite(sql.db, path, { steps: [...next, { changes: ['NOT SQL'] }] }), {
    message: new RegExp(`from version ${from} to ${to} .*\\.v${migrations.length}\\.backup`),
  })
  assert.equal(versionOf(path), next.length, 'the step before it stays')
})

test('a new file that cannot be made leaves nothing, and has no way back', async (t) => {
  const path = join(folder(t), 'a.db')
  const sql = openSqlite(path)
  t.after(() => sql.close())
  const broken = [{ changes: ['CREATE TABLE a (b)'] }, { changes: ['NOT SQL'] }]
  assert.throws(
    () => migrateSqlite(sql.db, path, { steps: broken }),
    ({ message }: Error) => /syntax/.test(message) && !message.includes('To go back'),
  )
  assert.equal(versionOf(path), 0, 'one transaction makes it')
  assert.deepEqual(sql.db.prepare('SELECT name FROM sqlite_schema').all(), [])
})

test('a migration sorts in files, and everything after it in memory', async (t) => {
  const path = join(folder(t), 'atrium.db')
  const sql = openSqlite(path)
  migrateSqlite(sql.db, path, { steps: [{ changes: ['CREATE TABLE stores (was INT)'] }] })
  assert.equal(sql.db.prepare('PRAGMA temp_store').get()?.['temp_store'], 2, 'a new file has nothing to sort')
  const asks = { changes: ['INSERT INTO stores SELECT temp_store FROM pragma_temp_store'] }
  migrateSqlite(sql.db, path, { steps: [{ changes: [] }, asks] })
  const [file, memory] = [1, 2]
  assert.equal(sql.db.prepare('SELECT was FROM stores').get()?.['was'], file)
  assert.equal(sql.db.prepare('PRAGMA temp_store').get()?.['temp_store'], memory)
  await sql.close()
})

test('a database of a newer Atrium is refused and not touched', (t) => {
  const path = join(folder(t), 'a.db')
  const db = new DatabaseSync(path)
  db.exec(`PRAGMA user_version = ${migrations.length + 1}`)
  db.close()
  const seal = createSeal('0'.repeat(64))
  assert.throws(() => openStore({ path, seal }), { code: 'database_unavailable', message: /newer Atrium/ })
  assert.equal(versionOf(path), migrations.length + 1)
})

test('each step is told before it begins, and the copy before it is made; a new file has none to tell', (t) => {
  const path = join(folder(t), 'a.db')
  const { db } = openSqlite(path)
  t.after(() => db.close())
  const told: string[] = []
  const onStep = (version: number) => {
    told.push(`${version}, ${existsSync(`${path}.v${migrations.length - 2}.backup`) ? 'copied' : 'no copy'}`)
    assert.equal(versionOf(path), version)
  }
  migrateSqlite(db, path, { steps: migrations.slice(0, -2), onStep })
  migrateSqlite(db, path, { onStep })
  migrateSqlite(db, path, { onStep })
  const [two, one] = [migrations.length - 2, migrations.length - 1]
  assert.deepEqual(told, [`${two}, no copy`, `${two}, copied`, `${one}, copied`])
})

const broken = { changes: ['NOT SQL'] }

for (const [what, change] of [
  ['and whose copy is gone', (path: string) => rmSync(`${path}.v${migrations.length}.backup`)],
  [
    'and that another Atrium has ended since',
    (path: string) => {
      const db = new DatabaseSync(path)
      migrateSqlite(db, path, { steps: [...next, { changes: [] }] })
      const { application_id: mark } = db.prepare('PRAGMA application_id').get() ?? {}
      db.close()
      assert.equal(mark, 0)
    },
  ],
  [
    'and that an Atrium of the version it has reached has used since',
    (path: string) => {
      const db = new DatabaseSync(path)
      assert.equal(migrateSqlite(db, path, { steps: next }), undefined)
      db.close()
    },
  ],
  [
    'and that an earlier Atrium has ended since',
    (path: string) => {
      const db = new DatabaseSync(path)
      db.exec(`PRAGMA user_version = ${next.length + 1}`)
      db.close()
    },
  ],
] as const) {
  test(`an upgrade that was cut off ${what} gets a new copy`, (t) => {
    const path = join(folder(t), 'a.db')
    const { db } = openSqlite(path)
    t.after(() => db.close())
    migrateSqlite(db, path)
    assert.throws(() => migrateSqlite(db, path, { steps: [...next, broken] }))
    change(path)
    const from = versionOf(path)
    const steps = [...next, { changes: [] }, { changes: [] }]
    const copy = `${path}.v${from}.backup`
    assert.deepEqual(migrateSqlite(db, path, { steps }), { from, to: steps.length, copy })
    assert.equal(versionOf(copy), from)
  })
}

test('several steps keep one copy, of the version before the first', async (t) => {
  const path = join(folder(t), 'a.db')
  const sql = openSqlite(path)
  t.after(() => sql.close())
  migrateSqlite(sql.db, path, { steps: migrations.slice(0, 20) })
  migrateSqlite(sql.db, path)
  assert.deepEqual(
    readdirSync(join(path, '..')).filter((name) => name.endsWith('.backup')),
    ['a.db.v20.backup'],
  )
})

test('what killed processes had copied so far is removed by the next one, whoever has their numbers now', async (t) => {
  const path = join(folder(t), 'a.db')
  const sql = openSqlite(path)
  migrateSqlite(sql.db, path, { steps: migrations.slice(0, -1) })
  await sql.close()
  const copy = `${path}.v${migrations.length - 1}.backup`
  const left = ['', '-journal'].flatMap((end) =>
    [`${copy}.4194304`, `${copy}.${process.ppid}`, `${path}.v3.backup.7`].map((name) => `${name}${end}`),
  )
  const others = [`${copy}.mine`, `${path}.v3.backup`, `${path}.v3.backup.7.mine`]
  for (const file of [...left, ...others]) writeFileSync(file, 'half')
  const told: unknown[] = []
  await openStore({ path, seal: createSeal('0'.repeat(64)), onMigrated: (done) => told.push(done) }).close()
  assert.deepEqual(told, [{ from: migrations.length - 1, to: migrations.length, copy }])
  assert.deepEqual(
    [...left, ...others, copy].filter((file) => existsSync(file)),
    [...others, copy],
  )
})

test('a copy that cannot be made keeps the database as it was, and says why and what room it takes', async (t) => {
  const path = join(folder(t), 'a.db')
  const sql = openSqlite(path)
  t.after(() => sql.close())
  migrateSqlite(sql.db, path)
  const prepare = sql.db.prepare.bind(sql.db)
  const full = t.mock.method(sql.db, 'prepare', (text: string) => {
    if (text.startsWith('VACUUM')) throw Object.assign(new Error('database or disk is full'), { errcode: 13 })
    return prepare(text)
  })
  const megabytes = Math.ceil((statSync(path).size + statSync(`${path}-wal`).size) / 1e6)
  assert.throws(() => migrateSqlite(sql.db, path, { steps: next }), {
    code: 'disk_full',
    message: new RegExp(
      `copy .* could not be made \\(database or disk is full\\)\\. The database has version ${migrations.length} as before: make room for ${megabytes} MB in .* or run the Atrium of before$`,
    ),
  })
  full.mock.mockImplementation((text: string) => {
    if (text.startsWith('VACUUM')) throw new Error('no such folder')
    return prepare(text)
  })
  assert.throws(() => migrateSqlite(sql.db, path, { steps: next }), {
    code: 'database_unavailable',
    message:
      /could not be made \(no such folder\)\. .* as before: mend this and start again, or run the Atrium of before$/,
  })
  full.mock.restore()
  assert.equal(versionOf(path), migrations.length)
  assert.equal(migrateSqlite(sql.db, path, { steps: next })?.to, next.length)
})
