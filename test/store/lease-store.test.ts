// Leases of processes over one PostgreSQL.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeal } from '#lib/seal.ts'
import { openPostgresStore } from '#store/open-store.ts'
import { usePostgres } from '../postgres.ts'
import { turnOf } from './harness.ts'

const seal = createSeal('0'.repeat(64))

const server = usePostgres()

test('what a process ran is free once it has left, and not while it beats', async (t) => {
  const { store } = await openPostgresStore({ url: (await server.emptied()).url, seal })
  t.after(() => store.close())
  const [one, two] = [await store.leases.join('one'), await store.leases.join('two')]
  const { turn } = await store.turns.start(turnOf({ lease: one }))
  assert.equal(await store.leases.beat(one), true)
  assert.equal(await store.turns.recover(two), 0)
  await store.leases.leave(one)
  assert.equal(await store.leases.beat(one), false)
  assert.equal(await store.turns.recover(two), 1)
  assert.equal((await store.turns.get(turn.userId, turn.id))?.status, 'queued')
  const again = await store.leases.join('two')
  assert.deepEqual([again.epoch, await store.leases.beat(two)], [two.epoch + 1, false], 'an earlier lease is over')
})
