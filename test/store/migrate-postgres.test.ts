// How a migration on PostgreSQL excludes earlier processes, and how a new connection waits for it.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Client } from 'pg'
import { checkConnection, migratePostgres, versionOfPostgres } from '#store/migrate-postgres.ts'
import { openPostgres } from '#store/postgres.ts'
import { usePostgres } from '../postgres.ts'

const server = usePostgres()
const first = { changes: ['CREATE TABLE processes (seen_at BIGINT)'] }
const alone = { changes: ['CREATE TABLE made (id BIGINT)'] }

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
  await migratePostgres(sql.pool, [first])
  const { old } = await connectOld(t, url)
  await migratePostgres(sql.pool, [first, alone])
  await assert.rejects(old.query('SELECT 1'))
  const { rows } = await sql.pool.query(
    `SELECT current_user AS role, tableowner AS owner FROM pg_tables WHERE tablename = 'made'`,
  )
  assert.deepEqual(rows, [{ role: owner, owner }])
})

test('a connection that cannot be cut off keeps the migration back, with a way out', async (t) => {
  const url = await server.database()
  const sql = open(t, url)
  await migratePostgres(sql.pool, [first])
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
  await assert.rejects(migratePostgres(sql.pool, [first, alone]), {
    code: 'database_unavailable',
    message:
      /one connection of an earlier Atrium could not be cut off within 10 seconds: stop every process of it, and start again.* has version 1/,
  })
  clock.mock.restore()
  assert.equal(await versionOfPostgres(sql.pool), 1)
  goOn()
  await assert.rejects(old.query('SELECT 1'))
  await migratePostgres(sql.pool, [first, alone])
  assert.equal(await versionOfPostgres(sql.pool), 2)
})

test('a new connection does not wait for a long migration for ever, and leaves nothing waiting in the server', async (t) => {
  const sql = open(t, await server.database())
  await migratePostgres(sql.pool, [first])
  const [migrating, connecting] = [await sql.pool.connect(), await sql.pool.connect()]
  try {
    await migrating.query('BEGIN; LOCK TABLE schema_version IN ACCESS EXCLUSIVE MODE')
    await assert.rejects(checkConnection(connecting, 20), { code: '55P03', message: /lock timeout/ })
    await migrating.query('COMMIT')
    await checkConnection(connecting, 20)
    const { rows } = await connecting.query('SHOW lock_timeout')
    assert.deepEqual(rows, [{ lock_timeout: '0' }], 'statements of the connection wait as before')
  } finally {
    migrating.release(true)
    connecting.release(true)
  }
})
