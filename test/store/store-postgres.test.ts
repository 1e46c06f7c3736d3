// The store's promises on PostgreSQL.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createSeal } from '#lib/seal.ts'
import { createTopic, readNews } from '#store/bus-topic.ts'
import { migratePostgres } from '#store/migrate-postgres.ts'
import { composeStore } from '#store/open-store.ts'
import { openPostgres } from '#store/postgres.ts'
import { checkPostgres } from '#store/schema-check.ts'
import { usePostgres } from '../postgres.ts'
import { patienceMs } from '../until.ts'
import { fillPostgres } from './fill.ts'
import { maxForkBytes } from './harness.ts'
import { faultsOfPostgres, noting, told } from './plans.ts'
import { storeTests } from './suite.ts'

const server = usePostgres()
const seen = new Set<string>()

async function open(_: TestContext, over?: { maxUserBytes: number }) {
  const clock = { now: Date.now() }
  const { sql } = await server.emptied()
  const store = composeStore(noting(sql, seen), {
    seal: createSeal('0'.repeat(64)),
    now: () => clock.now,
    check: () => checkPostgres(sql.pool),
    prepareVectors: () => Promise.resolve(undefined),
    maxForkBytes,
    ...over,
  })
  return { store, clock }
}

storeTests('PostgreSQL', open)

test('no statement of all these looks through or sorts a table that grows', async (t) => {
  // A database of its own: rows that were deleted leave large indexes, which the planner avoids.
  const sql = openPostgres(await server.prepared(), { connectMs: patienceMs })
  t.after(() => sql.close())
  await migratePostgres(sql.pool)
  await fillPostgres(sql.pool)
  await noting(sql, seen).read(() => readNews('', createTopic(0), ['']))
  assert.ok(seen.size > 60, `${seen.size} statements were seen`)
  const faults: string[] = []
  for (const text of seen) faults.push(...told(text, await faultsOfPostgres(sql.pool, text)))
  assert.deepEqual(faults, [])
})
