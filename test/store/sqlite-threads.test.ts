// Long reads of a SQLite file: in threads, beside the event loop.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setImmediate as nextLoop } from 'node:timers/promises'
import { createSeal } from '#lib/seal.ts'
import { first, type Job, run } from '#store/sql.ts'
import { openSqlite } from '#store/sqlite.ts'
import { openStore } from '#store/open-store.ts'
import { createSqliteThreads } from '#store/sqlite-threads.ts'
import { until } from '../until.ts'
import { ada, bob, folder, rejectsWith } from './harness.ts'

const numbers =
  'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT count(*) AS n FROM n'
function* count(upTo = 3): Job<number> {
  return Number((yield* first(numbers, upTo))?.['n'])
}

function open(t: TestContext) {
  const path = join(folder(t), 'a.db')
  const sql = openSqlite(path)
  t.after(() => sql.close())
  sql.db.exec('CREATE TABLE notes (text TEXT)')
  return { path, sql }
}

test('a long read leaves the event loop to others', async (t) => {
  const { sql } = open(t)
  const order: string[] = []
  const long = sql.readLong(ada, () => count(100_000)).then((n) => order.push(`counted ${n}`))
  await nextLoop()
  order.push('others')
  await long
  assert.deepEqual(order, ['others', 'counted 100000'])
})

test('searches of documents and of threads are long reads', async (t) => {
  const store = openStore({ path: join(folder(t), 'a.db'), seal: createSeal('0'.repeat(64)) })
  t.after(() => store.close())
  const candidates = { match: { term: 'a' }, weights: [], depth: 1, limit: 1 }
  const searches = [
    () => store.documents.count(ada, [], 1),
    () => store.documents.find(ada, candidates),
    () => store.threadIndex.count(ada, [], 1),
    () => store.threadIndex.find(ada, candidates, { texts: new Map(), bytesLeft: 0 }),
  ]
  for (const [at, search] of searches.entries()) {
    let found = false
    const searched = search().then(() => (found = true))
    await nextLoop()
    assert.equal(found, false, `${at}`)
    await searched
  }
})

test('a long read sees what was stored before it, and stores nothing', async (t) => {
  const { sql } = open(t)
  const notes = (): Promise<unknown> =>
    sql.readLong(ada, function* () {
      return (yield* first('SELECT text FROM notes'))?.['text']
    })
  assert.equal(await notes(), undefined)
  await sql.write(() => run('INSERT INTO notes VALUES (?)', 'a'))
  assert.equal(await notes(), 'a')
  await rejectsWith(
    sql.readLong(ada, () => run('DELETE FROM notes')),
    'home_unwritable',
  )
  await assert.rejects(
    sql.readLong(ada, () => run('SELECT missing')),
    /no such column/,
  )
  assert.equal(await notes(), 'a')
})

test('a user whose read waits holds up nobody else', async (t) => {
  const { sql } = open(t)
  const begun: string[] = []
  const job = (name: string, upTo: number) => () => {
    begun.push(name)
    return count(upTo)
  }
  const own = [sql.readLong(ada, job('one', 100_000)), sql.readLong(ada, job('two', 1))]
  assert.equal(await sql.readLong(bob, job('three', 2)), 2)
  assert.deepEqual(await Promise.all(own), [100_000, 1])
  assert.deepEqual(begun.slice(0, 2), ['one', 'three'])
})

test('two threads run at most, and end when they have nothing to do', async (t) => {
  const { path } = open(t)
  const threads = createSqliteThreads(path, { idleMs: 1 })
  t.after(() => threads.close())
  const counts = [1, 2, 3, 4].map((upTo) => threads.run({ sql: numbers, values: [upTo] }))
  assert.equal(threads.running, 2)
  assert.deepEqual(
    await Promise.all(counts),
    [1, 2, 3, 4].map((n) => [{ n }]),
  )
  await until(() => threads.running === 0)
  assert.deepEqual(await threads.run({ sql: numbers, values: [5] }), [{ n: 5 }])
})

test('a database that closes refuses reads that wait, and leaves no log', async (t) => {
  const { path, sql } = open(t)
  assert.equal(await sql.readLong(ada, () => count()), 3)
  const refused = rejectsWith(
    sql.readLong(ada, () => count(100_000)),
    'shutting_down',
  )
  await sql.close()
  await refused
  await rejectsWith(
    sql.readLong(ada, () => count()),
    'shutting_down',
  )
  assert.equal(existsSync(`${path}-wal`), false)
})

test('a thread that cannot open the file fails its reads', async (t) => {
  const threads = createSqliteThreads(join(folder(t), 'none.db'))
  t.after(() => threads.close())
  await assert.rejects(threads.run({ sql: numbers, values: [1] }))
  assert.equal(threads.running, 0)
})
