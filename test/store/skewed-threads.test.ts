// One thread that has much of a table, beside many short ones: the parts of it that are asked for are found by the index.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeal } from '#lib/seal.ts'
import { openPostgresStore } from '#store/open-store.ts'
import { openPostgres } from '#store/postgres.ts'
import { usePostgres } from '../postgres.ts'
import { until } from '../until.ts'
import { ada } from './harness.ts'

const server = usePostgres()
const long = '1'.padStart(36, '0')
const items = `INSERT INTO items (thread_id, seq, id, turn_id, at, body)
  SELECT lpad((%thread)::text, 36, '0'), %seq, lpad(g::text, 36, '0'), 't', 1, '{"type":"attempt","callId":"c"}'
  FROM generate_series(%from, %to) g`

function itemsOf(fields: Record<string, string>): string {
  return items.replaceAll(/%(\w+)/g, (_, name: string) => fields[name] ?? '')
}

const fill = [
  `INSERT INTO threads (id, user_id, door, title, created_at, updated_at, last_seq, last_turn)
   VALUES ('${long}', 'ada', 'web', '', 1, 1, 40000, 't')`,
  itemsOf({ thread: '2 + g / 5', seq: '1 + g % 5', from: '0', to: '29999' }),
  itemsOf({ thread: '1', seq: 'g', from: '1', to: '40000' }),
  'ANALYZE',
]

test('the beginning of a long thread, and an item of it, are read without the rows of all others', async (t) => {
  const url = await server.database()
  const { store } = await openPostgresStore({ url, seal: createSeal('0'.repeat(64)) })
  const watching = openPostgres(url)
  const { pool } = watching
  t.after(() => watching.close())
  for (const text of fill) await pool.query(text)
  const scans = async () => {
    const { rows } = await pool.query<{ n: string }>(
      `SELECT seq_tup_read AS n FROM pg_stat_user_tables WHERE relname = 'items'`,
    )
    return Number(rows[0]?.n)
  }
  // The server counts what a connection has read when that ends.
  const others = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
  const before = await scans()
  const { entries } = await store.threads.entries(ada, long, { after: 0, limit: 200 })
  const [item] = await store.threads.findItems(ada, [{ threadId: long, itemId: '7'.padStart(36, '0') }])
  assert.deepEqual([entries.length, item?.seq], [200, 7])
  await store.close()
  await until(async () => (await pool.query(others)).rows.length === 0)
  assert.equal(await scans(), before)
})
