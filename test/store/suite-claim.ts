// Claiming queued turns, and taking back what a process left.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId, userId } from '#core/ids.ts'
import type { Open } from './harness.ts'
import {
  ada,
  bob,
  decide,
  finish,
  itemsOf,
  lease,
  other,
  queuedTurn,
  rejectsWith,
  reply,
  say,
  step,
  threadAtGate,
  turnAtApproval,
  turnOf,
} from './harness.ts'

export function claimTests(open: Open): void {
  test('the oldest message of a thread is claimed first, one at a time, its input appended then', async (t) => {
    const { store, clock } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    const { threadId } = turn
    const second = await store.turns.start(turnOf({ threadId, input: [say('second')] }))
    const third = await store.turns.start(turnOf({ threadId, input: [say('third')] }))
    assert.deepEqual(await store.turns.claim(other, 9), { started: [], more: true }, 'not while one runs')
    await finish(store, turn)
    assert.equal((await itemsOf(store, turn)).length, 2, 'a queued message is not in the log')
    clock.now += 5
    const { started, more } = await store.turns.claim(other, 9)
    assert.deepEqual([started.length, more], [1, true])
    assert.deepEqual(
      [started[0]?.turn.id, started[0]?.turn.status, started[0]?.turn.firstSeq, started[0]?.turn.startedAt],
      [second.turn.id, 'running', 3, clock.now],
    )
    assert.deepEqual(started[0]?.entries[0]?.item, say('second').item)
    assert.deepEqual(await store.turns.get(ada, second.turn.id), started[0]?.turn)
    assert.deepEqual((await store.turns.claim(other, 9)).started, [])
    await finish(store, second.turn, other)
    const last = await store.turns.claim(other, 9)
    assert.deepEqual([last.started[0]?.turn.id, last.more], [third.turn.id, false])
  })

  test('a turn that had begun goes before older ones that had not', async (t) => {
    const { store } = await open(t)
    const { threadId, ...begun } = await threadAtGate(store)
    const waiting = await store.turns.start(turnOf({ threadId }))
    const resume = { resumes: 'c1', input: [say('out')] }
    const resumed = await store.turns.start(queuedTurn({ ...resume, threadId }))
    assert.ok(begun.id < waiting.turn.id && waiting.turn.id < resumed.turn.id)
    assert.deepEqual(
      (await store.turns.claim(lease, 9)).started.map(({ turn }) => turn.id),
      [resumed.turn.id],
    )
  })

  test('nothing is claimed while the thread waits for an approval', async (t) => {
    const { store } = await open(t)
    const turn = await turnAtApproval(store)
    await store.turns.start(turnOf({ threadId: turn.threadId }))
    assert.deepEqual(await store.turns.claim(lease, 9), { started: [], more: true })
    await store.turns.answer(ada, turn.threadId, decide('a1'))
    assert.deepEqual(
      (await store.turns.claim(lease, 9)).started.map(({ turn }) => turn.id),
      [turn.id],
    )
  })

  test('nothing is claimed while the thread waits for its caller, and it is once that is over', async (t) => {
    const { store } = await open(t)
    const turn = await threadAtGate(store)
    const queued = await store.turns.start(turnOf({ threadId: turn.threadId }))
    assert.deepEqual(await store.turns.claim(lease, 9), { started: [], more: true })
    await store.turns.cancel(ada, turn.id)
    assert.deepEqual(
      (await store.turns.claim(lease, 9)).started.map(({ turn }) => turn.id),
      [queued.turn.id],
    )
  })

  test('a user with a hundred queued turns does not starve another', async (t) => {
    const { store } = await open(t)
    await Promise.all(Array.from({ length: 100 }, () => store.turns.start(queuedTurn())))
    await store.turns.start(queuedTurn({ user: bob }))
    const { started, more } = await store.turns.claim(lease, 4)
    assert.deepEqual(started.map(({ turn }) => turn.userId).toSorted(), ['ada', 'ada', 'ada', 'bob'])
    assert.equal(more, true)
  })

  test('with one place at a time, a user with many queued turns delays another by one', async (t) => {
    const { store } = await open(t)
    for (const user of [ada, ada, ada, bob, bob]) await store.turns.start(queuedTurn({ user }))
    const order: string[] = []
    for (let at = 0; at < 5; at++) {
      const [claimed] = (await store.turns.claim(lease, 1)).started
      assert.ok(claimed)
      order.push(claimed.turn.userId)
      await finish(store, claimed.turn)
    }
    assert.deepEqual(order, ['ada', 'bob', 'ada', 'bob', 'ada'])
  })

  test('a started message counts as the last turn of its user; one that fails to start, or is replayed, does not', async (t) => {
    const { store } = await open(t)
    const idempotency = { key: 'k', bodyHash: 'h' }
    await finish(store, (await store.turns.start(turnOf({ idempotency }))).turn)
    await finish(store, (await store.turns.start(turnOf({ user: bob }))).turn)
    for (const user of [bob, ada]) await store.turns.start(queuedTurn({ user }))
    await rejectsWith(store.turns.start(turnOf({ threadId: newId() })), 'not_found')
    assert.equal((await store.turns.start(turnOf({ idempotency }))).replayed, true)
    assert.equal((await store.turns.claim(lease, 1)).started[0]?.turn.userId, ada)
  })

  test('what a user has running counts: the one with the least comes first', async (t) => {
    const { store } = await open(t)
    const cleo = userId('cleo')
    await Promise.all(Array.from({ length: 3 }, () => store.turns.start(turnOf())))
    await store.turns.start(turnOf({ user: bob }))
    for (const user of [ada, ada, bob, bob, cleo, cleo]) await store.turns.start(queuedTurn({ user }))
    const { started } = await store.turns.claim(lease, 4)
    assert.deepEqual(
      started.map(({ turn }) => turn.userId),
      ['cleo', 'bob', 'cleo', 'bob'],
    )
  })

  test('what cannot be taken yet keeps nobody from what can, their own or that of others', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    for (let at = 0; at < 5; at++) await store.turns.start(turnOf({ threadId: turn.threadId }))
    const own = await store.turns.start(queuedTurn())
    const others = [
      await store.turns.start(queuedTurn({ user: bob })),
      await store.turns.start(queuedTurn({ user: bob })),
    ]
    const { started, more } = await store.turns.claim(lease, 9)
    assert.deepEqual(
      started.map(({ turn: { id } }) => id).toSorted(),
      [own, ...others].map(({ turn: { id } }) => id).toSorted(),
    )
    assert.equal(more, true)
  })

  test('two claims at once never take the same turn', async (t) => {
    const { store } = await open(t)
    await Promise.all(Array.from({ length: 30 }, () => store.turns.start(queuedTurn())))
    const claims = await Promise.all([store.turns.claim(lease, 20), store.turns.claim(other, 20)])
    const ids = claims.flatMap(({ started }) => started.map(({ turn }) => turn.id))
    assert.deepEqual([ids.length, new Set(ids).size], [30, 30])
  })

  test('recovery takes back what others ran, leaves our own and what waits, and it goes on where it stood', async (t) => {
    const { store } = await open(t)
    const theirs = await store.turns.start(turnOf({ lease: other }))
    await store.turns.record(theirs.turn, other, step([reply('so far')]))
    const older = await store.turns.start(turnOf({ lease: { ...lease, epoch: 0 } }))
    const ours = await store.turns.start(turnOf())
    const waiting = await turnAtApproval(store)
    assert.equal(await store.turns.recover(lease), 2)
    assert.equal(await store.turns.recover(lease), 0)
    const status = async (id: string) => (await store.turns.get(ada, id))?.status
    assert.deepEqual(await Promise.all([ours.turn.id, waiting.id].map(status)), ['running', 'waiting'])
    const { started } = await store.turns.claim(lease, 9)
    assert.deepEqual(
      started.map(({ turn, entries }) => [turn.id, turn.firstSeq, entries]),
      [
        [theirs.turn.id, 1, []],
        [older.turn.id, 1, []],
      ],
    )
    assert.equal((await itemsOf(store, theirs.turn)).length, 2)
    await finish(store, theirs.turn)
  })

  test('a released turn keeps what it has spent and is claimed again', async (t) => {
    const { store, clock } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    const usage = { ...turn.usage, outputTokens: 7 }
    await store.turns.record(turn, lease, { drafts: [], usage })
    await store.turns.release(turn, lease)
    const updatedAt = clock.now++
    const [again] = (await store.turns.claim(other, 1)).started
    assert.equal((await store.threads.get(ada, turn.threadId))?.updatedAt, updatedAt, 'nothing was said')
    assert.deepEqual([again?.turn.id, again?.turn.usage, again?.turn.startedAt], [turn.id, usage, turn.startedAt])
    await rejectsWith(store.turns.record(turn, lease, step([])), 'lease_lost')
  })
}
