// PostgreSQL under the store: its driver, and that what was deleted is gone from it.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { AppError } from '#core/errors.ts'
import { createSeal } from '#lib/seal.ts'
import { openPostgresStore } from '#store/open-store.ts'
import { openPostgres } from '#store/postgres.ts'
import { expect, first, type Job, query, run } from '#store/sql.ts'
import { usePostgres } from '../postgres.ts'
import { until } from '../until.ts'
import { ada, finish, lease, rejectsWith, turnAtApproval, turnOf } from './harness.ts'
import { leftoverTests } from './suite-leftovers.ts'

const seal = createSeal('0'.repeat(64))
/** As many as the pool has. */
const connections = 10
/** How long a job waits for one. */
const connectMs = 5_000

const server = usePostgres()
let bare: Promise<string> | undefined
/** One database for the tests of the driver: what they make there has names of its own. */
const bareDatabase = (): Promise<string> => (bare ??= server.database())

leftoverTests(async (t) => {
  const { url, sql } = await server.emptied()
  const { store } = await openPostgresStore({ url, seal })
  t.after(() => store.close())
  const { rows: tables } = await sql.pool.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
  )
  const holds = async (name: string, text: string): Promise<boolean> =>
    ((await sql.pool.query(`SELECT 1 FROM ${name} t WHERE strpos(t::text, $1) > 0 LIMIT 1`, [text])).rowCount ?? 0) > 0
  return {
    store,
    async placesOf(text) {
      const places: string[] = []
      for (const { name } of tables) if (await holds(name, text)) places.push(name)
      return places
    },
  }
})

test('jobs wait for a free connection, and not for ever', async (t) => {
  // However slow the machine, the server has answered just now.
  t.mock.method(Date, 'now', () => 1_000_000)
  const sql = openPostgres(await bareDatabase())
  const one = () => sql.read(() => query('SELECT 1 AS one'))
  const take = () => Promise.all(Array.from({ length: connections }, () => sql.pool.connect()))
  const held = await take()
  const waiting = Array.from({ length: 30 }, one)
  assert.equal(sql.pool.waitingCount, waiting.length)
  for (const client of held) client.release()
  for (const rows of await Promise.all(waiting)) assert.deepEqual(rows, [{ one: 1 }])
  // A server that has just answered is there, however long the queue is.
  const again = await take()
  await sql.ping()
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const last = rejectsWith(one(), 'database_unavailable')
  assert.equal(sql.pool.waitingCount, 1)
  t.mock.timers.tick(connectMs - 1)
  assert.equal(sql.pool.waitingCount, 1)
  t.mock.timers.tick(1)
  await last
  t.mock.timers.reset()
  for (const client of again) client.release()
  assert.deepEqual(await one(), [{ one: 1 }])
  await sql.close()
})

test('jobs that wait for a row that somebody holds leave their connections to others', async () => {
  const sql = openPostgres(await bareDatabase())
  await sql.pool.query('CREATE TABLE held (id INT PRIMARY KEY)')
  await sql.pool.query('INSERT INTO held VALUES (1)')
  const holder = await sql.pool.connect()
  await holder.query('BEGIN')
  await holder.query('SELECT id FROM held FOR UPDATE')
  const waiting = Array.from({ length: connections - 1 }, () =>
    rejectsWith(
      sql.write(() => run('UPDATE held SET id = 2')),
      'database_unavailable',
    ),
  )
  assert.deepEqual(await sql.read(() => query('SELECT 1 AS one')), [{ one: 1 }])
  await Promise.all(waiting)
  await holder.query('ROLLBACK')
  holder.release()
  await sql.close()
})

test('a process that falls silent in a transaction loses what it holds to others', async () => {
  const url = await bareDatabase()
  const [silent, sql] = [openPostgres(url, { idleMs: 1 }), openPostgres(url)]
  await sql.pool.query('CREATE TABLE seized (id INT PRIMARY KEY)')
  await sql.pool.query('INSERT INTO seized VALUES (1)')
  const frozen = await silent.pool.connect()
  const cut = once(frozen, 'error')
  await frozen.query('BEGIN; SELECT id FROM seized FOR UPDATE')
  await sql.write(() => run('UPDATE seized SET id = 2'))
  await cut
  frozen.release(true)
  assert.deepEqual(await sql.read(() => query('SELECT id FROM seized')), [{ id: 2 }])
  await Promise.all([silent.close(), sql.close()])
})

test('a lost race is run again, also when a statement that nobody waited for lost it', async () => {
  const sql = openPostgres(await bareDatabase())
  await sql.pool.query('CREATE TABLE taken (id INT PRIMARY KEY)')
  await sql.pool.query('INSERT INTO taken VALUES (1)')
  let tries = 0
  const id = await sql.write(function* () {
    tries++
    yield* run('INSERT INTO taken VALUES (?)', tries)
    yield* query('SELECT 1')
    return tries
  })
  assert.deepEqual([id, tries], [2, 2])
  await sql.close()
})

test('a race that is lost again and again is given up after six tries; any other fault at once', async () => {
  const sql = openPostgres(await bareDatabase())
  const tries = async (code: string): Promise<number> => {
    let count = 0
    const job = () =>
      sql.write(function* () {
        count++
        yield* query(`DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '${code}'; END $$`)
      })
    await assert.rejects(job(), { code })
    return count
  }
  assert.deepEqual(await Promise.all(['40001', '40P01', '23505', '23502'].map(tries)), [6, 6, 6, 1])
  await sql.close()
})

test('a job gets the rows of its own statement, also where others go with it and once all are prepared', async () => {
  const sql = openPostgres(await bareDatabase())
  const job = () =>
    sql.write(function* () {
      yield* run('SELECT 1 AS one, 2 AS two')
      const words = yield* query('SELECT ?::text AS word, NULL::int AS none', 'a')
      yield* run('SELECT 3 AS three')
      return [...words, ...(yield* query('SELECT generate_series(1, ?::int) AS n', 2))]
    })
  for (let at = 0; at < 3; at++) assert.deepEqual(await job(), [{ word: 'a', none: null }, { n: 1 }, { n: 2 }])
  await sql.close()
})

test('a job that is refused leaves nothing, before its first row and behind it', async () => {
  const sql = openPostgres(await bareDatabase())
  await sql.pool.query('CREATE TABLE kept (id INT)')
  const refused = (reads: boolean) =>
    sql.write(function* () {
      yield* run('INSERT INTO kept VALUES (?)', 1)
      if (reads) yield* query('SELECT id FROM kept')
      throw new AppError('not_found', 'refused')
    })
  for (const reads of [false, true]) await rejectsWith(refused(reads), 'not_found')
  await sql.write(() => run('INSERT INTO kept VALUES (?)', 2))
  assert.deepEqual(await sql.read(() => query('SELECT id FROM kept')), [{ id: 2 }])
  await sql.close()
})

test('a job without a row to wait for is stored whole or not at all, and holds nothing afterwards', async () => {
  const sql = openPostgres(await bareDatabase())
  await sql.pool.query('CREATE TABLE whole (id INT PRIMARY KEY)')
  const store = (...ids: number[]) =>
    sql.write(function* () {
      for (const id of ids) yield* run('INSERT INTO whole VALUES (?)', id)
    })
  await store(1, 2)
  await assert.rejects(store(3, 1, 4), { code: '23505' })
  assert.deepEqual(await sql.read(() => query('SELECT id FROM whole ORDER BY id')), [{ id: 1 }, { id: 2 }])
  const open = `SELECT count(*)::int AS open FROM pg_stat_activity
                WHERE datname = current_database() AND state LIKE 'idle in transaction%'`
  assert.deepEqual(await sql.read(() => query(open)), [{ open: 0 }])
  await sql.close()
})

test('of two replicas that claim a renewal at once, the one that reads the clock first does not take over', async (t) => {
  const { url, sql } = await server.emptied()
  const { store } = await openPostgresStore({ url, seal })
  t.after(() => store.close())
  await store.secrets.set('tool/a/key', 'one', { owner: ada, renewal: { token: 'r1' } })
  const secret = await store.secrets.find('tool/a/key', ada)
  assert.ok(secret)
  const other = await sql.pool.connect()
  await other.query('BEGIN')
  await other.query('SELECT name FROM secrets FOR UPDATE')
  const late = store.secrets.claimRenewal(secret, 60_000)
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  await until(async () => (await sql.pool.query(waiting)).rowCount === 1)
  await other.query(
    'UPDATE secrets SET renewing_until = (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT + 60000',
  )
  await other.query('COMMIT')
  other.release()
  assert.equal(await late, false)
})

test('a fault of the job itself leaves the connection and the next job unharmed', async () => {
  const sql = openPostgres(await bareDatabase())
  const bad = () => sql.write(() => query('SELECT no_such_column'))
  for (let at = 0; at < connections * 2; at++)
    await assert.rejects(bad(), (error: AppError) => error.code !== undefined)
  assert.deepEqual(await sql.write(() => query('SELECT 1 AS one')), [{ one: 1 }])
  await sql.close()
})

test('a statement that cannot be written fails its job alone, and its time limit ends with it', async (t) => {
  const sql = openPostgres(await bareDatabase())
  const one = () => sql.write(() => query('SELECT 1 AS one'))
  await one()
  t.mock.timers.enable({ apis: ['setTimeout'] })
  await assert.rejects(
    sql.write(() => query('SELECT ?::text', undefined as never)),
    TypeError,
  )
  // A time limit that were left would reject a promise that nobody awaits, which ends the process.
  t.mock.timers.tick(10 * 60_000)
  await new Promise(setImmediate)
  t.mock.timers.reset()
  assert.deepEqual(await one(), [{ one: 1 }])
  await sql.close()
})

test('a turn starts in a thread while its words are being indexed', async (t) => {
  const { url, sql } = await server.emptied()
  const { store } = await openPostgresStore({ url, seal })
  t.after(() => store.close())
  const { threadId } = await finish(store, (await store.turns.start(turnOf())).turn)
  const indexing = await sql.pool.connect()
  t.after(() => indexing.release(true))
  await indexing.query('BEGIN')
  await indexing.query('SELECT 1 FROM threads WHERE id = $1 FOR KEY SHARE', [threadId])
  assert.equal((await store.turns.start(turnOf({ threadId }))).turn.status, 'running')
})

test('a turn that ends while its cancellation waits for its thread keeps that end', async (t) => {
  const { url, sql } = await server.emptied()
  const { store } = await openPostgresStore({ url, seal })
  t.after(() => store.close())
  const turn = await turnAtApproval(store)
  const other = await sql.pool.connect()
  try {
    await other.query('BEGIN')
    await other.query('SELECT id FROM threads WHERE id = $1 FOR UPDATE', [turn.threadId])
    await other.query(`UPDATE turns SET status = 'completed' WHERE id = $1`, [turn.id])
    const cancelled = store.turns.end(ada, turn.id)
    const waits = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
    await until(async () => (await sql.pool.query(waits)).rowCount === 1)
    await other.query('COMMIT')
    assert.deepEqual([(await cancelled).changed, (await cancelled).entries], [false, []])
  } finally {
    other.release()
  }
})

test('what a lease holds is known to the database', async (t) => {
  const { url } = await server.emptied()
  const { store } = await openPostgresStore({ url, seal })
  t.after(() => store.close())
  const { turn } = await store.turns.start(turnOf())
  const ids = async (): Promise<string[]> => (await store.turns.runningUnder(lease)).map(({ id }) => id)
  assert.deepEqual(await ids(), [turn.id])
  assert.deepEqual(await store.turns.runningUnder({ ...lease, epoch: 2 }), [])
  await store.turns.release(turn, lease)
  assert.deepEqual(await ids(), [])
})

/** Opens a driver that tells how many round trips its jobs took, on which connections. */
async function openCounted(t: TestContext) {
  const sql = openPostgres(await bareDatabase())
  t.after(() => sql.close())
  const trips: unknown[] = []
  sql.pool.on('connect', (client) => {
    const send = client.query.bind(client) as (...parts: unknown[]) => unknown
    client.query = ((...parts: unknown[]) => {
      trips.push(client)
      return send(...parts)
    }) as typeof client.query
  })
  return { sql, trips }
}

test('a job that meets the rows it expects takes one round trip', async (t) => {
  const { sql, trips } = await openCounted(t)
  await sql.write(() => query('CREATE TABLE met (id INTEGER, word TEXT)'))
  await sql.write(() => query("INSERT INTO met VALUES (1, 'one')"))
  trips.length = 0
  function* job(): Job<unknown> {
    const one = yield* expect({ id: 1, word: 'one' }, 'SELECT id, word FROM met WHERE id = ? FOR NO KEY UPDATE', 1)
    yield* run('INSERT INTO met VALUES (?, ?)', 2, `after ${String(one?.['word'])}`)
    return one
  }
  assert.deepEqual(await sql.write(job), { id: 1, word: 'one' })
  assert.equal(trips.length, 1)
  assert.deepEqual(await sql.read(() => first('SELECT word FROM met WHERE id = 2')), { word: 'after one' })
})

test('a job that meets other rows than it expects is run again with those, on the same connection', async (t) => {
  const { sql, trips } = await openCounted(t)
  await sql.write(() => query('CREATE TABLE unmet (id INTEGER, word TEXT)'))
  await sql.write(() => query("INSERT INTO unmet VALUES (1, 'one')"))
  const cases = [
    [1, { id: 1, word: 'two' }, { id: 1, word: 'one' }],
    [3, { id: 3, word: 'one' }, undefined],
  ] as const
  for (const [id, expected, found] of cases) {
    trips.length = 0
    const seen: unknown[] = []
    await sql.write(function* () {
      yield* run('INSERT INTO unmet VALUES (?, ?)', 10 * id, 'before')
      seen.push(yield* expect(expected, 'SELECT id, word FROM unmet WHERE id = ?', id))
      yield* run('INSERT INTO unmet VALUES (?, ?)', 10 * id, `after ${id}`)
    })
    assert.deepEqual(seen, [expected, found])
    assert.deepEqual(
      await sql.read(() => query('SELECT word FROM unmet WHERE id = ?', 10 * id)),
      [{ word: 'before' }, { word: `after ${id}` }],
      'once',
    )
    // The failed flight, the two of the second run, and the read above.
    assert.deepEqual([trips.length, new Set(trips).size], [4, 1])
  }
})

test('a job that divides by zero by itself fails', async (t) => {
  const { sql } = await openCounted(t)
  await assert.rejects(
    sql.write(() => query('SELECT 1 / 0')),
    { code: '22012' },
  )
})
