// A pooler before PostgreSQL, such as PgBouncer: it refuses a connection that begins with parameters it does not keep track of.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { test, type TestContext } from 'node:test'
import { createSeal } from '#lib/seal.ts'
import { leaseMs } from '#store/lease-store.ts'
import { openPostgresStore } from '#store/open-store.ts'
import { openPostgres } from '#store/postgres.ts'
import { usePostgres } from '../postgres.ts'

const server = usePostgres()
const known = new Set(['user', 'database', 'application_name', 'client_encoding'])
const refusal = Buffer.from('E\0\0\0\x2eSFATAL\0C08P01\0Munsupported parameter\0\0', 'latin1')
refusal.writeInt32BE(refusal.length - 1, 1)

/** The names of the parameters in the first packet of a connection. */
function parametersOf(packet: string): string[] {
  return packet
    .slice(8)
    .split('\0')
    .filter((word, at) => at % 2 === 0 && word !== '')
}

async function openPooler(t: TestContext, port: number): Promise<number> {
  const pooler = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    near.on('error', () => far.destroy())
    far.on('error', () => near.destroy())
    near.once('data', (packet) => {
      if (!parametersOf(String(packet)).every((name) => known.has(name))) return near.end(refusal)
      far.write(packet)
      return near.pipe(far).pipe(near)
    })
  })
  pooler.listen(0, '127.0.0.1')
  await once(pooler, 'listening')
  t.after(() => void pooler.close())
  return (pooler.address() as AddressInfo).port
}

test('a pooler that refuses parameters at the start of a connection is used, with the usual time limits', async (t) => {
  const url = new URL(await server.database())
  url.port = String(await openPooler(t, Number(url.port)))
  const { store, sql } = await openPostgresStore({ url: url.href, seal: createSeal('0'.repeat(64)) })
  t.after(() => store.close())
  await store.settings.change(() => ({ llm_provider: 'offline' }))
  // The connection that migrated, and a new one.
  const clients = [await sql.pool.connect(), await sql.pool.connect()]
  for (const client of clients) {
    const { rows } = await client.query<{ setting: string }>(
      `SELECT setting FROM pg_settings
       WHERE name IN ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout') ORDER BY name`,
    )
    const [idle = 0, lock, statement] = rows.map(({ setting }) => Number(setting))
    assert.deepEqual([lock, statement], [3_000, 30_000])
    assert(idle > 0 && idle < leaseMs, 'others can take the turns of a process that is gone')
    client.release()
  }
})

test('a database whose transactions are serializable is used as any other', async (t) => {
  const url = await server.database()
  const admin = openPostgres(url)
  await admin.pool.query(
    `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_isolation = 'serializable'`,
  )
  await admin.close()
  const { store, sql } = await openPostgresStore({ url, seal: createSeal('0'.repeat(64)) })
  t.after(() => store.close())
  // The connection that migrated, and a new one.
  const shown = await Promise.all([1, 2].map(() => sql.pool.query('SHOW transaction_isolation')))
  for (const { rows } of shown) assert.deepEqual(rows, [{ transaction_isolation: 'read committed' }])
})
