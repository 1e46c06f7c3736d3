// The store's promises on SQLite.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { operator } from '#core/ids.ts'
import { createSeal } from '#lib/seal.ts'
import { createTopic, readNews } from '#store/bus-topic.ts'
import { checkSqlite } from '#store/schema-check.ts'
import { composeStore } from '#store/open-store.ts'
import { createTurnStore } from '#store/turn-store.ts'
import { ada, call, decide, finish, gate, lease, maxForkBytes, other, rejectsWith, step, turnOf } from './harness.ts'
import { openMemorySqlite } from './memory-store.ts'
import { faultsOfSqlite, noting, told } from './plans.ts'
import { storeTests } from './suite.ts'

const seen = new Set<string>()

function openPort() {
  const bare = openMemorySqlite()
  return { sql: noting(bare, seen), db: bare.db }
}

function open(t: TestContext, over?: { maxUserBytes: number }) {
  const clock = { now: Date.now() }
  const { sql } = openPort()
  const check = () => sql.read(checkSqlite)
  const store = composeStore(sql, {
    seal: createSeal('0'.repeat(64)),
    now: () => clock.now,
    check,
    prepareVectors: () => Promise.resolve(undefined),
    maxForkBytes,
    ...over,
  })
  t.after(() => store.close())
  return Promise.resolve({ store, clock })
}

storeTests('SQLite', open)

test('no statement of all these looks through or sorts a table that grows', async (t) => {
  const { sql, db } = openPort()
  t.after(() => sql.close())
  await sql.read(() => readNews('', createTopic(0), ['']))
  assert.ok(seen.size > 60, `${seen.size} statements were seen`)
  const faults = [...seen].flatMap((text) => told(text, faultsOfSqlite(db, text)))
  assert.deepEqual(faults, [])
})

test('a turn that an earlier version left waiting with an owner is queued by an answer', async (t) => {
  const { sql, db } = openPort()
  const turns = createTurnStore({ sql, now: Date.now })
  t.after(() => sql.close())
  const { turn } = await turns.start(turnOf())
  const drafts = [call('a1'), gate('a1', 'approval')]
  await turns.record(turn, lease, step(drafts, { status: 'waiting' }))
  db.prepare('UPDATE turns SET owner = ?, epoch = ? WHERE id = ?').run(lease.owner, lease.epoch, turn.id)
  assert.equal((await turns.answer(ada, turn.threadId, decide('a1'))).turn.status, 'queued')
  assert.equal((await turns.claim(other, 1)).started[0]?.turn.id, turn.id)
})

test('retries that failed before any step do not use up the limit of variants', async (t) => {
  const { store } = await open(t)
  const { turn } = await store.turns.start(turnOf())
  const forks = { threadId: turn.threadId, beforeSeq: 1, variant: true } as const
  const error = { code: 'model_unreachable', message: 'no' } as const
  for (let at = 0; at < 101; at++) {
    const retried = await store.turns.start(turnOf({ forks }))
    await store.turns.record(retried.turn, lease, step([], { status: 'failed', error }))
  }
  assert.ok(await store.turns.start(turnOf({ forks })))
})

test('a claim finds what it may take in an index alone', (t) => {
  const { sql, db } = openPort()
  t.after(() => sql.close())
  const claim = [...seen].find((text) => text.includes('json_each(?) u')) ?? ''
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${claim}`).all() as { detail: string }[]
  assert.ok(plan.some(({ detail }) => detail === 'SEARCH q USING COVERING INDEX turns_queued_by_user (user_id=?)'))
})

test('waiting turns are listed in the order of an index, and counted in it alone', async (t) => {
  const asked = new Set<string>()
  const bare = openMemorySqlite()
  const turns = createTurnStore({ sql: noting(bare, asked), now: Date.now })
  t.after(() => bare.close())
  for (const user of [ada, operator]) {
    await turns.list(user, { status: 'waiting', limit: 1 })
    await turns.countAll(user, { status: 'waiting' })
    assert.equal((await turns.count(user)).waiting, 0)
  }
  const scans = [...asked].flatMap((text) => {
    const plan = bare.db.prepare(`EXPLAIN QUERY PLAN ${text}`).all() as { detail: string }[]
    return plan.flatMap(({ detail }) => /ORDER BY|INDEX turns_waiting\S*/.exec(detail)?.[0] ?? [])
  })
  const [ofUser, ofReach] = ['INDEX turns_waiting_by_user', 'INDEX turns_waiting_by_reach']
  assert.deepEqual(scans, [ofUser, ofUser, ofUser, ofReach, ofReach])
})

test('a fork has at most 20,000 entries', async (t) => {
  const { sql, db } = openPort()
  const store = composeStore(sql, {
    seal: createSeal('0'.repeat(64)),
    now: Date.now,
    check: () => Promise.resolve([]),
    prepareVectors: () => Promise.resolve(undefined),
    maxForkBytes: 1024 * 1024 * 1024,
  })
  t.after(() => store.close())
  const { turn } = await store.turns.start(turnOf())
  await finish(store, turn)
  db.exec(`INSERT INTO items (thread_id, seq, id, turn_id, at, body)
    WITH RECURSIVE more (seq) AS (SELECT 3 UNION ALL SELECT seq + 1 FROM more WHERE seq < 20002)
    SELECT thread_id, more.seq, 'i' || more.seq, turn_id, at, body FROM items, more WHERE items.seq = 1`)
  await rejectsWith(store.threads.fork(ada, turn.threadId, { beforeSeq: 20_002, door: 'web' }), 'too_large')
  const fork = await store.threads.fork(ada, turn.threadId, { beforeSeq: 20_001, door: 'web' })
  assert.equal(fork?.lastSeq, 20_000)
})
