// Migrations: once, whoever comes together; with a copy before; never backwards.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { AppError } from '#core/errors.ts'
import { createSeal } from '#lib/seal.ts'
import { migrateSqlite } from '#store/migrate-sqlite.ts'
import { migrations } from '#store/migrations.ts'
import { openStore } from '#store/open-store.ts'
import { openSqlite } from '#store/sqlite.ts'
import { until } from '../until.ts'
import { folder } from './harness.ts'
import { migrateTests } from './suite-migrate.ts'
import { openSqliteVersion } from './versions.ts'

migrateTests(openSqliteVersion)

const next = [
  ...migrations,
  { changes: ['ALTER TABLE settings ADD COLUMN note TEXT', `INSERT INTO settings VALUES ('v', '2', 0, '')`] },
]

/** Its last step stores something and takes many minutes: far longer than a test waits. */
const forever = `WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x FROM n LIMIT 100000000000) SELECT count(*) FROM n`
const endless = [...next, { changes: [`INSERT INTO settings VALUES ('half', '3', 0, '')`, forever] }]

function versionOf(path: string): number {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    return Number(db.prepare('PRAGMA user_version').get()?.['user_version'])
  } finally {
    db.close()
  }
}

function settingsOf(path: string): unknown[] {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    return db
      .prepare('SELECT name, value FROM settings')
      .all()
      .map((row) => ({ ...row }))
  } finally {
    db.close()
  }
}

/** Opens the file in a process of its own, as soon as a line arrives; resolves with what it had to say. */
function startProcess(path: string, steps: 'now' | 'next' | 'endless') {
  const code = `
    import { openSqlite } from '#store/sqlite.ts'
    import { migrateSqlite } from '#store/migrate-sqlite.ts'
    import { migrations } from '#store/migrations.ts'
    const steps = ${steps === 'now' ? 'migrations' : JSON.stringify(steps === 'next' ? next : endless)}
    process.stdin.once('data', () => {
      const sql = openSqlite(${JSON.stringify(path)})
      migrateSqlite(sql.db, ${JSON.stringify(path)}, steps)
      sql.db.close()
      process.stdin.destroy()
    })
    console.log('ready')`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', code], {
    cwd: join(import.meta.dirname, '../..'),
  })
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve())
    child.once('exit', () => reject(new Error(errors)))
  })
  const over = new Promise<{ code: number | null; errors: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, errors }))
  })
  return { ready, go: () => child.stdin.write('\n'), kill: () => child.kill('SIGKILL'), over }
}

for (const [what, steps] of [
  ['make a new database', 'now'],
  ['bring an old one up to date', 'next'],
] as const) {
  test(`processes that start together ${what} once`, async (t) => {
    const path = join(folder(t), 'a.db')
    if (steps === 'next') await openStore({ path, seal: createSeal('0'.repeat(64)) }).close()
    const children = Array.from({ length: 4 }, () => startProcess(path, steps))
    await Promise.all(children.map(({ ready }) => ready))
    for (const { go } of children) go()
    for (const { over } of children) assert.deepEqual(await over, { code: 0, errors: '' })
    assert.equal(versionOf(path), steps === 'now' ? migrations.length : next.length)
    if (steps === 'next') {
      assert.deepEqual(settingsOf(path), [{ name: 'v', value: '2' }])
      assert.equal(versionOf(`${path}.v${migrations.length}.backup`), migrations.length)
    }
    const left = readdirSync(join(path, '..')).filter((name) => !/^a\.db(-wal|-shm|\.v\d+\.backup)?$/.test(name))
    assert.deepEqual(left, [], 'nothing else is left in the folder')
  })
}

test('a process that finds another one making the file waits for it', async (t) => {
  const path = join(folder(t), 'a.db')
  const other = new DatabaseSync(path)
  // So far and no further: here SQLite answers "locked" without waiting.
  other.exec('BEGIN IMMEDIATE; CREATE TABLE early (x)')
  const child = startProcess(path, 'now')
  await child.ready
  child.go()
  const first = await Promise.race([child.over, setTimeout(500, 'waits')])
  other.exec('ROLLBACK')
  other.close()
  assert.equal(first, 'waits')
  assert.deepEqual(await child.over, { code: 0, errors: '' })
})

test('a copy of what was there is kept before a migration, for its owner alone', async (t) => {
  const path = join(folder(t), 'a.db')
  const store = openStore({ path, seal: createSeal('0'.repeat(64)) })
  await store.settings.set('before', 1)
  await store.close()
  assert.deepEqual(
    readdirSync(join(path, '..')).filter((name) => name.endsWith('.backup')),
    [],
    'a new file needs no copy',
  )
  const copy = `${path}.v${migrations.length}.backup`
  writeFileSync(copy, 'the copy of a migration that failed long ago')
  const sql = openSqlite(path)
  const done = migrateSqlite(sql.db, path, next)
  assert.deepEqual(done, { from: migrations.length, to: next.length, copy })
  assert.equal(migrateSqlite(sql.db, path, next), undefined)
  await sql.close()
  assert.deepEqual(settingsOf(copy), [{ name: 'before', value: '1' }])
  assert.equal(settingsOf(path).length, 2)
  assert.equal(statSync(copy).mode & 0o077, 0)
})

test('a migration that fails leaves the version and the rows as they were', async (t) => {
  const path = join(folder(t), 'a.db')
  const sql = openSqlite(path)
  t.after(() => sql.close())
  migrateSqlite(sql.db, path)
  const broken = [...migrations, { changes: [`INSERT INTO settings VALUES ('v', '2', 0)`, 'NOT SQL'] }]
  const copy = `${path}.v${migrations.length}.backup`
  assert.throws(
    () => migrateSqlite(sql.db, path, broken),
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
})

test('a migration sorts in files, and everything after it in memory', async (t) => {
  const path = join(folder(t), 'atrium.db')
  const sql = openSqlite(path)
  migrateSqlite(sql.db, path, [{ changes: ['CREATE TABLE stores (was INT)'] }])
  const asks = { changes: ['INSERT INTO stores SELECT temp_store FROM pragma_temp_store'] }
  migrateSqlite(sql.db, path, [{ changes: [] }, asks])
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

test('several steps keep one copy, of the version before the first', async (t) => {
  const path = join(folder(t), 'a.db')
  const sql = openSqlite(path)
  t.after(() => sql.close())
  migrateSqlite(sql.db, path, migrations.slice(0, 20))
  migrateSqlite(sql.db, path)
  assert.deepEqual(
    readdirSync(join(path, '..')).filter((name) => name.endsWith('.backup')),
    ['a.db.v20.backup'],
  )
})

test('a process that is killed in the middle leaves whole steps and the copy, and the next one goes on', async (t) => {
  const path = join(folder(t), 'a.db')
  await openStore({ path, seal: createSeal('0'.repeat(64)) }).close()
  const child = startProcess(path, 'endless')
  t.after(() => child.kill())
  await child.ready
  child.go()
  await until(() => versionOf(path) === next.length)
  child.kill()
  await child.over
  const copy = `${path}.v${migrations.length}.backup`
  assert.deepEqual([versionOf(path), versionOf(copy)], [next.length, migrations.length])
  assert.deepEqual(settingsOf(path), [{ name: 'v', value: '2' }])
  const sql = openSqlite(path)
  t.after(() => sql.close())
  migrateSqlite(sql.db, path, [...next, { changes: [`INSERT INTO settings VALUES ('w', '3', 0, '')`] }])
  assert.deepEqual(settingsOf(path).length, 2)
  assert.equal(versionOf(copy), migrations.length, 'the copy from before all steps stays')
})

test('what killed processes had copied so far is removed by the next one, whoever has their numbers now', async (t) => {
  const path = join(folder(t), 'a.db')
  const sql = openSqlite(path)
  migrateSqlite(sql.db, path, migrations.slice(0, -1))
  await sql.close()
  const copy = `${path}.v${migrations.length - 1}.backup`
  const left = [`${copy}.4194304`, `${copy}.${process.ppid}`, `${path}.v3.backup.7`]
  const others = [`${copy}.mine`, `${path}.v3.backup`, `${path}.v3.backup.7.mine`]
  for (const file of [...left, ...others]) writeFileSync(file, 'half')
  await openStore({ path, seal: createSeal('0'.repeat(64)) }).close()
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
  assert.throws(() => migrateSqlite(sql.db, path, next), {
    code: 'disk_full',
    message: new RegExp(
      `copy .* could not be made \\(database or disk is full\\)\\. The database has version ${migrations.length} as before: make room for \\d+ MB in .* or run the Atrium of before$`,
    ),
  })
  full.mock.mockImplementation((text: string) => {
    if (text.startsWith('VACUUM')) throw new Error('no such folder')
    return prepare(text)
  })
  assert.throws(() => migrateSqlite(sql.db, path, next), {
    code: 'database_unavailable',
    message:
      /could not be made \(no such folder\)\. .* as before: mend this and start again, or run the Atrium of before$/,
  })
  full.mock.restore()
  assert.equal(versionOf(path), migrations.length)
  assert.equal(migrateSqlite(sql.db, path, next)?.to, next.length)
})
