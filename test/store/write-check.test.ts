// Whether anything can be stored: known from writes that failed, and found out anew by a write.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { watchWrites } from '#store/write-check.ts'
import { run } from '#store/sql.ts'
import { openMemorySqlite } from './memory-store.ts'
import { rejectsWith } from './harness.ts'

test('a database is asked to write only after a write found no room, until one succeeds', async (t) => {
  const inner = openMemorySqlite()
  t.after(() => inner.close())
  const written = t.mock.method(inner, 'write')
  const { sql, checkWrites } = watchWrites(inner)
  const put = (bytes: number) =>
    sql.write(function* () {
      yield {
        sql: 'INSERT INTO counters (key, uses, expires_at) VALUES (?, ?, 0)',
        values: [String(bytes), 'x'.repeat(bytes)],
      }
    })
  await put(1)
  await checkWrites()
  assert.equal(written.mock.callCount(), 1)
  const pages = Number(inner.db.prepare('PRAGMA page_count').get()?.['page_count'])
  inner.db.exec(`PRAGMA max_page_count=${pages}`)
  await rejectsWith(put(100_000), 'disk_full')
  for (let time = 0; time < 2; time++) await rejectsWith(checkWrites(), 'disk_full')
  inner.db.exec('PRAGMA max_page_count=1000000')
  await checkWrites()
  const calls = written.mock.callCount()
  await checkWrites()
  assert.equal(written.mock.callCount(), calls)
  const keys = inner.db.prepare('SELECT key FROM counters').all()
  assert.deepEqual(
    keys.map(({ key }) => key),
    ['1'],
  )
})

test('a database whose disk failed is asked, until a write succeeds', async (t) => {
  const inner = openMemorySqlite()
  t.after(() => inner.close())
  const fails = t.mock.method(inner, 'write', () =>
    Promise.reject(new AppError('database_unavailable', 'disk I/O error')),
  )
  const { sql, checkWrites } = watchWrites(inner)
  await rejectsWith(
    sql.write(() => run('DELETE FROM counters')),
    'database_unavailable',
  )
  await rejectsWith(checkWrites(), 'database_unavailable')
  fails.mock.restore()
  await checkWrites()
})

test('a database that is read only is asked too, one that refused a statement is not', async (t) => {
  const inner = openMemorySqlite()
  t.after(() => inner.close())
  const { sql, checkWrites } = watchWrites(inner)
  const written = t.mock.method(inner, 'write')
  const refused = () =>
    assert.rejects(
      sql.write(() => run('DELETE FROM missing')),
      /no such table/,
    )
  await refused()
  await checkWrites()
  assert.equal(written.mock.callCount(), 1)
  inner.db.exec('PRAGMA query_only=ON')
  await rejectsWith(
    sql.write(() => run('DELETE FROM counters')),
    'home_unwritable',
  )
  inner.db.exec('PRAGMA query_only=OFF')
  await refused()
  inner.db.exec('PRAGMA query_only=ON')
  await rejectsWith(checkWrites(), 'home_unwritable')
})
