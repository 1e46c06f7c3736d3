// PostgreSQL under the store: the driver, and the migrations.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { Client } from 'pg'
import { AppError } from '#core/errors.ts'
import { createSeal } from '#lib/seal.ts'
import { loadPostgres } from '#store/load-postgres.ts'
import { migratePostgres, versionOfPostgres } from '#store/migrate-postgres.ts'
import { migrations } from '#store/migrations.ts'
import { inspectPostgres, openPostgresStore } from '#store/open-store.ts'
import { openPostgres } from '#store/postgres.ts'
import { expect, first, type Job, query, run } from '#store/sql.ts'
import { usePostgres } from '../postgres.ts'
import { finish, lease, rejectsWith, turnOf } from './harness.ts'
import { leftoverTests } from './suite-leftovers.ts'
import { migrateTests } from './suite-migrate.ts'
import { openPostgresVersion } from './versions.ts'

const seal = createSeal('0'.repeat(64))
/** As many as the pool has. */
const connections = 10
/** How long a job waits for one. */
const connectMs = 5_000

const server = usePostgres()
let bare: Promise<string> | undefined
/** One database for the tests of the driver: what they make there has names of its own. */
const bareDatabase = (): Promise<string> => (bare ??= server.database())

migrateTests(async (t, version) => openPostgresVersion(t, version, await server.database()))

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

test('processes that start together on an empty database migrate it once', async () => {
  const url = await server.database()
  const opened = await Promise.all(Array.from({ length: 5 }, () => openPostgresStore({ url, seal })))
  const [one, two] = opened
  assert(one && two)
  const { turn } = await one.store.turns.start(turnOf())
  assert.equal((await finish(two.store, turn)).status, 'completed')
  await Promise.all(opened.map(({ store }) => store.close()))
})

test('a database of a newer Atrium is left alone', async () => {
  const sql = openPostgres(await server.database())
  await migratePostgres(sql.pool, migrations.slice(0, 1))
  await sql.pool.query('UPDATE schema_version SET version = $1', [migrations.length + 1])
  await rejectsWith(migratePostgres(sql.pool), 'database_unavailable')
  await sql.close()
})

test('a step that fails leaves the database as it was, and says how to go back', async () => {
  const sql = openPostgres(await server.database())
  const made = { changes: ['CREATE TABLE a (b TEXT)', 'CREATE TABLE processes (seen_at BIGINT)'] }
  const broken = { changes: ['INSERT INTO a VALUES (1)', 'NOT SQL'] }
  await migratePostgres(sql.pool, [made])
  await assert.rejects(migratePostgres(sql.pool, [made, broken]), {
    code: 'database_unavailable',
    message: /from version 1 to 2 \(syntax error .*\) and has version 1\. To go back, run the Atrium of before$/,
  })
  assert.deepEqual((await sql.pool.query('SELECT * FROM a')).rows, [])
  const full = { changes: ["DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '53100'; END $$"] }
  await assert.rejects(migratePostgres(sql.pool, [made, full]), {
    code: 'disk_full',
    message: /\(the database's disk is full.*\) and has version 1\. To go back, run the Atrium of before$/,
  })
  // A step before it has changed the database for good.
  await assert.rejects(migratePostgres(sql.pool, [made, { changes: [] }, broken]), {
    message:
      /from version 2 to 3 .* has version 2\. To go back, restore the backup .* \(version 1\) and run the Atrium of/,
  })
  await sql.close()
})

test('processes that cannot work with the new version keep it back while they run', async () => {
  const sql = openPostgres(await server.database())
  await migratePostgres(sql.pool, migrations.slice(0, 17))
  await sql.pool.query(
    `INSERT INTO processes (owner, epoch, seen_at) VALUES ('old', 1, EXTRACT(EPOCH FROM now()) * 1000 + 3600000)`,
  )
  await assert.rejects(migratePostgres(sql.pool), {
    code: 'database_unavailable',
    message: /has version 17, and one process of an earlier Atrium .* stop every replica, wait 12 seconds/,
  })
  assert.equal(await versionOfPostgres(sql.pool), 17)
  await sql.pool.query('UPDATE processes SET seen_at = 0')
  await migratePostgres(sql.pool, migrations.slice(0, 18))
  await sql.close()
})

/** A connection in the middle of a transaction that reads, as that of a backup. */
async function startReading({ pool }: ReturnType<typeof openPostgres>) {
  const reader = await pool.connect()
  // The connection may be cut off.
  reader.on('error', () => {})
  await reader.query('BEGIN')
  await reader.query('SELECT * FROM schema_version')
  return reader
}

test('a migration that earlier processes go on beside does not wait for a backup', async () => {
  const sql = openPostgres(await server.database())
  const [first, shared] = [{ changes: [] }, { changes: ['CREATE TABLE a (b TEXT)'], shared: true }] as const
  await migratePostgres(sql.pool, [first])
  const reader = await startReading(sql)
  await migratePostgres(sql.pool, [first, shared])
  assert.equal((await reader.query('SELECT version FROM schema_version')).rowCount, 1)
  reader.release()
  assert.equal(await versionOfPostgres(sql.pool), 2)
  await sql.close()
})

test('a migration that excludes earlier processes adds to a table from before what it stores there', async () => {
  const sql = openPostgres(await server.database())
  const first = { changes: ['CREATE TABLE processes (seen_at BIGINT)'] }
  await migratePostgres(sql.pool, [first])
  await sql.pool.query('ALTER TABLE schema_version DROP COLUMN oldest')
  await migratePostgres(sql.pool, [first, { changes: [] }])
  const { rows } = await sql.pool.query('SELECT version, oldest FROM schema_version')
  assert.deepEqual(rows, [{ version: '2', oldest: '2' }])
  await sql.close()
})

test('a migration that excludes earlier processes cuts off what they read, whatever the URL calls them, and no other program', async () => {
  const url = await server.database()
  const sql = openPostgres(url)
  const first = { changes: ['CREATE TABLE processes (seen_at BIGINT)'] }
  await migratePostgres(sql.pool, [first])
  const old = openPostgres(`${url}${url.includes('?') ? '&' : '?'}application_name=ours`)
  const reader = await startReading(old)
  const other = new Client({ connectionString: url, application_name: 'psql' })
  await other.connect()
  await migratePostgres(sql.pool, [first, { changes: [] }])
  await assert.rejects(reader.query('SELECT 1'))
  assert.equal((await other.query('SELECT 1')).rowCount, 1)
  reader.release(true)
  await Promise.all([other.end(), old.close(), sql.close()])
})

test('a restore over an earlier version cuts off the processes that cannot work with the newest one', async () => {
  const url = await server.database()
  const sql = openPostgres(url)
  const found = migrations.findLastIndex(({ shared }) => !shared)
  await migratePostgres(sql.pool, migrations.slice(0, found))
  const reader = await startReading(sql)
  const load = await loadPostgres({ url, mark: 'm', termsOf: () => ({ title: [], body: [], extra: [] }) })
  await load.begin(found)
  await assert.rejects(reader.query('SELECT 1'))
  await load.finish()
  assert.equal(await versionOfPostgres(sql.pool), migrations.length)
  reader.release(true)
  await sql.close()
})

test('a look tells the version and makes nothing', async () => {
  const url = await server.database()
  const look = async (): Promise<number> => {
    const { store, version } = await inspectPostgres({ url, seal })
    await store.close()
    return version
  }
  assert.deepEqual([await look(), await look()], [0, 0])
  const sql = openPostgres(url)
  await migratePostgres(sql.pool, migrations.slice(0, 2))
  await sql.close()
  assert.deepEqual([await look(), await look()], [2, 2])
})

test('a process that a newer Atrium excludes gets no new connection, and is told so', async (t) => {
  const { url, sql } = await server.emptied()
  const told: string[] = []
  const { store, sql: own } = await openPostgresStore({ url, seal, onOutdated: ({ code }) => told.push(code) })
  t.after(() => store.close())
  const setOldest = (oldest: unknown) => sql.pool.query('UPDATE schema_version SET oldest = $1', [oldest])
  const { rows } = await sql.pool.query('SELECT oldest FROM schema_version')
  // The next connection is a new one.
  const held = await own.pool.connect()
  try {
    await setOldest(migrations.length)
    assert.deepEqual(await store.settings.all(), {})
    const second = await own.pool.connect()
    await setOldest(migrations.length + 1)
    await rejectsWith(store.settings.all(), 'database_unavailable')
    assert.deepEqual(told, ['database_unavailable'])
    assert.equal((await second.query('SELECT 1')).rowCount, 1, 'those it has are cut off by the migration')
    second.release()
  } finally {
    await setOldest(rows[0]?.oldest)
    held.release()
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
    // The failed flight, its rollback, the two of the second run, and the read above.
    assert.deepEqual([trips.length, new Set(trips).size], [5, 1])
  }
})

test('a job that divides by zero by itself fails', async (t) => {
  const { sql } = await openCounted(t)
  await assert.rejects(
    sql.write(() => query('SELECT 1 / 0')),
    { code: '22012' },
  )
})
