// A PostgreSQL whose host falls silent: queries under way fail, those that only take long do not.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { openPostgres } from '#store/postgres.ts'
import { first } from '#store/sql.ts'
import type { SilenceLimits } from '#store/silent-host.ts'
import { usePostgres } from '../postgres.ts'
import { openSilentProxy } from '../silent-proxy.ts'
import { patienceMs, until } from '../until.ts'

const server = usePostgres()
const processId = () => first('SELECT pg_backend_pid() AS pid')

async function openBehindProxy(t: TestContext, silence: SilenceLimits) {
  const url = new URL(await server.database())
  const proxy = await openSilentProxy(Number(url.port))
  const direct = openPostgres(url.href)
  url.port = String(proxy.port)
  const sql = openPostgres(url.href, { connectMs: patienceMs, silence })
  t.after(async () => {
    await proxy.close()
    await Promise.all([sql.close(), direct.close()])
  })
  return { sql, direct, proxy }
}

test('queries fail when their host falls silent, and new connections are made when it answers again', async (t) => {
  const { sql, proxy } = await openBehindProxy(t, { lookMs: 10, quietMs: 50, answerMs: 2_000 })
  const before = await Promise.all([sql.read(processId), sql.read(processId)])
  assert.equal(sql.pool.totalCount, 2)
  proxy.fallSilent()
  await assert.rejects(sql.write(processId), { code: 'database_unavailable', message: /its host fell silent/ })
  // The other one had no query under way: the next job would have waited on it.
  await until(() => sql.pool.totalCount === 0)
  proxy.speak()
  const after = await sql.read(processId)
  assert(!before.some((row) => row?.['pid'] === after?.['pid']))
})

test('a query that takes long goes on while its host answers', async (t) => {
  const { sql, direct, proxy } = await openBehindProxy(t, { lookMs: 10, quietMs: 10, answerMs: patienceMs })
  const holder = await direct.pool.connect()
  await holder.query('SELECT pg_advisory_lock(1)')
  const waiting = await sql.pool.connect()
  await waiting.query('SET lock_timeout = 0')
  const long = waiting.query<{ found: number }>('SELECT pg_advisory_lock(1), 7 AS found')
  // One connection for the query, the others ask the host.
  await until(() => proxy.connections() > 3)
  await holder.query('SELECT pg_advisory_unlock(1)')
  holder.release()
  assert.equal((await long).rows[0]?.found, 7)
  waiting.release()
  const sessions = 'SELECT count(*)::integer AS count FROM pg_stat_activity WHERE datname = current_database()'
  // At most one of each pool, which may have closed it: what asked the host is gone.
  await until(async () => Number((await direct.pool.query<{ count: number }>(sessions)).rows[0]?.count) <= 2)
})

test('a query whose connection alone was lost fails, and the next one has another connection', async (t) => {
  const { sql, proxy } = await openBehindProxy(t, { lookMs: 10, quietMs: 50, answerMs: patienceMs })
  const before = await sql.read(processId)
  proxy.forgetConnections()
  await assert.rejects(sql.write(processId), { code: 'database_unavailable', message: /the connection broke/ })
  const after = await sql.read(processId)
  assert.notEqual(after?.['pid'], before?.['pid'])
})

test('a long query goes on while another connection was lost', async (t) => {
  const { sql, direct, proxy } = await openBehindProxy(t, { lookMs: 10, quietMs: 50, answerMs: patienceMs })
  const holder = await direct.pool.connect()
  await holder.query('SELECT pg_advisory_lock(1)')
  const lost = await sql.pool.connect()
  proxy.forgetConnections()
  const waiting = await sql.pool.connect()
  await waiting.query('SET lock_timeout = 0')
  const long = waiting.query<{ found: number }>('SELECT pg_advisory_lock(1), 7 AS found')
  const before = proxy.connections()
  await until(() => proxy.connections() > before + 1)
  // The host is asked about both now.
  await assert.rejects(lost.query('SELECT 1'), { message: 'the connection was lost on its way' })
  lost.release()
  await holder.query('SELECT pg_advisory_unlock(1)')
  holder.release()
  assert.equal((await long).rows[0]?.found, 7)
  waiting.release()
})

test('a long statement that is still on its way over a slow line is not lost', async (t) => {
  const { sql, proxy } = await openBehindProxy(t, { lookMs: 10, quietMs: 50, answerMs: patienceMs })
  await sql.read(processId)
  proxy.forgetConnections()
  const before = proxy.connections()
  const length = sql.read(() => first('SELECT length(CAST(? AS text)) AS length', 'x'.repeat(100_000)))
  await Promise.race([until(() => proxy.connections() > before + 2), length])
  proxy.speak()
  assert.equal((await length)?.['length'], 100_000)
})
