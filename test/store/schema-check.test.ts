// What a database lacks of the schema, in words for `doctor`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkSqlite } from '#store/schema-check.ts'
import { openMemorySqlite } from './memory-store.ts'

test('missing tables, columns and indexes are named, and an index of a missing table is not', (t) => {
  const { db } = openMemorySqlite()
  t.after(() => db.close())
  assert.deepEqual(checkSqlite(db), [])
  const index = String(
    db
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL AND tbl_name = 'turns'`)
      .get()?.['name'],
  )
  db.exec('CREATE TABLE others (a TEXT); CREATE INDEX others_by_a ON others (a)')
  assert.deepEqual(checkSqlite(db), [], 'what is there beside it is nobody’s fault')
  db.exec(`ALTER TABLE settings DROP COLUMN updated_at; DROP INDEX ${index}; DROP TABLE missions`)
  assert.deepEqual(checkSqlite(db).toSorted(), [
    `the index ${index} is missing`,
    'the table missions is missing',
    'the table settings has no column updated_at',
  ])
})
