// Two processes over one SQLite file: how long each waits for the other, and what it is told then.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { first } from '#store/sql.ts'
import { openSqlite } from '#store/sqlite.ts'
import { until } from '../until.ts'
import { folder, rejectsWith } from './harness.ts'
import { note, notes, openBare } from './bare-sqlite.ts'

test('a writer that another process holds up too long is told that the database is unavailable', async (t) => {
  const path = join(folder(t), 'a.db')
  const sql = openBare(t, path, { busyMs: 1 })
  const second = openSqlite(path)
  t.after(() => second.close())
  second.db.exec('BEGIN IMMEDIATE')
  await rejectsWith(
    sql.write(() => note('a')),
    'database_unavailable',
  )
  second.db.exec('COMMIT')
  assert.equal(await sql.write(() => note('a')), 'a')
  assert.equal((await sql.read(() => first('SELECT count(*) AS n FROM notes')))?.['n'], 1)
})

test('while another process writes, a writer waits without blocking the event loop, and keeps its order', async (t) => {
  const path = join(folder(t), 'a.db')
  const sql = openBare(t, path, { busyMs: 600_000 })
  const second = openSqlite(path)
  t.after(() => second.close())
  second.db.exec('BEGIN IMMEDIATE')
  const written = ['a', 'a', 'b'].map((text) => sql.write(() => note(text)).catch(() => 'twice'))
  // The lock is released by this same event loop.
  await until(() => sql.count('BEGIN IMMEDIATE') >= 3)
  assert.deepEqual(await sql.read(notes), [])
  second.db.exec('COMMIT')
  assert.deepEqual(await Promise.all(written), ['a', 'twice', 'b'])
  assert.deepEqual(await sql.read(notes), ['a', 'b'])
})

test('each wait for another process has its whole time, and reads keep theirs', async (t) => {
  const path = join(folder(t), 'a.db')
  const sql = openBare(t, path, { busyMs: 1_000 })
  const second = openSqlite(path)
  t.after(() => second.close())
  let clock = 0
  t.mock.method(performance, 'now', () => clock)
  const begins = (): number => sql.count('BEGIN IMMEDIATE')
  /** What becomes of a write that is held up for so long. */
  const heldUp = async (text: string, ms: number): Promise<string> => {
    let isOver = false
    second.db.exec('BEGIN IMMEDIATE')
    const before = begins()
    const written = sql
      .write(() => note(text))
      .catch(() => 'refused')
      .finally(() => (isOver = true))
    await until(() => begins() > before)
    clock += ms
    const tried = begins()
    await until(() => isOver || begins() > tried)
    second.db.exec('COMMIT')
    return written
  }
  assert.deepEqual([await heldUp('a', 999), await heldUp('b', 999), await heldUp('c', 1_000)], ['a', 'b', 'refused'])
  assert.equal(await heldUp('d', 999), 'd', 'also after one that was refused')
  assert.equal((await sql.read(() => first('PRAGMA busy_timeout')))?.['timeout'], 1_000)
})

/** A new file that another process is making: SQLite answers "locked" without waiting. */
function beingMade(t: TestContext): { readonly path: string; readonly free: () => void } {
  const path = join(folder(t), 'a.db')
  const other = new DatabaseSync(path)
  t.after(() => other.close())
  other.exec('BEGIN IMMEDIATE; CREATE TABLE early (x)')
  return { path, free: () => other.exec('ROLLBACK') }
}

test('a file that another process is making is tried again until it is free', async (t) => {
  const { path, free } = beingMade(t)
  let looks = 0
  // The first look is for the end of the wait; each failed attempt looks once.
  t.mock.method(performance, 'now', () => {
    if (++looks === 3) free()
    return 0
  })
  await openSqlite(path).close()
  assert.equal(looks, 3)
})

test('a file that another process holds for too long is unavailable', (t) => {
  const { path } = beingMade(t)
  let clock = 0
  t.mock.method(performance, 'now', () => (clock += 2_500))
  assert.throws(() => openSqlite(path), { code: 'database_unavailable' })
  assert.equal(clock, 10_000, 'at five seconds it is tried once more')
})
