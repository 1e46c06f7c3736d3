import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Lease } from '#core/lease.ts'
import type { Store } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import { silentLog } from '#lib/log.ts'
import { createClock } from '#lib/clock.ts'
import { startHeartbeat } from '#turns/lease.ts'
import { lease, turnOf } from '../store/harness.ts'
import { openTestStore } from '../agent/bench.ts'
import { openHouse, turnOver } from './house.ts'

const beatMs = 3_000
const lookMs = 1_000

type Over = { readonly beat?: () => Promise<boolean>; readonly ping?: () => Promise<void> }

/** A heartbeat over a real store and runner, with a clock that the test moves. */
function keep(t: TestContext, { beat = () => Promise.resolve(true), ping = () => Promise.resolve() }: Over = {}) {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] })
  const store = openTestStore(t)
  const house = openHouse(t, { store })
  const leases: Store['leases'] = {
    ...store.leases,
    join: (owner): Promise<Lease> => Promise.resolve({ owner, epoch: 2 }),
    beat,
    leave: () => Promise.resolve(),
    alive: () => Promise.resolve(1),
  }
  const clock = createClock({ log: silentLog })
  const heartbeat = startHeartbeat({
    store: { ...store, leases, ping },
    runner: house.runner,
    lease,
    clock,
    log: silentLog,
  })
  t.after(() => heartbeat.stop())
  const pass = async (ms: number): Promise<void> => {
    t.mock.timers.tick(ms)
    await turnOver(20)
  }
  return { ...house, heartbeat, pass }
}

async function statusOf({ turns }: Store, { userId, id }: Turn): Promise<string | undefined> {
  return (await turns.get(userId, id))?.status
}

test('a turn that is marked as ours and runs nowhere goes back into the queue at the second beat', async (t) => {
  const { store, runner, pass } = keep(t)
  // As after a commit that was not heard of: stored as running, and never taken.
  const { turn } = await store.turns.start(turnOf())
  await pass(beatMs)
  assert.equal(await statusOf(store, turn), 'running')
  assert.equal(runner.has(turn.id), false)
  await pass(beatMs)
  await turnOver(50)
  assert.equal(await statusOf(store, turn), 'completed')
})

test('a lease that has run out is replaced, and turns run under the new one', async (t) => {
  let alive = true
  const { runner, pass } = keep(t, { beat: () => Promise.resolve(alive) })
  await pass(beatMs)
  assert.equal(runner.room(0)?.epoch, 1)
  alive = false
  await pass(beatMs)
  assert.equal(runner.room(0)?.epoch, 2)
})

test('a database that does not answer is away, and is not asked twice at once', async (t) => {
  let asked = 0
  let answer: () => void = () => {}
  const ping = (): Promise<void> => {
    asked++
    return new Promise((resolve) => {
      answer = resolve
    })
  }
  const { heartbeat, pass } = keep(t, { ping })
  await pass(lookMs)
  assert.deepEqual([asked, heartbeat.away()], [1, false])
  await pass(lookMs)
  await pass(lookMs)
  assert.deepEqual([asked, heartbeat.away()], [1, true])
  answer()
  await turnOver()
  assert.equal(heartbeat.away(), false)
})

test('a database that refuses is away at once', async (t) => {
  let there = true
  const ping = (): Promise<void> => (there ? Promise.resolve() : Promise.reject(new Error('refused')))
  const { heartbeat, pass } = keep(t, { ping })
  await pass(lookMs)
  assert.equal(heartbeat.away(), false)
  there = false
  await pass(lookMs)
  assert.equal(heartbeat.away(), true)
})
