// Handing turns over: a lease that ran out, a process that is gone, a claim that is under way while the service goes down.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { AppError } from '#core/errors.ts'
import type { Lease } from '#core/lease.ts'
import type { StartedTurn } from '#core/turn-store.ts'
import type { Store } from '#core/store.ts'
import { silentLog } from '#lib/log.ts'
import { createClock } from '#lib/clock.ts'
import { startHeartbeat } from '#turns/lease.ts'
import { openTestStore } from '../agent/bench.ts'
import { tool } from '../agent/tools.ts'
import { ada, lease, other, turnOf } from '../store/harness.ts'
import { eventsOf, createHeldReply, type House, message, openHouse, restOf, turnOver, until } from './house.ts'

const beatMs = 3_000
/** A heartbeat with a clock that the test moves, over leases that note what becomes of them. */
function keep(t: TestContext, { store, runner }: House, alive: () => boolean) {
  const left: Lease[] = []
  const leases: Store['leases'] = {
    ...store.leases,
    join: (owner) => Promise.resolve({ owner, epoch: 2 }),
    beat: () => Promise.resolve(alive()),
    leave: (held) => Promise.resolve(void left.push(held)),
    alive: () => Promise.resolve(1),
  }
  t.mock.timers.enable({ apis: ['setInterval'] })
  const heartbeat = startHeartbeat({
    store: { ...store, leases },
    runner,
    lease,
    clock: createClock({ log: silentLog }),
    log: silentLog,
  })
  t.after(() => heartbeat.stop())
  return { heartbeat, left, beat: () => t.mock.timers.tick(beatMs) }
}

test('a process whose lease has run out stops what it runs, for another may run it by now', async (t) => {
  const { script, told } = createHeldReply()
  const house = openHouse(t, { reply: () => script })
  let alive = true
  const { beat } = keep(t, house, () => alive)
  const { turn, events } = await house.turns.start(message('hi'))
  await told
  alive = false
  // Another process has taken it over: nothing of what happens here may be stored.
  await house.store.turns.recover(other)
  await house.store.turns.claim(other, 1)
  beat()
  await until(() => house.runner.running === 0)
  events.close()
  assert.equal((await house.turns.get(ada, turn.id))?.status, 'running', 'it is left to the other')
  assert.equal(house.runner.room(0)?.epoch, 2)
})

// The monotonic clock stands while a machine sleeps.
for (const [why, clock] of [
  ['a process was frozen', performance],
  ['a machine slept', Date],
] as const) {
  test(`${why} behind the record of an attempt: the tool that another process has given up does not run`, async (t) => {
    const frozenMs = 20_000
    let ran = 0
    const pay = tool('pay', { repeatable: false }, () => {
      ran++
      return Promise.resolve('paid')
    })
    const now = clock.now.bind(clock)
    const house = openHouse(t, {
      tools: [pay],
      reply: () => [{ name: 'pay' }],
      runnerStore: (store) => ({
        turns: {
          ...store.turns,
          async record(turn, held, step) {
            const recorded = await store.turns.record(turn, held, step)
            if (step.drafts.some(({ item }) => item.type === 'attempt')) {
              await store.turns.recover(other)
              t.mock.method(clock, 'now', () => now() + frozenMs)
            }
            return recorded
          },
        },
      }),
    })
    const { turn, events } = await house.turns.start(message('hi'))
    await until(() => house.runner.running === 0)
    events.close()
    assert.equal(ran, 0)
    assert.equal((await house.turns.get(ada, turn.id))?.status, 'queued', 'it is left to the other')
  })
}

test('a process that was frozen behind the end of a turn tells that end once', async (t) => {
  const now = performance.now.bind(performance)
  const told: string[] = []
  const house = openHouse(t, {
    bus: (bus) => ({
      ...bus,
      publish(threadId, events) {
        told.push(...events.flatMap((event) => (event.type === 'turn' ? [event.turn.status] : [])))
        bus.publish(threadId, events)
      },
    }),
    runnerStore: (store) => ({
      turns: {
        ...store.turns,
        async record(turn, held, step) {
          const recorded = await store.turns.record(turn, held, step)
          if (step.outcome) t.mock.method(performance, 'now', () => now() + 20_000)
          return recorded
        },
      },
    }),
  })
  const { events } = await house.turns.start(message('hi'))
  assert.equal(restOf(await eventsOf(events)), 'completed')
  await until(() => house.runner.running === 0)
  assert.deepEqual(
    told.filter((status) => status === 'completed'),
    ['completed'],
  )
})

test('a turn that is taken again while its release is under way still runs here', async (t) => {
  const { script, told, letGo } = createHeldReply()
  let opened = 0
  const house: House = openHouse(t, {
    reply: () => script,
    identity: () =>
      opened++ === 0 ? Promise.reject(new AppError('database_unavailable', 'away')) : Promise.resolve([]),
    runnerStore: (store) => ({
      turns: {
        ...store.turns,
        async release(turn, held) {
          await store.turns.release(turn, held)
          const [again] = (await store.turns.claim(held, 1)).started
          if (again) house.runner.take(again, held)
        },
      },
    }),
  })
  const { turn, events } = await house.turns.start(message('hi'))
  await told
  assert.equal(house.runner.has(turn.id), true)
  letGo()
  await until(() => house.runner.running === 0)
  events.close()
})

test('a turn whose thread another process has erased ends for those who follow it', async (t) => {
  const { script, told, letGo } = createHeldReply()
  const house = openHouse(t, { reply: () => script })
  const { turn, events } = await house.turns.start(message('hi'))
  await told
  await house.store.threads.remove(ada, turn.threadId)
  letGo()
  assert.equal(restOf(await eventsOf(events)), 'cancelled')
})

test('a beat takes up what a process that is gone has left', async (t) => {
  const house = openHouse(t)
  const { beat } = keep(t, house, () => true)
  const { turn } = await house.store.turns.start(turnOf({ lease: other }))
  beat()
  await until(async () => (await house.turns.get(ada, turn.id))?.status === 'completed')
})

test('a process that stops gives its lease back', async (t) => {
  const { heartbeat, left } = keep(t, openHouse(t), () => true)
  await heartbeat.stop()
  assert.deepEqual(left, [lease])
})

test('what a claim brings while the service goes down is put back before it is over', async (t) => {
  const store = openTestStore(t)
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
  const { promise: free, resolve: letGo } = Promise.withResolvers<void>()
  const house = openHouse(t, {
    store,
    reply: () => createHeldReply().script,
    runnerStore: (real) => ({
      turns: {
        ...real.turns,
        async claim(held, limit) {
          const claimed: { started: StartedTurn[]; more: boolean } = await real.turns.claim(held, limit)
          ask()
          await free
          return claimed
        },
      },
    }),
  })
  const { turn } = await store.turns.start(turnOf())
  await store.turns.release(turn, lease)
  house.runner.wake()
  await asked
  const drained = house.runner.drain(0)
  await turnOver()
  letGo()
  await drained
  assert.equal((await house.turns.get(ada, turn.id))?.status, 'queued')
})

test('a turn that fails inside the service leaves no call open', async (t) => {
  const real = openTestStore(t)
  const store: Store = {
    ...real,
    turns: {
      ...real.turns,
      record: (turn, by, step) =>
        step.drafts.some(({ item }) => item.type === 'attempt')
          ? Promise.reject(new RangeError('too deep'))
          : real.turns.record(turn, by, step),
    },
  }
  const { turns } = openHouse(t, {
    store,
    reply: (text) => (text === 'hi' ? [{ name: 'read' }, { name: 'read' }] : ['ok']),
  })
  const { turn, events } = await turns.start(message('hi'))
  assert.equal(restOf(await eventsOf(events)), 'failed')
  const types = (await turns.entries(ada, turn)).map(({ item }) => item.type)
  assert.deepEqual(types, ['message', 'call', 'call', 'result', 'result'])
  const next = await turns.start(message('on', { threadId: turn.threadId }))
  assert.equal(restOf(await eventsOf(next.events)), 'completed')
})
