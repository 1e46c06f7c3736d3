// Cancelling and ending turns: what becomes of their calls, their gates and their thread.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { digestOf } from '#core/digest.ts'
import type { Item } from '#core/item.ts'
import {
  ada,
  bob,
  call,
  decide,
  finish,
  gate,
  itemsOf,
  lease,
  type Open,
  output,
  queuedTurn,
  rejectsWith,
  step,
  threadAtGate,
  turnAtApproval,
  turnOf,
} from './harness.ts'

function resultsOf(items: readonly Item[]): string[] {
  return items.flatMap((item) => (item.type === 'result' ? [`${item.callId}${item.error ? ' failed' : ''}`] : []))
}

export function cancelTests(open: Open): void {
  test('cancelling a queued turn ends it, and its message never reaches the log', async (t) => {
    const { store, clock } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    const queued = await store.turns.start(turnOf({ threadId: turn.threadId }))
    const { turn: cancelled, entries } = await store.turns.cancel(ada, queued.turn.id)
    assert.deepEqual([cancelled.status, cancelled.endedAt, entries], ['cancelled', clock.now, []])
    await finish(store, turn)
    assert.deepEqual(await store.turns.claim(lease, 9), { started: [], more: false })
    assert.equal((await itemsOf(store, turn)).length, 2)
    assert.deepEqual(await store.turns.get(ada, cancelled.id), cancelled)
  })

  test('cancelling a message that is queued behind a turn at its gates leaves the gates open', async (t) => {
    const { store } = await open(t)
    const turn = await turnAtApproval(store)
    const queued = await store.turns.start(turnOf({ threadId: turn.threadId }))
    assert.deepEqual((await store.turns.cancel(ada, queued.turn.id)).entries, [])
    assert.equal((await store.turns.answer(ada, turn.threadId, decide('a1'))).turn.id, turn.id)
  })

  test('cancelling a waiting turn gives each open call a result and frees the thread', async (t) => {
    const { store } = await open(t)
    const turn = await turnAtApproval(store)
    const { turn: cancelled, entries } = await store.turns.cancel(ada, turn.id)
    assert.deepEqual([cancelled.status, cancelled.lastSeq, entries.map(({ seq }) => seq)], ['cancelled', 7, [6, 7]])
    assert.deepEqual(resultsOf(await itemsOf(store, turn)), ['a1 failed', 'a2 failed'])
    assert.equal((await store.turns.start(turnOf({ threadId: turn.threadId }))).turn.status, 'running')
    await rejectsWith(store.turns.answer(ada, turn.threadId, decide('a1')), 'gate_closed')
  })

  test('the digest of a cancelled turn is that of all its entries, the results of its calls too', async (t) => {
    const { store } = await open(t)
    const turn = await turnAtApproval(store)
    await store.turns.cancel(ada, turn.id)
    const { entries } = await store.threads.entries(ada, turn.threadId, { after: 0, limit: 99 })
    assert.equal(await store.turns.hash(ada, turn.id), digestOf(entries))
  })

  test('cancelling the turn that called its caller closes the calls and frees the thread', async (t) => {
    const { store, clock } = await open(t)
    const turn = await threadAtGate(store)
    clock.now += 5
    const { turn: cancelled } = await store.turns.cancel(ada, turn.id)
    assert.deepEqual([cancelled.status, cancelled.endedAt], ['cancelled', turn.endedAt], 'it ended before')
    assert.deepEqual(await store.turns.get(ada, turn.id), cancelled)
    assert.deepEqual(resultsOf(await itemsOf(store, turn)), ['c1 failed', 'c2 failed'])
    assert.equal(await store.threads.findByOpenCall(ada, 'c1'), undefined)
    const resume = turnOf({ threadId: turn.threadId, resumes: 'c1', input: [output('c1')] })
    await rejectsWith(store.turns.start(resume), 'no_open_gate')
    assert.equal(
      (await store.turns.start(turnOf({ threadId: turn.threadId, whenBusy: 'refuse' }))).turn.status,
      'running',
    )
  })

  test('an earlier turn of a thread does not close the gate of a later one', async (t) => {
    const { store } = await open(t)
    const first = await store.turns.start(turnOf())
    const done = await finish(store, first.turn)
    const second = await store.turns.start(turnOf({ threadId: done.threadId }))
    await store.turns.record(second.turn, lease, step([call('c1'), gate('c1', 'output')], { status: 'completed' }))
    assert.deepEqual(await store.turns.end(ada, done.id), { turn: done, entries: [], changed: false })
    assert.equal((await store.threads.get(ada, done.threadId))?.openCall, 'c1')
  })

  test('a running turn is only ended by force, with results for its open calls', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    await store.turns.record(turn, lease, step([call('c1')]))
    const asked = await store.turns.cancel(ada, turn.id)
    assert.deepEqual([asked.turn.status, asked.entries], ['running', []])
    const forced = await store.turns.end(ada, turn.id)
    assert.deepEqual([forced.turn.status, forced.entries.length], ['cancelled', 1])
    assert.deepEqual(resultsOf(await itemsOf(store, turn)), ['c1 failed'])
    assert.equal((await store.turns.start(turnOf({ threadId: turn.threadId }))).turn.status, 'running')
  })

  test('cancelling a begun turn that is back in the queue closes its calls', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    await store.turns.record(turn, lease, step([call('c1')]))
    await store.turns.release(turn, lease)
    assert.equal((await store.turns.cancel(ada, turn.id)).turn.status, 'cancelled')
    assert.deepEqual(resultsOf(await itemsOf(store, turn)), ['c1 failed'])
  })

  test('cancelling what has ended changes nothing; what is not yours is not there', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    const done = await finish(store, turn)
    assert.deepEqual(await store.turns.end(ada, turn.id), { turn: done, entries: [], changed: false })
    const queued = await store.turns.start(queuedTurn())
    const first = await store.turns.cancel(ada, queued.turn.id)
    assert.deepEqual(await store.turns.end(ada, queued.turn.id), { ...first, changed: false })
    await rejectsWith(store.turns.end(bob, turn.id), 'not_found')
  })

  test('a turn that is ended with a fault fails with it, and its open calls say so', async (t) => {
    const { store } = await open(t)
    const outputs = async (turn: Parameters<typeof itemsOf>[1]) =>
      (await itemsOf(store, turn)).flatMap((item) => (item.type === 'result' ? [item.output] : []))
    const error = { code: 'time_limit', message: 'it took too long' } as const
    const failed = await turnAtApproval(store)
    const { turn, changed } = await store.turns.end(ada, failed.id, error)
    assert.deepEqual([turn.status, turn.error, changed], ['failed', error, true])
    assert.deepEqual(await store.turns.get(ada, failed.id), turn)
    const ended = 'the turn ended before this call was done'
    assert.deepEqual(await outputs(failed), [ended, ended])
    const cancelled = await turnAtApproval(store)
    const outcome = await store.turns.cancel(ada, cancelled.id)
    assert.deepEqual([outcome.turn.status, outcome.turn.error], ['cancelled', undefined])
    const stopped = 'cancelled by the user before it was done'
    assert.deepEqual(await outputs(cancelled), [stopped, stopped])
    assert.deepEqual(await store.turns.get(ada, cancelled.id), outcome.turn)
  })
}
