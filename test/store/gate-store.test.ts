// What is left of a turn that is ended from outside.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { query } from '#store/sql.ts'
import { createTurnStore } from '#store/turn-store.ts'
import { ada, lease, turnOf } from './harness.ts'
import { openMemorySqlite } from './memory-store.ts'

test('a running turn that is ended from outside holds no money any more', async (t) => {
  const sql = openMemorySqlite()
  t.after(() => sql.close())
  const turns = createTurnStore({ sql, now: () => 1 })
  const { turn } = await turns.start(turnOf())
  await turns.reserve(turn, lease, { usd: 1, cap: 2 })
  const held = async (): Promise<unknown> =>
    (await sql.read(() => query('SELECT reserved_usd FROM turns WHERE id = ?', turn.id)))[0]?.['reserved_usd']
  assert.equal(await held(), 1)
  await turns.end(ada, turn.id, { code: 'time_limit', message: 'it took too long' })
  assert.equal(await held(), null)
})
