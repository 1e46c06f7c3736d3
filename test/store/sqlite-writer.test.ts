// Writes of megabytes to a SQLite file: in a thread, beside the event loop, in the order of all writes.
import assert from 'node:assert/strict'
import { mkdirSync, renameSync, rmdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { setImmediate as nextLoop } from 'node:timers/promises'
import { senderId } from '#core/doors.ts'
import { operator } from '#core/ids.ts'
import { senderOrigin } from '#core/origins.ts'
import { createSeal } from '#lib/seal.ts'
import { taintOf } from '#safety/taint.ts'
import { applyMigrations } from '#store/migrate-sqlite.ts'
import { composeStore } from '#store/open-store.ts'
import { changes, first, type Job, query, run, type Sql } from '#store/sql.ts'
import { openSqlite } from '#store/sqlite.ts'
import { createSqliteThreads } from '#store/sqlite-threads.ts'
import { createSqliteWriter } from '#store/sqlite-writer.ts'
import { until } from '../until.ts'
import { note, openBare } from './bare-sqlite.ts'
import { ada, folder, lease, rejectsWith, reply, say, step, turnOf } from './harness.ts'

const much = { bytes: 3 * 1024 * 1024 }
const longText = 'a'.repeat(much.bytes)
const fail = (): never => assert.fail()

function open(t: TestContext, onErase = (): void => {}) {
  const path = join(folder(t), 'a.db')
  const sql = openSqlite(path, { onErase })
  t.after(() => sql.close())
  sql.db.exec('CREATE TABLE threads (text TEXT)')
  const read = (): string[] =>
    sql.db
      .prepare('SELECT text FROM threads ORDER BY rowid')
      .all()
      .map(({ text }) => String(text))
  return { path, sql, read }
}

const add = (text: string): Job<void> => run('INSERT INTO threads VALUES (?)', text)

test('a write of megabytes leaves the event loop to others, and keeps its place among the writes', async (t) => {
  const { sql, read } = open(t)
  const order: string[] = []
  const note = (name: string) => (): unknown => order.push(name)
  const writes = [
    sql.write(() => add('before')).then(note('before')),
    sql.write(() => add('much'), much).then(note('much')),
    sql.write(() => add('after')).then(note('after')),
  ]
  await nextLoop()
  await nextLoop()
  assert.deepEqual(read(), ['before'])
  order.push('others')
  await Promise.all(writes)
  assert.deepEqual(order, ['before', 'others', 'much', 'after'])
  assert.deepEqual(read(), ['before', 'much', 'after'])
})

test('a write of megabytes reads its own rows, counts changes and sends many statements', async (t) => {
  const { sql, read } = open(t)
  const seen = await sql.write(function* () {
    for (let n = 0; n < 250; n++) yield* add(`${n}`)
    const rows = yield* query('SELECT count(*) AS n FROM threads')
    const changed = yield* changes("UPDATE threads SET text = 'x' WHERE rowid <= ?", 3)
    const row = yield* first('SELECT text FROM threads WHERE rowid = 4')
    yield* add('last')
    return [rows[0]?.['n'], changed, row?.['text']]
  }, much)
  assert.deepEqual(seen, [250, 3, '3'])
  assert.equal(read().length, 251)
})

test('a write of megabytes that fails stores nothing, and the next one goes on', async (t) => {
  const { sql, read } = open(t)
  const failing = sql.write(function* () {
    yield* add('lost')
    yield* query('SELECT 1')
    yield* run('INSERT INTO missing VALUES (1)')
  }, much)
  const after = sql.write(() => add('kept'))
  await assert.rejects(failing, /no such table/)
  await after
  await assert.rejects(
    // oxlint-disable-next-line require-yield -- a job may throw before its first statement
    sql.write(function* () {
      throw new Error('no')
    }, much),
    /no/,
  )
  await sql.write(() => add('last'), much)
  assert.deepEqual(read(), ['kept', 'last'])
})

test('a write of megabytes is checked once nobody else can change the file', async (t) => {
  const path = join(folder(t), 'a.db')
  const other = new DatabaseSync(path, { timeout: 0 })
  t.after(() => other.close())
  let isOutdated = true
  const sql = openSqlite(path, {
    onBegin() {
      assert.throws(() => other.exec('BEGIN IMMEDIATE'), /locked/)
      if (isOutdated) throw new Error('outdated')
    },
  })
  t.after(() => sql.close())
  sql.db.exec('CREATE TABLE threads (text TEXT)')
  await assert.rejects(
    sql.write(() => add('a'), much),
    /outdated/,
  )
  isOutdated = false
  await sql.write(() => add('b'), much)
  assert.equal(sql.db.prepare('SELECT group_concat(text) AS texts FROM threads').get()?.['texts'], 'b')
})

test('a write of megabytes that erases something is scrubbed like any other', async (t) => {
  let erased = 0
  const { sql } = open(t, () => erased++)
  await sql.write(() => add('a'), much)
  assert.equal(erased, 0)
  await sql.write(() => run('DELETE FROM threads'), much)
  assert.equal(erased, 1)
})

test('a database that is closed stores what was asked before', async (t) => {
  const { path, sql } = open(t)
  const writes = [sql.write(() => add('much'), much), sql.write(() => add('after'))]
  await sql.close()
  await Promise.all(writes)
  await rejectsWith(
    sql.write(() => add('late'), much),
    'shutting_down',
  )
  const again = openSqlite(path)
  t.after(() => again.close())
  assert.equal(again.db.prepare('SELECT count(*) AS n FROM threads').get()?.['n'], 2)
})

/** A thread cannot open the log by its name any more. */
function blockThreads(path: string): void {
  renameSync(`${path}-wal`, `${path}-wal-gone`)
  mkdirSync(`${path}-wal`)
}

function freeThreads(path: string): void {
  rmdirSync(`${path}-wal`)
  renameSync(`${path}-wal-gone`, `${path}-wal`)
}

test('a write of megabytes is stored without a thread where none can be started', async (t) => {
  const { path, sql, read } = open(t)
  blockThreads(path)
  await sql.write(() => add('much'), much)
  await sql.write(() => add('after'))
  assert.deepEqual(read(), ['much', 'after'])
})

test('a write that another process holds up has its whole time, also after one of megabytes was held up', async (t) => {
  const path = join(folder(t), 'a.db')
  const sql = openBare(t, path, { busyMs: 1_000 })
  const other = new DatabaseSync(path)
  t.after(() => other.close())
  let clock = 0
  t.mock.method(performance, 'now', () => clock)
  const begins = (): number => sql.count('BEGIN IMMEDIATE')
  other.exec('BEGIN IMMEDIATE')
  blockThreads(path)
  const long = sql.write(() => note('much'), much)
  await until(() => begins() > 0)
  freeThreads(path)
  other.exec('COMMIT')
  await long
  clock += 1_000
  other.exec('BEGIN IMMEDIATE')
  const before = begins()
  const short = sql.write(() => note('short'))
  short.catch(() => {})
  await until(() => begins() > before)
  other.exec('COMMIT')
  assert.equal(await short, 'short')
})

test('a write of megabytes that another process holds up waits once, in its thread', async (t) => {
  const path = join(folder(t), 'a.db')
  const sql = openBare(t, path, { busyMs: 1 })
  const other = new DatabaseSync(path)
  t.after(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  await rejectsWith(
    sql.write(() => note('much'), much),
    'database_unavailable',
  )
  assert.equal(sql.count('BEGIN IMMEDIATE'), 0)
  other.exec('COMMIT')
  assert.equal(await sql.write(() => note('after'), much), 'after')
})

test('a long log is moved into the file without a thread where none can be started', async (t) => {
  const { path, sql } = open(t)
  blockThreads(path)
  await sql.write(() => add('a'.repeat(20 * 1024 * 1024)))
  const pages = sql.db.prepare('PRAGMA wal_checkpoint(NOOP)')
  await until(() => Number(pages.get()?.['checkpointed']) > 5_000)
})

test('a long log is emptied beside the event loop, between writes of megabytes', async (t) => {
  const { path, sql, read } = open(t)
  const long = { bytes: 12 * 1024 * 1024 }
  await sql.write(() => add('a'.repeat(long.bytes)), long)
  let others = false
  setImmediate(() => (others = true))
  const before = sql.write(() => add('before'), much)
  const emptied = sql.emptyLog().then((done) => assert.ok(done && others))
  await Promise.all([before, emptied, sql.write(() => add('after'), much)])
  assert.deepEqual(read().slice(1), ['before', 'after'])
  await sql.emptyLog()
  assert.equal(statSync(`${path}-wal`).size, 0)
})

test('a log is emptied beside the event loop if it has over a megabyte, and first: the file may not be on the disk yet', async (t) => {
  const { sql } = open(t)
  const emptied: boolean[] = []
  for (const text of ['first', 'short', 'a'.repeat(1_200_000)]) {
    await sql.write(() => add(text))
    let others = false
    setImmediate(() => (others = true))
    assert.ok(await sql.emptyLog())
    emptied.push(others)
  }
  assert.deepEqual(emptied, [true, false, true])
})

test('a file that was closed has no log, one that is open or was left by a killed process has one', async (t) => {
  const { path, sql: before } = open(t)
  await before.write(() => add('first'))
  const sql = openSqlite(path)
  t.after(() => sql.close())
  assert.deepEqual([before.hadLog, sql.hadLog], [false, true])
})

test('a long log that somebody reads is not waited for', async (t) => {
  const { path, sql } = open(t)
  await sql.write(() => add('first'))
  const reader = new DatabaseSync(path)
  t.after(() => reader.close())
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM threads').get()
  const long = { bytes: 12 * 1024 * 1024 }
  await sql.write(() => add('a'.repeat(long.bytes)), long)
  assert.equal(await sql.emptyLog(), false)
  reader.exec('COMMIT')
  assert.equal(await sql.emptyLog(), true)
})

test('a write behind an emptied log waits for another process as any other does', async (t) => {
  const { path, sql, read } = open(t)
  const writer = createSqliteWriter(path, { onStatement: () => {}, busyMs: 5_000 })
  t.after(() => writer.close())
  await sql.write(() => add('first'))
  const other = new DatabaseSync(path)
  t.after(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  const [emptied, written] = [writer.emptyLog(), writer.run(() => add('second'))]
  written.catch(() => {})
  await emptied
  other.exec('COMMIT')
  await written
  assert.deepEqual(read(), ['first', 'second'])
})

test('a thread refuses the rest of a transaction that ended with the thread before it', async (t) => {
  const { path, read } = open(t)
  const thread = createSqliteThreads(path, { maxThreads: 1, maxSlow: 0, writes: true })
  t.after(() => thread.close())
  await assert.rejects(
    thread.run([{ sql: 'INSERT INTO threads VALUES (?)', values: ['half'] }]),
    /the transaction has ended/,
  )
  assert.deepEqual(read(), [])
})

test('a thread that could only read the file writes once it can be written again', async (t) => {
  const { path, read } = open(t)
  const thread = createSqliteThreads(path, { maxThreads: 1, maxSlow: 0, writes: true })
  t.after(() => thread.close())
  const send = (sql: string) => thread.run([{ sql, values: [] }])
  // As a connection to a file that could not be written when it was opened.
  await send('PRAGMA query_only=ON')
  await send('BEGIN')
  await assert.rejects(send(`INSERT INTO threads VALUES ('refused')`), { errcode: 8 })
  await send('ROLLBACK')
  await send('BEGIN IMMEDIATE')
  await send(`INSERT INTO threads VALUES ('taken')`)
  await send('COMMIT')
  assert.deepEqual(read(), ['taken'])
})

test('long messages, answers and threads say how much they store', async (t) => {
  const { store, sizes } = openMeasured(t)
  const { turn } = await store.turns.start(turnOf({ input: [say(longText)] }))
  await store.turns.record(turn, lease, step([reply(longText)]))
  await store.threads.create(ada, { door: 'web', title: 'a', metadata: {}, drafts: [reply(longText)] })
  assert.equal(sizes.length, 3)
  for (const size of sizes) assert.ok(size > longText.length && size < longText.length + 2_000, `${size}`)
})

test('a fork that marks the messages of a sender is made in a thread, others are not', async (t) => {
  const { store, sizes } = openMeasured(t)
  const drafts = Array.from({ length: 25 }, (_, n) => say(`${n}`))
  const sender = senderId('webhook', 'hub')
  const { id } = await store.threads.create(sender, { door: 'webhook', title: 'a', metadata: {}, drafts })
  const fork = await store.threads.fork(operator, id, { beforeSeq: 26, door: 'web' })
  assert.ok((sizes.at(-1) ?? 0) > much.bytes)
  const { entries } = await store.threads.entries(operator, fork?.id ?? '', { after: 0, limit: 30 })
  assert.equal(entries.filter(({ item }) => taintOf([item]) === senderOrigin).length, 25)
  await store.threads.fork(sender, id, { beforeSeq: 26, door: 'web' })
  assert.ok((sizes.at(-1) ?? 0) < much.bytes / 2)
})

test('a fork of many items and one of large items are made in a thread', async (t) => {
  const { store, sizes } = openMeasured(t)
  const drafts = Array.from({ length: 1_500 }, (_, n) => say(`${n}`))
  const many = await store.threads.create(ada, { door: 'web', title: 'a', metadata: {}, drafts })
  await store.threads.fork(ada, many.id, { beforeSeq: 1_500, door: 'web' })
  assert.ok((sizes.at(-1) ?? 0) > 2 * 1024 * 1024)
  const large = [say(longText), say('b')]
  const few = await store.threads.create(ada, { door: 'web', title: 'a', metadata: {}, drafts: large })
  const before = sizes.length
  await store.threads.fork(ada, few.id, { beforeSeq: 2, door: 'web' })
  assert.ok((sizes[before] ?? 0) >= much.bytes, 'sharing a large item')
  assert.ok((sizes.at(-1) ?? 0) >= much.bytes, 'counting who shares it')
})

test('a thread of megabytes is removed beside the event loop, others are not', async (t) => {
  const { store, sizes } = openMeasured(t)
  const drafts = [say(longText), say('b')]
  const { id } = await store.threads.create(ada, { door: 'web', title: 'a', metadata: {}, drafts })
  const small = await store.threads.create(ada, { door: 'web', title: 'a', metadata: {}, drafts: [say('b')] })
  await store.threads.remove(ada, id)
  assert.ok((sizes.at(-1) ?? 0) > much.bytes)
  await store.threads.remove(ada, small.id)
  assert.ok((sizes.at(-1) ?? 0) < much.bytes / 2)
})

function openMeasured(t: TestContext) {
  const path = join(folder(t), 'a.db')
  const sql = openSqlite(path)
  t.after(() => sql.close())
  applyMigrations(sql.db)
  const sizes: number[] = []
  const write: Sql['write'] = (job, size) => {
    sizes.push(size?.bytes ?? 0)
    return sql.write(job, size)
  }
  const seal = createSeal('0'.repeat(64))
  const store = composeStore({ ...sql, write }, { seal, now: Date.now, check: async () => [], prepareVectors: fail })
  return { store, sizes }
}
