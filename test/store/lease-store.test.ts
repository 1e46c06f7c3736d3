// Leases of processes over one PostgreSQL.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeal } from '#lib/seal.ts'
import { databaseClock } from '#store/lease-store.ts'
import { openPostgresStore } from '#store/open-store.ts'
import { usePostgres } from '../postgres.ts'
import { turnOf } from './harness.ts'

const seal = createSeal('0'.repeat(64))

const server = usePostgres()

test('a process that beats no more is gone after 12 seconds of the database, and not before', async (t) => {
  const { store, sql } = await openPostgresStore({ url: (await server.emptied()).url, seal })
  t.after(() => store.close())
  const [one, two] = [await store.leases.join('one'), await store.leases.join('two')]
  await store.turns.start(turnOf({ lease: one }))
  const silent = (ms: number) =>
    sql.pool.query(`UPDATE processes SET seen_at = ${databaseClock} - ${ms} WHERE owner = 'one'`)
  assert.equal(await store.leases.takeDuty('vectors', 'one', 3_600_000), true)
  await silent(4_000)
  assert.equal(await store.turns.recover(two), 0)
  assert.deepEqual([await store.leases.alive(), await store.leases.takeDuty('vectors', 'two', 1_000)], [2, false])
  await silent(12_001)
  assert.equal(await store.leases.beat(one), false, 'a beat that comes too late')
  assert.deepEqual([await store.leases.alive(), await store.leases.takeDuty('vectors', 'two', 1_000)], [1, true])
  assert.equal(await store.turns.recover(two), 1)
})

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

test('a clock of the database that is set back takes no lease, and none is kept beyond its time', async (t) => {
  const { store, sql } = await openPostgresStore({ url: (await server.emptied()).url, seal })
  t.after(() => store.close())
  const [one, two] = [await store.leases.join('one'), await store.leases.join('two')]
  await store.turns.start(turnOf({ lease: one }))
  /** What the clock of the database has moved by, as the rows see it. */
  const pass = (ms: number) => sql.pool.query(`UPDATE processes SET seen_at = seen_at - ${ms}`)
  await pass(-3_600_000)
  assert.equal(await store.leases.beat(two), true)
  assert.deepEqual([await store.turns.recover(two), await store.leases.alive()], [0, 2])
  await pass(6_000)
  assert.equal(await store.leases.beat(two), true)
  assert.equal(await store.turns.recover(two), 0)
  await pass(6_001)
  assert.equal(await store.leases.beat(two), true)
  assert.equal(await store.turns.recover(two), 1, 'the other process is gone')
  assert.equal(await store.leases.alive(), 1)
})
