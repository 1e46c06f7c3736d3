// Migrations on PostgreSQL: made once, taken back on a fault; earlier processes are kept out or go on beside them.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { Client } from 'pg'
import { createSeal } from '#lib/seal.ts'
import { loadPostgres } from '#store/load-postgres.ts'
import { checkConnection, lockMigrations, migratePostgres, versionOfPostgres } from '#store/migrate-postgres.ts'
import { migrations } from '#store/migrations.ts'
import { inspectPostgres, openPostgresStore } from '#store/open-store.ts'
import { openPostgres } from '#store/postgres.ts'
import { usePostgres } from '../postgres.ts'
import { until } from '../until.ts'
import { finish, rejectsWith, turnOf } from './harness.ts'
import { migrateTests } from './suite-migrate.ts'
import { openPostgresVersion } from './versions.ts'

const server = usePostgres()
const seal = createSeal('0'.repeat(64))
const first = { changes: ['CREATE TABLE processes (seen_at BIGINT)'] }
const alone = { changes: ['CREATE TABLE made (id BIGINT)'] }

migrateTests(async (t, version) => openPostgresVersion(t, version, await server.database()))

test('a new database with another encoding than UTF8 is refused with the way out', async (t) => {
  const admin = open(t, await server.database())
  const ascii = new URL(await server.database())
  const name = `${ascii.pathname.slice(1)}_ascii`
  await admin.pool.query(`CREATE DATABASE ${name} ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`)
  ascii.pathname = name
  await rejectsWith(migratePostgres(open(t, ascii.href).pool), 'invalid_config')
  await assert.rejects(migratePostgres(open(t, ascii.href).pool), /has the encoding SQL_ASCII.*ENCODING 'UTF8'/)
})

function open(t: TestContext, url: string): ReturnType<typeof openPostgres> {
  const sql = openPostgres(url)
  t.after(() => sql.close())
  return sql
}

/** A connection of a running process, which may be cut off, and the number of its process in the server. */
async function connectOld(t: TestContext, url: string): Promise<{ old: Client; pid: number }> {
  const old = new Client({ connectionString: url, application_name: 'atrium' })
  old.on('error', () => {})
  await old.connect()
  t.after(() => void old.end().catch(() => {}))
  const { rows } = await old.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return { old, pid: Number(rows[0]?.pid) }
}

/** The same database for a user who takes the role of its owner with each connection. */
async function asMember(t: TestContext, url: string): Promise<{ url: string; owner: string }> {
  const own = new URL(url)
  const name = own.pathname.slice(1)
  const [owner, member] = [`${name}_owner`, `${name}_member`]
  const admin = openPostgres(url)
  t.after(async () => {
    // Roles belong to the server, which other tests use too.
    await admin.pool.query(`DROP OWNED BY ${owner}, ${member} CASCADE; DROP ROLE ${owner}, ${member}`)
    await admin.close()
  })
  await admin.pool.query(
    `CREATE ROLE ${owner}; CREATE ROLE ${member} LOGIN PASSWORD 'x' IN ROLE ${owner};
     ALTER ROLE ${member} SET role = ${owner}; GRANT ALL ON SCHEMA public TO ${owner}`,
  )
  own.username = member
  own.password = 'x'
  return { url: own.href, owner }
}

test('a user who works under another role cuts off its old connections, and the role owns what is made', async (t) => {
  const { url, owner } = await asMember(t, await server.database())
  const sql = open(t, url)
  await migratePostgres(sql.pool, { steps: [first] })
  const { old } = await connectOld(t, url)
  await migratePostgres(sql.pool, { steps: [first, alone] })
  await assert.rejects(old.query('SELECT 1'))
  const { rows } = await sql.pool.query(
    `SELECT current_user AS role, tableowner AS owner FROM pg_tables WHERE tablename = 'made'`,
  )
  assert.deepEqual(rows, [{ role: owner, owner }])
})

test('a connection that cannot be cut off keeps the migration back, with a way out', async (t) => {
  const url = await server.database()
  const sql = open(t, url)
  await migratePostgres(sql.pool, { steps: [first] })
  const { old, pid } = await connectOld(t, url)
  process.kill(pid, 'SIGSTOP')
  let stopped = true
  const goOn = (): void => {
    if (stopped) process.kill(pid, 'SIGCONT')
    stopped = false
  }
  t.after(goOn)
  // A second for each look.
  let now = 0
  const clock = t.mock.method(performance, 'now', () => (now += 1_000))
  await assert.rejects(migratePostgres(sql.pool, { steps: [first, alone] }), {
    code: 'database_unavailable',
    message:
      /one connection of an earlier Atrium could not be cut off within 10 seconds: stop every process of it, and start again.* has version 1/,
  })
  clock.mock.restore()
  assert.equal(await versionOfPostgres(sql.pool), 1)
  goOn()
  await assert.rejects(old.query('SELECT 1'))
  await migratePostgres(sql.pool, { steps: [first, alone] })
  assert.equal(await versionOfPostgres(sql.pool), 2)
})

test('a new connection does not wait for a long migration for ever, and leaves nothing waiting in the server', async (t) => {
  const sql = open(t, await server.database())
  await migratePostgres(sql.pool, { steps: [first] })
  const [migrating, connecting] = [await sql.pool.connect(), await sql.pool.connect()]
  try {
    await migrating.query('BEGIN; LOCK TABLE schema_version IN ACCESS EXCLUSIVE MODE')
    await assert.rejects(checkConnection(connecting, 20), { code: '55P03', message: /lock timeout/ })
    await migrating.query('COMMIT')
    await checkConnection(connecting, 20)
    const { rows } = await connecting.query('SHOW lock_timeout')
    assert.deepEqual(rows, [{ lock_timeout: '3s' }], 'statements of the connection wait as before')
  } finally {
    migrating.release(true)
    connecting.release(true)
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
  await migratePostgres(sql.pool, { steps: migrations.slice(0, 1) })
  await sql.pool.query('UPDATE schema_version SET version = $1', [migrations.length + 1])
  await rejectsWith(migratePostgres(sql.pool), 'database_unavailable')
  await sql.close()
})

test('each step of a database that exists is told before it begins', async (t) => {
  const { pool } = open(t, await server.database())
  const told: number[] = []
  const onStep = (version: number) => void told.push(version)
  await migratePostgres(pool, { steps: [first], onStep })
  await migratePostgres(pool, { steps: [first, alone, { changes: [] }], onStep })
  assert.deepEqual(told, [1, 2])
})

test('a process that waits for the migration of another one tells so, each second', async (t) => {
  const { pool } = open(t, await server.database())
  const other = await pool.connect()
  await other.query('BEGIN')
  await lockMigrations(other)
  const waits = Promise.withResolvers<void>()
  const migrated = migratePostgres(pool, { steps: [first], onWait: waits.resolve })
  await waits.promise
  await other.query('COMMIT')
  other.release()
  await migrated
  assert.equal(await versionOfPostgres(pool), 1)
})

test('a step that fails leaves the database as it was, and says how to go back', async () => {
  const sql = openPostgres(await server.database())
  const made = { changes: ['CREATE TABLE a (b TEXT)', 'CREATE TABLE processes (seen_at BIGINT)'] }
  const broken = { changes: ['INSERT INTO a VALUES (1)', 'NOT SQL'] }
  await migratePostgres(sql.pool, { steps: [made] })
  await assert.rejects(migratePostgres(sql.pool, { steps: [made, broken] }), {
    code: 'database_unavailable',
    message: /from version 1 to 2 \(syntax error .*\) and has version 1\. To go back, run the Atrium of before$/,
  })
  assert.deepEqual((await sql.pool.query('SELECT * FROM a')).rows, [])
  const full = { changes: ["DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '53100'; END $$"] }
  await assert.rejects(migratePostgres(sql.pool, { steps: [made, full] }), {
    code: 'disk_full',
    message: /\(the database's disk is full.*\) and has version 1\. To go back, run the Atrium of before$/,
  })
  // A step before it has changed the database for good.
  await assert.rejects(migratePostgres(sql.pool, { steps: [made, { changes: [] }, broken] }), {
    message:
      /from version 2 to 3 .* has version 2\. To go back, restore the backup .* \(version 1\) and run the Atrium of/,
  })
  await sql.close()
})

test('a process that is killed in the middle leaves whole steps, and the next one goes on at once', async (t) => {
  const url = await server.database()
  const steps = [first, { changes: ['CREATE TABLE half (id BIGINT)', 'SELECT pg_sleep(3600)'] }]
  const code = `
    import { openPostgres } from '#store/postgres.ts'
    import { migratePostgres } from '#store/migrate-postgres.ts'
    await migratePostgres(openPostgres(${JSON.stringify(url)}).pool, { steps: ${JSON.stringify(steps)} })`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', code], {
    cwd: join(import.meta.dirname, '../..'),
  })
  t.after(() => child.kill('SIGKILL'))
  const { pool } = open(t, url)
  const sleeping = `SELECT 1 FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(3600)' AND datname = current_database()`
  await until(async () => (await pool.query(sleeping)).rowCount === 1)
  child.kill('SIGKILL')
  await migratePostgres(pool, { steps: [first, alone] })
  const { rows } = await pool.query(`SELECT to_regclass('half') AS half, to_regclass('made') AS made`)
  assert.deepEqual([await versionOfPostgres(pool), rows], [2, [{ half: null, made: 'made' }]])
})

test('processes that cannot work with the new version keep it back while they run', async () => {
  const sql = openPostgres(await server.database())
  await migratePostgres(sql.pool, { steps: migrations.slice(0, 17) })
  await sql.pool.query(
    `INSERT INTO processes (owner, epoch, seen_at) VALUES ('old', 1, EXTRACT(EPOCH FROM now()) * 1000 + 3600000)`,
  )
  await assert.rejects(migratePostgres(sql.pool), {
    code: 'database_unavailable',
    message: /has version 17, and one process of an earlier Atrium .* stop every replica, wait 12 seconds/,
  })
  assert.equal(await versionOfPostgres(sql.pool), 17)
  await sql.pool.query('UPDATE processes SET seen_at = 0')
  await migratePostgres(sql.pool, { steps: migrations.slice(0, 18) })
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
  await migratePostgres(sql.pool, { steps: [first] })
  const reader = await startReading(sql)
  await migratePostgres(sql.pool, { steps: [first, shared] })
  assert.equal((await reader.query('SELECT version FROM schema_version')).rowCount, 1)
  reader.release()
  assert.equal(await versionOfPostgres(sql.pool), 2)
  await sql.close()
})

test('a migration that excludes earlier processes adds to a table from before what it stores there', async () => {
  const sql = openPostgres(await server.database())
  await migratePostgres(sql.pool, { steps: [first] })
  await sql.pool.query('ALTER TABLE schema_version DROP COLUMN oldest')
  await migratePostgres(sql.pool, { steps: [first, { changes: [] }] })
  const { rows } = await sql.pool.query('SELECT version, oldest FROM schema_version')
  assert.deepEqual(rows, [{ version: '2', oldest: '2' }])
  await sql.close()
})

test('a migration that excludes earlier processes cuts off what they read, whatever the URL calls them, and no other program', async () => {
  const url = await server.database()
  const sql = openPostgres(url)
  await migratePostgres(sql.pool, { steps: [first] })
  const old = openPostgres(`${url}${url.includes('?') ? '&' : '?'}application_name=ours`)
  const reader = await startReading(old)
  const other = new Client({ connectionString: url, application_name: 'psql' })
  await other.connect()
  await migratePostgres(sql.pool, { steps: [first, { changes: [] }] })
  await assert.rejects(reader.query('SELECT 1'))
  assert.equal((await other.query('SELECT 1')).rowCount, 1)
  reader.release(true)
  await Promise.all([other.end(), old.close(), sql.close()])
})

test('a restore over an earlier version cuts off the processes that cannot work with the newest one', async () => {
  const url = await server.database()
  const sql = openPostgres(url)
  const found = migrations.findLastIndex(({ shared }) => !shared)
  await migratePostgres(sql.pool, { steps: migrations.slice(0, found) })
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
  await migratePostgres(sql.pool, { steps: migrations.slice(0, 2) })
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
