// A SQLite file that is filled from a backup, and whether a file has anything that a restore would replace.
import assert from 'node:assert/strict'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { UserId } from '#core/ids.ts'
import { createSeal } from '#lib/seal.ts'
import { holdsRows, loadSqlite } from '#store/load-sqlite.ts'
import { newestVersion } from '#store/migrations.ts'
import { openStore } from '#store/open-store.ts'
import { portableTables } from '#store/portable-schema.ts'
import { ada, bob, folder } from './harness.ts'
import { makeFile } from './sqlite-file.ts'

const tables = portableTables(newestVersion)
const table = (name: string) => tables.find((each) => each.name === name) ?? assert.fail(name)
const termsOf = (_: string, text: string) => ({ title: [], body: text.split(' '), extra: [] })

test('a file holds rows that a restore would replace, or none that matter', (t) => {
  const path = join(folder(t), 'a.db')
  assert.equal(holdsRows(path), false, 'there is no file')
  new DatabaseSync(path).close()
  assert.equal(holdsRows(path), false, 'an empty one')
  const { path: made, db } = makeFile(t)
  assert.equal(holdsRows(made), false)
  db.exec(`INSERT INTO counters (key, uses, expires_at) VALUES ('k', '[]', 1)`)
  assert.equal(holdsRows(made), false, 'nothing is lost with a rate counter')
  db.exec(`INSERT INTO settings (name, value, updated_at) VALUES ('a', '1', 1)`)
  assert.equal(holdsRows(made), true)
  db.exec(`PRAGMA user_version = ${newestVersion + 1}`)
  assert.equal(holdsRows(made), true, 'also in a file of a newer version')
  writeFileSync(path, 'no database '.repeat(100))
  assert.throws(() => holdsRows(path), { code: 'database_unavailable' })
})

test('rows fill a new file of its owner, and what a backup leaves out is made again', async (t) => {
  const path = join(folder(t), 'a.db')
  const loading = loadSqlite({ path, version: newestVersion, termsOf })
  const owner = ['user_id', 'number', 'documents', 'bytes', 'chunks', 'terms']
  await loading.add(table('document_owners'), owner, [
    [ada, 7, 1, 3, 2, 3],
    [bob, 9, 1, 1, 1, 1],
  ])
  const document = ['user_id', 'path', 'bytes', 'author', 'untrusted', 'revision', 'chunks', 'terms', 'created_at']
  await loading.add(
    table('documents'),
    [...document, 'updated_at'],
    [
      [ada, 'a', 3, 'user', 0, 1, 2, 3, 1, 1],
      [bob, 'b', 1, 'user', 0, 1, 1, 1, 1, 1],
    ],
  )
  await loading.add(
    table('chunks'),
    ['id', 'user_id', 'path', 'at', 'lap', 'size', 'text'],
    [
      [1, ada, 'a', 0, 0, 2, 'red fox'],
      [2, ada, 'a', 1, 0, 1, 'blue'],
      [3, bob, 'b', 0, 0, 1, 'red'],
    ],
  )
  const numbers = new Uint8Array(Float32Array.of(-1, 1).buffer)
  await loading.add(
    table('chunk_vectors'),
    ['id', 'owner', 'model', 'size', 'numbers'],
    [
      [1, 7, 'm', 2, numbers],
      [2, 7, 'm', 0, null],
    ],
  )
  await loading.finish()
  assert.equal(statSync(path).mode & 0o777, 0o600)
  const db = new DatabaseSync(path)
  t.after(() => db.close())
  const vectors = db.prepare('SELECT bits, numbers FROM chunk_vectors ORDER BY id').all()
  assert.deepEqual(
    vectors.map((row) => [row['bits'], row['numbers']]),
    [
      [Uint8Array.of(0b10), numbers],
      [null, null],
    ],
  )
  const store = openStore({ path, seal: createSeal('0'.repeat(64)) })
  t.after(() => store.close())
  const found = async (user: UserId, term: string) => {
    const asked = { match: { term }, weights: [], depth: 9, limit: 9 }
    return (await store.documents.find(user, asked)).map((chunk) => `${chunk.path} ${chunk.at}`)
  }
  assert.deepEqual(
    [await found(ada, 'red'), await found(ada, 'blue'), await found(bob, 'red')],
    [['a 0'], ['a 1'], ['b 0']],
  )
})

test('an older backup is brought to the newest version, and one that is given up leaves no file', async (t) => {
  const path = join(folder(t), 'a.db')
  const loading = loadSqlite({ path, version: 5, termsOf })
  await loading.add(table('settings'), ['name', 'value', 'updated_at'], [['old', '1', 0]])
  await loading.finish()
  const store = openStore({ path, seal: createSeal('0'.repeat(64)) })
  assert.deepEqual(await store.settings.all(), { old: 1 })
  await store.close()
  assert.throws(() => loadSqlite({ path, version: 5, termsOf }), { code: 'EEXIST' }, 'a file is never overwritten')
  const other = join(folder(t), 'b.db')
  const failing = loadSqlite({ path: other, version: newestVersion, termsOf })
  await assert.rejects(failing.add(table('settings'), ['none'], [['x']]))
  await failing.abort()
  assert.equal(existsSync(other), false)
})
