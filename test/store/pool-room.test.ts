// A server that has room for fewer connections than a pool may have.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPostgres } from '#store/postgres.ts'
import { first } from '#store/sql.ts'
import { usePostgres } from '../postgres.ts'
import { patienceMs, until } from '../until.ts'

const server = usePostgres()
const sum = (at: number) => () => first('SELECT 1 + ?::int AS sum', at)

test('jobs wait for the connections that the server gives', async (t) => {
  const url = await server.database()
  const admin = openPostgres(url)
  const role = `few_${process.pid}`
  await admin.pool.query(`CREATE ROLE ${role} LOGIN PASSWORD 'few' CONNECTION LIMIT 2`)
  const few = new URL(url)
  few.username = role
  few.password = 'few'
  const [sql, late] = [few.href, few.href].map((given) => openPostgres(given, { connectMs: patienceMs }))
  assert(sql && late)
  t.after(async () => {
    await Promise.all([sql.close(), late.close()])
    await until(() =>
      admin.pool.query(`DROP ROLE ${role}`).then(
        () => true,
        () => false,
      ),
    )
    await admin.close()
  })
  await sql.read(sum(0))
  const sums = await Promise.all(
    Array.from({ length: 30 }, (_, at) => (at % 2 ? sql.read(sum(at)) : sql.write(sum(at)))),
  )
  assert.deepEqual(
    sums.map((row) => row?.['sum']),
    sums.map((_, at) => at + 1),
  )
  // It has none of its own.
  const held = [await sql.pool.connect(), await sql.pool.connect()]
  await assert.rejects(late.read(sum(0)), { code: 'database_unavailable', message: /no room for another connection/ })
  for (const client of held) client.release()
})
