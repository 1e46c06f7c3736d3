// Migrations of a SQLite file by processes of their own: started together, waiting for each other, killed in the middle.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createSeal } from '#lib/seal.ts'
import { migrateSqlite } from '#store/migrate-sqlite.ts'
import { migrations } from '#store/migrations.ts'
import { openStore } from '#store/open-store.ts'
import { openSqlite } from '#store/sqlite.ts'
import { until } from '../until.ts'
import { folder } from './harness.ts'
import { next, settingsOf, versionOf } from './sqlite-file.ts'

/** Its last step stores something and takes many minutes: far longer than a test waits. */
const forever = `WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x FROM n LIMIT 100000000000) SELECT count(*) FROM n`
const endless = [...next, { changes: [`INSERT INTO settings VALUES ('half', '3', 0, '')`, forever] }]

/** Opens the file in a process of its own, as soon as a line arrives; resolves with what it had to say. */
function startProcess(path: string, steps: 'now' | 'next' | 'endless') {
  const code = `
    import { openSqlite } from '#store/sqlite.ts'
    import { migrateSqlite } from '#store/migrate-sqlite.ts'
    import { migrations } from '#store/migrations.ts'
    const steps = ${steps === 'now' ? 'migrations' : JSON.stringify(steps === 'next' ? next : endless)}
    process.stdin.once('data', () => {
      const sql = openSqlite(${JSON.stringify(path)})
      migrateSqlite(sql.db, ${JSON.stringify(path)}, { steps })
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

test('a process that is killed in the middle leaves whole steps and the copy, and the next one goes on with that copy', async (t) => {
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
  const steps = [...next, { changes: [`INSERT INTO settings VALUES ('w', '3', 0, '')`] }]
  assert.deepEqual(migrateSqlite(sql.db, path, { steps }), { from: migrations.length, to: steps.length, copy })
  assert.deepEqual(settingsOf(path).length, 2)
  assert.equal(versionOf(copy), migrations.length)
  const copies = readdirSync(join(path, '..')).filter((name) => name.endsWith('.backup'))
  assert.equal(copies.length, 1, 'the Atrium of before knows no version between')
})
