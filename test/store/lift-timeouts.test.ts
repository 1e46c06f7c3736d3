// No time limit of the server ends a long transaction, and none is lifted beyond it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { liftTimeouts } from '#store/lift-timeouts.ts'
import { openPostgres } from '#store/postgres.ts'
import { usePostgres } from '../postgres.ts'

const server = usePostgres()
const limited = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout']

test('every time limit is lifted for a transaction, also those that the administrator has set', async (t) => {
  const url = await server.database()
  const sql = openPostgres(url)
  t.after(() => sql.close())
  await sql.pool.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET transaction_timeout = '1h'`)
  // It counts for new connections.
  const client = await sql.pool.connect()
  client.release(true)
  const next = await sql.pool.connect()
  const limits = async () => {
    const { rows } = await next.query<{ setting: string }>(
      'SELECT setting FROM pg_settings WHERE name = ANY ($1) ORDER BY name',
      [limited],
    )
    return rows.map(({ setting }) => setting)
  }
  const before = await limits()
  await next.query('BEGIN')
  await liftTimeouts(next)
  assert.deepEqual(await limits(), ['0', '0', '0', '0'])
  await next.query('COMMIT')
  assert.deepEqual(await limits(), before)
  assert(!before.includes('0'))
  next.release()
})
