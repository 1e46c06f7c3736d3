// What a database lacks of the schema, in words for `doctor`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkSqlite } from '#store/schema-check.ts'
import { openMemorySqlite, openMemoryStore } from './memory-store.ts'

test('missing tables, columns and indexes are named, and an index of a missing table is not', async (t) => {
  const sql = openMemorySqlite()
  const { db } = sql
  t.after(() => sql.close())
  const check = (): Promise<string[]> => sql.read(checkSqlite)
  assert.deepEqual(await check(), [])
  const index = String(
    db
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL AND tbl_name = 'turns'`)
      .get()?.['name'],
  )
  db.exec('CREATE TABLE others (a TEXT); CREATE INDEX others_by_a ON others (a)')
  assert.deepEqual(await check(), [], 'what is there beside it is nobody’s fault')
  db.exec(`ALTER TABLE settings DROP COLUMN updated_at; DROP INDEX ${index}; DROP TABLE missions`)
  assert.deepEqual((await check()).toSorted(), [
    `the index ${index} is missing`,
    'the table missions is missing',
    'the table settings has no column updated_at',
  ])
})

test('a check is a read like any other: it waits as long, and a closed store refuses it', async () => {
  const store = openMemoryStore()
  assert.deepEqual(await store.check(), [])
  await store.close()
  await assert.rejects(store.check(), { code: 'shutting_down' })
})
