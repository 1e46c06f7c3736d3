// Claims of queued turns: one look at a time, only with room, and never a turn that is overlooked.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StartedTurn } from '#core/turn-store.ts'
import type { Store } from '#core/store.ts'
import { silentLog } from '#lib/log.ts'
import { createClaims } from '#turns/claim.ts'
import { lease } from '../store/harness.ts'
import { turnOver, until } from './house.ts'

/** A queue of so many turns, and room for some of them. */
function queueOf({ queued, room = 10 }: { queued: number; room?: number }) {
  const state = { queued, room, taken: 0, looks: [] as number[], failing: false }
  let under = 0
  const claim: Store['turns']['claim'] = async (by, atMost) => {
    assert.equal(++under, 1, 'one look at a time')
    assert.deepEqual(by, lease)
    state.looks.push(atMost)
    await turnOver(2)
    under--
    if (state.failing) throw new Error('the database is away')
    const taken = Math.min(atMost, state.queued)
    state.queued -= taken
    return { started: Array.from({ length: taken }, () => ({}) as StartedTurn), more: state.queued > 0 }
  }
  const claims = createClaims({
    store: { turns: { claim } as Store['turns'] },
    room: () => (state.room > 0 ? { lease, turns: state.room } : undefined),
    take: () => {
      state.taken++
      state.room--
    },
    log: silentLog,
  })
  return { state, claims }
}

test('a wake takes what is queued, as far as there is room', async () => {
  const { state, claims } = queueOf({ queued: 5, room: 3 })
  claims.wake()
  await until(() => state.taken === 3)
  await turnOver()
  assert.deepEqual([state.queued, state.looks], [2, [3]])
  state.room = 1
  claims.freed()
  await until(() => state.taken === 4)
  await claims.stop()
})

test('one claim takes at most 64 turns, and goes on while there are more', async () => {
  const { state, claims } = queueOf({ queued: 150, room: 200 })
  claims.wake()
  await until(() => state.taken === 150)
  assert.deepEqual(state.looks.slice(0, 3), [64, 64, 64])
  await claims.stop()
})

test('other work goes on between the turns of one claim', async () => {
  const started = Array.from({ length: 20 }, () => ({}) as StartedTurn)
  const order: string[] = []
  const claim: Store['turns']['claim'] = () => Promise.resolve({ started, more: false })
  const claims = createClaims({
    store: { turns: { claim } as Store['turns'] },
    room: () => ({ lease, turns: started.length }),
    take() {
      if (order.length === 0) setImmediate(() => order.push('other work'))
      order.push('turn')
      // As long as the beginning of a turn takes.
      for (const end = performance.now() + 2; performance.now() < end; );
    },
    log: silentLog,
  })
  claims.wake()
  await until(() => order.length === 21)
  assert.notEqual(order.at(-1), 'other work')
  await claims.stop()
})

test('turns that no claim can start are looked for once, and again when a turn has ended', async () => {
  let looks = 0
  const claim: Store['turns']['claim'] = async () => {
    looks++
    // A turn ended during the second look, which may have seen it running.
    if (looks === 2) claims.freed()
    await turnOver(1)
    return { started: [], more: true }
  }
  const claims = createClaims({
    store: { turns: { claim } as Store['turns'] },
    room: () => ({ lease, turns: 1 }),
    take: () => assert.fail('nothing can start'),
    log: silentLog,
  })
  claims.wake()
  await turnOver(20)
  assert.equal(looks, 1)
  claims.freed()
  await turnOver(20)
  assert.equal(looks, 3)
  await claims.stop()
})

test('a wake during a look makes another look; without one there is none', async () => {
  const { state, claims } = queueOf({ queued: 0 })
  claims.wake()
  claims.wake()
  await until(() => state.looks.length === 2)
  await turnOver(10)
  assert.equal(state.looks.length, 2)
  claims.freed()
  await turnOver(10)
  assert.equal(state.looks.length, 2, 'nothing is expected')
  claims.expect()
  await turnOver(10)
  assert.equal(state.looks.length, 2, 'not before a turn ends')
  claims.freed()
  await until(() => state.looks.length === 3)
  await claims.stop()
})

test('a turn that ends during a look makes another look, if something is still queued', async () => {
  const looks: ((more: boolean) => void)[] = []
  const claim = () =>
    new Promise<{ started: StartedTurn[]; more: boolean }>((resolve) => {
      looks.push((more) => resolve({ started: [], more }))
    })
  const claims = createClaims({
    store: { turns: { claim } as Partial<Store['turns']> as Store['turns'] },
    room: () => ({ lease, turns: 1 }),
    take: () => {},
    log: silentLog,
  })
  claims.wake()
  await until(() => looks.length === 1)
  claims.freed()
  looks[0]?.(true)
  await until(() => looks.length === 2)
  claims.freed()
  looks[1]?.(false)
  await turnOver(10)
  assert.equal(looks.length, 2)
  await claims.stop()
})

test('without room nobody looks, and the wake is not forgotten', async () => {
  const { state, claims } = queueOf({ queued: 1, room: 0 })
  claims.wake()
  await turnOver(10)
  assert.deepEqual(state.looks, [])
  state.room = 1
  claims.freed()
  await until(() => state.taken === 1)
  await claims.stop()
})

test('a claim that fails is tried again a second later, or when a turn ends', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { state, claims } = queueOf({ queued: 1 })
  state.failing = true
  claims.wake()
  await until(() => state.looks.length === 1)
  await turnOver(10)
  assert.equal(state.looks.length, 1)
  t.mock.timers.tick(1_000)
  await until(() => state.looks.length === 2)
  await turnOver(10)
  state.failing = false
  claims.freed()
  await until(() => state.taken === 1)
  await claims.stop()
})

test('a stop waits for the look under way and makes no other', async () => {
  const { state, claims } = queueOf({ queued: 1 })
  claims.wake()
  await until(() => state.looks.length === 1)
  await claims.stop()
  assert.equal(state.taken, 1, 'what it brought was handed over')
  claims.wake()
  await turnOver(10)
  assert.equal(state.looks.length, 1)
})
