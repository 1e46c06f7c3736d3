// SQLite behind the port: shared commits, and what happens when the disk says no.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { constants } from 'node:sqlite'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import { createSeal } from '#lib/seal.ts'
import { openStore } from '#store/open-store.ts'
import { changes, type Job, query } from '#store/sql.ts'
import { canMeasureLog } from '#store/sqlite-log.ts'
import { openSqlite } from '#store/sqlite.ts'
import { maxQueuedInThread } from '#store/start-turn.ts'
import { createTurnStore } from '#store/turn-store.ts'
import { migrateSqlite } from '#store/migrate-sqlite.ts'
import { until } from '../until.ts'
import { finish, folder, itemsOf, lease, rejectsWith, reply, say, step, turnOf } from './harness.ts'
import { note, notes, openBare, stopClock } from './bare-sqlite.ts'

const seal = createSeal('ab'.repeat(32))

test('the writes of one tick share one commit, in their order', async (t) => {
  const sql = openBare(t)
  stopClock(t)
  const texts = ['a', 'b', 'c', 'd']
  assert.deepEqual(await Promise.all(texts.map((text) => sql.write(() => note(text)))), texts)
  assert.equal(sql.count('COMMIT'), 1)
  assert.deepEqual(await sql.read(notes), texts)
})

test('a statement is compiled once, whatever its limit and where a range begins', async (t) => {
  const sql = openBare(t)
  sql.db.exec('CREATE TABLE items (thread_id TEXT, seq INTEGER, id TEXT)')
  sql.db.exec('CREATE INDEX items_by_id ON items (thread_id, id) WHERE seq > 32')
  let compiled = 0
  sql.db.setAuthorizer((action) => {
    if (action === constants.SQLITE_SELECT) compiled++
    return constants.SQLITE_OK
  })
  const text = 'SELECT seq FROM items WHERE thread_id = ? AND seq > ? ORDER BY seq LIMIT ?'
  for (const at of [1, 33, 60]) await sql.read(() => query(text, 'a', at, at))
  assert.equal(compiled, 1)
})

test('a statement for all columns returns one that was added since', async (t) => {
  const sql = openBare(t)
  sql.db.exec(`CREATE TABLE pets (name TEXT); INSERT INTO pets VALUES ('Rex')`)
  const all = () => sql.read(() => query('SELECT * FROM pets'))
  assert.deepEqual(await all(), [{ name: 'Rex' }])
  sql.db.exec('ALTER TABLE pets ADD COLUMN age INTEGER')
  assert.deepEqual(await all(), [{ name: 'Rex', age: null }])
})

test('a burst is written in batches of a bounded size', async (t) => {
  const sql = openBare(t)
  stopClock(t)
  const texts = Array.from({ length: 2 * 256 + 1 }, (_, at) => `note ${at}`)
  await Promise.all(texts.map((text) => sql.write(() => note(text))))
  assert.equal(sql.count('COMMIT'), 3)
  assert.deepEqual(await sql.read(notes), texts)
})

test('a commit that has worked for long leaves the rest to the next one, others having their turn before', async (t) => {
  const sql = openBare(t)
  let clock = 0
  // Every look at the clock finds it 15 ms later: after two jobs the time is over.
  t.mock.method(performance, 'now', () => (clock += 15))
  const texts = ['a', 'b', 'c', 'd', 'e']
  const order: string[] = []
  const written = Promise.all(
    texts.map(async (text) => {
      await sql.write(() => note(text))
      order.push(text)
    }),
  )
  setImmediate(() => order.push('another'))
  await written
  assert.equal(sql.count('COMMIT'), 3)
  assert.deepEqual(order, ['a', 'b', 'another', 'c', 'd', 'e'])
  assert.deepEqual(await sql.read(notes), texts)
})

test('a failing job does not harm the others of its batch', async (t) => {
  const sql = openBare(t)
  stopClock(t)
  let runs = 0
  const settled = await Promise.allSettled([
    sql.write(() => {
      runs++
      return note('a')
    }),
    // oxlint-disable-next-line require-yield -- a job that refuses
    sql.write(function* (): Job<void> {
      throw new AppError('not_found', 'no')
    }),
    sql.write(() => note('a')),
    sql.write(function* () {
      yield* note('half')
      return yield* note('a')
    }),
    sql.write(() => note('b')),
  ])
  assert.deepEqual(
    settled.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected', 'rejected', 'fulfilled'],
  )
  assert.equal((settled[1] as PromiseRejectedResult).reason.code, 'not_found')
  assert.deepEqual(await sql.read(notes), ['a', 'b'], 'and half a job is no job')
  assert.equal(runs, 2, 'a job is run again, alone')
})

test('a commit that fails rejects all of its batch, keeps none of it, and is not tried again', async (t) => {
  const sql = openBare(t)
  stopClock(t)
  sql.db.exec('PRAGMA foreign_keys=ON')
  sql.db.exec('CREATE TABLE marks (note INTEGER REFERENCES notes (id) DEFERRABLE INITIALLY DEFERRED)')
  const settled = await Promise.allSettled([
    sql.write(() => note('a')),
    sql.write(() => query('INSERT INTO marks (note) VALUES (99)')),
    sql.write(() => note('b')),
  ])
  assert.deepEqual(
    settled.map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  )
  assert.equal(sql.count('COMMIT'), 1)
  assert.deepEqual(await sql.read(notes), [])
  assert.equal(await sql.write(() => note('c')), 'c', 'the next batch is not harmed')
})

test('what was acknowledged is in the file for another connection', async (t) => {
  const path = join(folder(t), 'a.db')
  const sql = openBare(t, path)
  await sql.write(() => note('a'))
  const second = openSqlite(path)
  t.after(() => second.close())
  assert.deepEqual(await second.read(notes), ['a'])
  assert.equal(sql.db.prepare('PRAGMA synchronous').get()?.['synchronous'], 2)
  assert.equal(sql.db.prepare('PRAGMA journal_mode').get()?.['journal_mode'], 'wal')
})

test('a long log is moved into the file some commits later, after one was answered; first in a thread', async (t) => {
  const sql = openBare(t, join(folder(t), 'a.db'))
  const log = () => sql.db.prepare('PRAGMA wal_checkpoint(NOOP)').get()
  await sql.write(() => note('short'))
  for (const count of [0, 1]) {
    await sql.write(() => note(`long${count}`.repeat(600_000)))
    for (let at = 0; at < 7; at++) await sql.write(() => note(`behind ${count} ${at}`))
    assert.equal(log()?.['checkpointed'], 0)
    await until(() => log()?.['checkpointed'] === log()?.['log'])
    assert.equal(sql.count('PRAGMA wal_checkpoint(PASSIVE)'), count, 'once, and not for the short one')
    // The thread answers a moment after the log was moved, and until then commits are not counted: this waits for it.
    await sql.emptyLog()
  }
})

test('a commit is answered as stored though the length of its log cannot be read', async (t) => {
  const sql = openBare(t, join(folder(t), 'a.db'))
  const isLook = (action: number, name: string | null): boolean =>
    action === constants.SQLITE_PRAGMA && name === 'wal_checkpoint'
  sql.db.setAuthorizer((...look) => (isLook(look[0], look[1]) ? constants.SQLITE_DENY : constants.SQLITE_OK))
  assert.equal(await sql.write(() => note('short')), 'short')
  assert.equal(await sql.write(() => note('long'), { bytes: Infinity }), 'long')
  assert.equal(await sql.emptyLog(), true, 'by a thread, whose connection can')
  assert.equal(await sql.emptyLog(), false)
  assert.deepEqual(await sql.read(notes), ['short', 'long'])
})

test('a statement tells how many rows it changed, also after a rowid that is no safe integer', async (t) => {
  const sql = openBare(t, ':memory:')
  sql.db.exec('CREATE TABLE marks (id INTEGER PRIMARY KEY, word TEXT)')
  const add = 'INSERT INTO marks VALUES (?, ?) ON CONFLICT (id) DO NOTHING'
  assert.equal(await sql.write(() => changes(add, 1, 'one')), 1)
  assert.equal(await sql.write(() => changes(add, 1, 'again')), 0)
  sql.db.exec(`INSERT INTO marks VALUES (9007199254740993, 'far')`)
  assert.equal(await sql.write(() => changes(`UPDATE marks SET word = 'new'`)), 2)
  assert.equal(await sql.write(() => changes('DELETE FROM marks WHERE id = 5')), 0)
})

test('the scrub hears of a deletion that erased something, not of one that found nothing', async (t) => {
  let heard = 0
  const sql = openBare(t, ':memory:', { onErase: () => heard++ })
  sql.db.exec('CREATE TABLE threads (id INTEGER); CREATE TABLE marks (id INTEGER)')
  const remove = async (end = ''): Promise<[heard: number, rows: number]> => {
    const rows = await sql.write(() => query(`DELETE FROM threads WHERE id = 1${end}`))
    return [heard, rows.length]
  }
  assert.deepEqual(
    [await remove(), await remove(' RETURNING id')],
    [
      [0, 0],
      [0, 0],
    ],
  )
  sql.db.exec('INSERT INTO threads VALUES (1)')
  assert.deepEqual(await remove(), [1, 0])
  sql.db.exec('INSERT INTO threads VALUES (1)')
  assert.deepEqual(await remove(' RETURNING id'), [2, 1])
  sql.db.exec('INSERT INTO marks VALUES (1)')
  await sql.write(() => query('DELETE FROM marks'))
  assert.equal(heard, 2, 'nor of what only tidies up')
})

test('the log is left to SQLite where asking for its length would move it', () => {
  const versions = ['3.9.2', '3.46.1', '3.50.4', '3.51.0', '3.53.4', '4.0.0']
  assert.deepEqual(versions.map(canMeasureLog), [false, false, false, true, true, true])
})

test('closing waits for what was asked before, and refuses what comes after', async (t) => {
  const sql = openBare(t, join(folder(t), 'a.db'))
  const writes = Promise.all(Array.from({ length: 300 }, (_, at) => sql.write(() => note(`note ${at}`))))
  await Promise.all([sql.close(), sql.close()])
  assert.equal((await writes).length, 300)
  await rejectsWith(
    sql.write(() => note('late')),
    'shutting_down',
  )
  await rejectsWith(sql.read(notes), 'shutting_down')
  await rejectsWith(sql.ping(), 'shutting_down')
})

test('neither a secret nor a token is in the bytes on disk, and what is readable is only its owner’s', async (t) => {
  const home = folder(t)
  const path = join(home, 'a.db')
  const store = openStore({ path, seal })
  t.after(() => store.close())
  const { turn } = await store.turns.start(turnOf({ input: [say('in plain words')] }))
  await store.turns.record(turn, lease, step([reply('x')]))
  await store.secrets.set('SERVICE_KEY', 'sesame-sesame-sesame')
  const onDisk = () => Buffer.concat(readdirSync(home).map((name) => readFileSync(join(home, name))))
  assert.ok(onDisk().includes('in plain words'), 'the look sees the live file and its log')
  assert.ok(onDisk().includes('SERVICE_KEY'))
  assert.ok(!onDisk().includes('sesame'))
  assert.ok(!onDisk().includes(Buffer.from('sesame-sesame-sesame').toString('base64').slice(0, 20)))
  assert.equal(await store.secrets.get('SERVICE_KEY'), 'sesame-sesame-sesame')
  for (const name of readdirSync(home)) assert.equal(statSync(join(home, name)).mode & 0o777, 0o600, name)
  const otherKey = openStore({ path, seal: createSeal('cd'.repeat(32)) })
  t.after(() => otherKey.close())
  assert.equal((await otherKey.secrets.find('SERVICE_KEY', operator))?.ended, true, 'it has to be set again')
  assert.equal(await otherKey.secrets.get('SERVICE_KEY'), undefined)
})

test('a store that was closed opens again with all it had', async (t) => {
  const path = join(folder(t), 'a.db')
  const before = openStore({ path, seal })
  const { turn } = await before.turns.start(turnOf())
  const done = await finish(before, turn)
  await before.close()
  const store = openStore({ path, seal })
  t.after(() => store.close())
  assert.deepEqual(await store.turns.get(turn.userId, turn.id), done)
  assert.equal((await itemsOf(store, turn)).length, 2)
})

// The rows are copied: so many starts would take long, and on PostgreSQL longer. The statement is the same there.
test('so many messages wait in one thread and no more; other threads take theirs', async (t) => {
  const sql = openSqlite(':memory:')
  t.after(() => sql.close())
  migrateSqlite(sql.db, ':memory:')
  const turns = createTurnStore({ sql, now: Date.now })
  const { turn } = await turns.start(turnOf({ input: [] }))
  const more = turnOf({ threadId: turn.threadId, input: [] })
  const { turn: second } = await turns.start(more)
  const names = sql.db
    .prepare('PRAGMA table_info(turns)')
    .all()
    .map(({ name }) => String(name))
  const copied = names.map((name) => (name === 'id' ? "printf('%s-%05d', id, value)" : name))
  const numbers = `WITH RECURSIVE numbers(value) AS (SELECT 2 UNION ALL SELECT value + 1 FROM numbers WHERE value < ${maxQueuedInThread - 1})`
  sql.db.exec(
    `${numbers} INSERT INTO turns (${names.join()}) SELECT ${copied.join()} FROM turns, numbers WHERE id = '${second.id}'`,
  )
  assert.equal((await turns.start(more)).turn.status, 'queued', 'the last that finds room')
  await rejectsWith(turns.start(more), 'rate_limited')
  assert.equal((await turns.start(turnOf())).turn.status, 'running')
  await turns.record(turn, lease, step([], { status: 'completed' }))
  assert.equal((await turns.claim(lease, 9)).started.length, 1)
  assert.equal((await turns.start(more)).turn.status, 'queued')
})

test('an extension is loaded only where that is allowed, and then only by whoever asks for it', (t) => {
  const { db } = openBare(t)
  assert.throws(() => db.enableLoadExtension(true), /extension/)
  const { db: allowed } = openBare(t, ':memory:', { extensions: true })
  assert.throws(() => allowed.loadExtension('none'), /not allowed/)
})

test('what is deleted is not in the file any more', async (t) => {
  const path = join(folder(t), 'atrium.db')
  const words = 'words that nobody may find again'
  const sql = openBare(t, path)
  await sql.write(() => note(words.repeat(1_000)))
  await sql.write(() => query('DELETE FROM notes'))
  await sql.close()
  assert(!readFileSync(path).includes(words))
})
