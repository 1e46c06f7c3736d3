// Replay chains: which thread, and which point of it, the history of an API client belongs to.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pointAfter } from '#core/replay-chain.ts'
import { chainOf } from '../core/chain-of.ts'
import type { Store } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import {
  ada,
  bob,
  draft,
  lease,
  type Open,
  output,
  queuedTurn,
  rejectsWith,
  reply,
  say,
  step,
  threadAtGate,
  turnAtApproval,
  turnOf,
} from './harness.ts'

type Told = { readonly turn: Turn; readonly hash: string }

/** An exchange over an API door: a message behind a history, and its answer. */
async function exchange(store: Store, text: string, before?: Told, over: object = {}): Promise<Told> {
  const { history } = chainOf([{ role: 'user', text }], before?.hash)
  const thread = before && { threadId: before.turn.threadId }
  const { turn } = await store.turns.start(
    turnOf({ input: [say(text)], options: { chain: history }, ...thread, ...over }),
  )
  const answer = reply(`${text}!`)
  const { turn: done } = await store.turns.record(turn, lease, step([answer], { status: 'completed' }))
  return { turn: done, hash: pointAfter(history, [answer.item]) }
}

export function chainTests(open: Open): void {
  test('a history finds its thread at the end, or where to fork it', async (t) => {
    const { store } = await open(t)
    const one = await exchange(store, 'one')
    const two = await exchange(store, 'two', one)
    const { threadId } = one.turn
    assert.deepEqual(await store.threads.findByChain(ada, [two.hash]), {
      threadId,
      turnId: two.turn.id,
      seq: 4,
      latest: true,
      hash: two.hash,
    })
    const earlier = await store.threads.findByChain(ada, [one.hash])
    assert.deepEqual(earlier, { threadId, turnId: one.turn.id, seq: 2, latest: false, hash: one.hash, forkAt: 3 })
    const longer = await store.threads.findByChain(ada, ['unknown', two.hash, one.hash])
    assert.deepEqual([longer?.hash, longer?.forkAt], [two.hash, 5], 'what nobody knows goes into a fork')
    assert.equal(await store.threads.findByChain(ada, ['unknown']), undefined)
    assert.equal(await store.threads.findByChain(ada, []), undefined)
    assert.equal(await store.threads.findByChain(bob, [two.hash]), undefined, 'of another user it finds nothing')
  })

  test('of threads with one history the newest goes on, and one that has gone on is passed over', async (t) => {
    const { store } = await open(t)
    const first = await exchange(store, 'one')
    const second = await exchange(store, 'one')
    assert.equal(first.hash, second.hash)
    const find = async () => (await store.threads.findByChain(ada, [first.hash]))?.threadId
    assert.equal(await find(), second.turn.threadId)
    await exchange(store, 'two', second)
    assert.equal(await find(), first.turn.threadId)
  })

  test('only an answer moves the chain: not a turn that failed, nor one of another door', async (t) => {
    const { store } = await open(t)
    const one = await exchange(store, 'one')
    const { threadId } = one.turn
    const failed = (await store.turns.start(turnOf({ threadId, options: { chain: 'x' } }))).turn
    const error = { code: 'internal', message: 'no' } as const
    await store.turns.record(failed, lease, step([reply('half')], { status: 'failed', error }))
    const stopped = (await store.turns.start(turnOf({ threadId, options: { chain: 'y' } }))).turn
    await store.turns.record(stopped, lease, step([], { status: 'cancelled' }))
    const other = (await store.turns.start(turnOf({ threadId }))).turn
    await store.turns.record(other, lease, step([reply('done')], { status: 'completed' }))
    assert.equal((await store.threads.findByChain(ada, [one.hash]))?.latest, true)
  })

  test('an answer that was stopped, or that the provider cut, moves the chain', async (t) => {
    const { store } = await open(t)
    const cut = { status: 'failed', error: { code: 'model_filtered', message: 'no' } } as const
    for (const [chain, outcome] of [
      ['x', cut],
      ['y', { status: 'cancelled' }],
    ] as const) {
      const { turn } = await store.turns.start(turnOf({ options: { chain } }))
      await store.turns.record(turn, lease, step([reply('half')], outcome))
      const found = await store.threads.findByChain(ada, [pointAfter(chain, [reply('half').item])])
      assert.deepEqual([found?.turnId, found?.latest], [turn.id, true], outcome.status)
    }
  })

  test('an empty answer moves the chain, too', async (t) => {
    const { store } = await open(t)
    const one = await exchange(store, 'one')
    const { threadId } = one.turn
    const { turn } = await store.turns.start(turnOf({ threadId, options: { chain: 'x' } }))
    await store.turns.record(turn, lease, step([], { status: 'completed' }))
    assert.equal((await store.threads.findByChain(ada, [pointAfter('x', [])]))?.latest, true)
    assert.equal((await store.threads.findByChain(ada, [one.hash]))?.latest, false)
  })

  test('the answer of a turn that another process went on with counts whole', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(
      turnOf({ input: [say('a'), say('b')], options: { chain: 'x', inputs: 2 } }),
    )
    await store.turns.record(turn, lease, step([reply('one')]))
    await store.turns.release(turn, lease)
    const [claimed] = (await store.turns.claim(lease, 1)).started
    assert.ok(claimed)
    await store.turns.record(claimed.turn, lease, step([reply('two')], { status: 'completed' }))
    const hash = pointAfter('x', [reply('onetwo').item])
    assert.equal((await store.threads.findByChain(ada, [hash]))?.seq, 4)
  })

  test('a point that is being added is found by a search that begins after it', async (t) => {
    const { store } = await open(t)
    const { threadId, id: turnId } = await turnAtApproval(store, { options: { chain: 'x' } })
    const adding = store.threads.addChainPoints(ada, { threadId, turnId, hashes: ['part', 'part of it'] })
    const found = await store.threads.findByChain(ada, ['part of it'])
    assert.equal(found?.turnId, turnId)
    await adding
  })

  test('an answer that stored nothing has a point, and both it and the turn’s own answer go on', async (t) => {
    const { store } = await open(t)
    const waiting = await turnAtApproval(store, { options: { chain: 'x' } })
    const { threadId, id: turnId } = waiting
    const before = (await store.storage.used(ada)).bytes
    for (const hashes of [
      ['words', 'words'],
      ['words', 'words again'],
    ])
      await store.threads.addChainPoints(ada, { threadId, turnId, hashes })
    assert.equal((await store.storage.used(ada)).bytes - before, 1_000, 'a point counts, and once')
    await store.threads.addChainPoints(bob, { threadId, turnId, hashes: ['not his'] })
    for (const callId of ['a1', 'a2']) {
      await store.turns.answer(ada, threadId, draft({ type: 'answer', callId, decision: 'allow', by: 'ada' }))
    }
    const [claimed] = (await store.turns.claim(lease, 1)).started
    assert.ok(claimed)
    await store.turns.record(claimed.turn, lease, step([reply('done')], { status: 'completed' }))
    for (const hash of ['words', 'words again', pointAfter('x', [reply('done').item])]) {
      assert.equal((await store.threads.findByChain(ada, [hash]))?.latest, true, hash)
    }
    assert.equal(await store.threads.findByChain(ada, ['not his']), undefined)
    const next = await exchange(store, 'next', { turn: waiting, hash: 'words' })
    const old = await store.threads.findByChain(ada, ['words'])
    assert.deepEqual([old?.latest, old?.forkAt], [false, next.turn.firstSeq], 'a fork there keeps the outcome')
  })

  test('a turn starts in a fork, with the points of what it keeps, in one step', async (t) => {
    const { store } = await open(t)
    const one = await exchange(store, 'one')
    const two = await exchange(store, 'two', one)
    const { threadId } = one.turn
    const fork = await exchange(store, 'other', one, { threadId: undefined, forks: { threadId, beforeSeq: 3 } })
    assert.notEqual(fork.turn.threadId, threadId)
    assert.equal(fork.turn.firstSeq, 3)
    assert.equal((await store.threads.findByChain(ada, [fork.hash]))?.latest, true)
    await store.threads.remove(ada, threadId)
    assert.equal(await store.threads.findByChain(ada, [two.hash]), undefined, 'what was erased is not found')
    const kept = await store.threads.findByChain(ada, [one.hash])
    assert.deepEqual([kept?.threadId, kept?.latest, kept?.forkAt], [fork.turn.threadId, false, 3])
    const gone = queuedTurn({ forks: { threadId, beforeSeq: 3 } })
    await rejectsWith(store.turns.start(gone), 'not_found')
  })

  test('a fork that stands alone goes on with the history that it kept', async (t) => {
    const { store } = await open(t)
    const one = await exchange(store, 'one')
    const two = await exchange(store, 'two', one)
    const fork = await store.threads.fork(ada, one.turn.threadId, { beforeSeq: 3, door: 'web' })
    const found = await store.threads.findByChain(ada, [one.hash])
    assert.deepEqual([found?.threadId, found?.latest], [fork?.id, true])
    assert.equal((await store.threads.findByChain(ada, [two.hash]))?.threadId, one.turn.threadId)
  })

  test('a fork of the whole thread is the newest with its history, and goes on', async (t) => {
    const { store } = await open(t)
    const one = await exchange(store, 'one')
    const fork = await store.threads.fork(ada, one.turn.threadId, { beforeSeq: 3, door: 'web' })
    const found = await store.threads.findByChain(ada, [one.hash])
    assert.deepEqual([found?.threadId, found?.latest], [fork?.id, true])
  })

  test('a history that was rewritten at its end is found by its longest known part, far back too', async (t) => {
    const { store } = await open(t)
    const one = await exchange(store, 'one')
    const two = await exchange(store, 'two', one)
    const unknown = Array.from({ length: 50 }, (_, at) => `unknown ${at}`)
    const found = await store.threads.findByChain(ada, [...unknown, two.hash, one.hash])
    assert.deepEqual([found?.hash, found?.forkAt], [two.hash, 5])
    assert.equal(await store.threads.findByChain(ada, [...unknown, ...unknown, two.hash]), undefined, 'too far back')
  })

  test('a fork before the output of a caller’s function waits for that output', async (t) => {
    const { store } = await open(t)
    const { threadId } = await threadAtGate(store)
    const resumed = await store.turns.start(turnOf({ threadId, resumes: 'c1', input: [output('c1')] }))
    const done = [draft({ type: 'result', callId: 'c2', output: 'no' }), reply('done')]
    await store.turns.record(resumed.turn, lease, step(done, { status: 'completed' }))
    const forks = { threadId, beforeSeq: 5 }
    await rejectsWith(store.turns.start(turnOf({ forks, resumes: 'c2', input: [output('c2')] })), 'call_id_mismatch')
    const { turn } = await store.turns.start(turnOf({ forks, resumes: 'c1', input: [output('c1', 'other')] }))
    assert.deepEqual([turn.status, turn.firstSeq], ['running', 5])
    assert.notEqual(turn.threadId, threadId)
  })

  test('nothing is left of a chain when its user is erased, nor counted', async (t) => {
    const { store } = await open(t)
    const one = await exchange(store, 'one')
    const two = await exchange(store, 'two', one)
    await store.threads.fork(ada, one.turn.threadId, { beforeSeq: 3, door: 'web' })
    for (let more = true; more; ) ({ more } = await store.threads.eraseSome(ada))
    assert.equal(await store.threads.findByChain(ada, [two.hash, one.hash]), undefined)
    assert.equal((await store.storage.used(ada)).bytes, 0)
  })
}
