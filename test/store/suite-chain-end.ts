// The end of a replay chain: what the next turn of a client continues that sends only what is new.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pointAfter } from '#core/replay-chain.ts'
import type { NewTurn, Outcome } from '#core/turn-store.ts'
import type { Store } from '#core/store.ts'
import type { Draft } from '#core/item.ts'
import type { Turn } from '#core/turn.ts'
import { unknownHistory } from '#store/chain-points.ts'
import { ada, bob, draft, gate, lease, type Open, reply, say, step, turnOf } from './harness.ts'

const completed: Outcome = { status: 'completed' }

/** A turn that is answered with these drafts, each in a step of its own. */
async function answered(
  store: Store,
  over: Partial<NewTurn>,
  drafts: readonly Draft[] = [reply('hello')],
  outcome = completed,
): Promise<Turn> {
  const { turn } = await store.turns.start(turnOf(over))
  for (const each of drafts.slice(0, -1)) await store.turns.record(turn, lease, step([each]))
  return (await store.turns.record(turn, lease, step(drafts.slice(-1), outcome))).turn
}

export function chainEndTests(open: Open): void {
  test('the end of a chain is the point of the latest answer, whole, with the instructions that stand there', async (t) => {
    const { store } = await open(t)
    const one = await answered(store, { options: { chain: 'x', instructions: 'i' } })
    const { threadId } = one
    const end = await store.threads.chainEnd(ada, threadId)
    assert.deepEqual(end, {
      turnId: one.id,
      hash: pointAfter('x', [reply('hello').item]),
      lastSeq: 2,
      instructions: 'i',
    })
    assert.equal((await store.threads.findByChain(ada, [end?.hash ?? '']))?.turnId, one.id)
    const input = [say('a'), say('b')]
    const drafts = [
      reply('one'),
      draft({ type: 'result', callId: 'c', output: 'no text' }),
      reply('two'),
      gate('g', 'output'),
    ]
    const two = await answered(store, { threadId, input, options: { chain: 'y', inputs: 2 } }, drafts)
    const hash = pointAfter('y', [reply('onetwo').item, gate('g', 'output').item])
    assert.deepEqual(await store.threads.chainEnd(ada, threadId), { turnId: two.id, hash, lastSeq: 8 })
    assert.equal((await store.threads.findByChain(ada, [hash]))?.latest, true)
  })

  test('the end of a chain stands before turns without a point, unless there are many', async (t) => {
    const { store } = await open(t)
    const one = await answered(store, { options: { chain: 'x' } })
    const { threadId } = one
    const error = { code: 'internal', message: 'no' } as const
    await answered(store, { threadId, options: { chain: 'y' } }, [reply('half')], { status: 'failed', error })
    await answered(store, { threadId, door: 'web', options: {} })
    assert.equal((await store.threads.chainEnd(ada, threadId))?.turnId, one.id)
    for (let more = 0; more < 20; more++) await answered(store, { threadId, door: 'web', options: {} })
    assert.equal(await store.threads.chainEnd(ada, threadId), undefined)
  })

  test('a turn has the chain of its client only where the thread has not gone on since', async (t) => {
    const { store } = await open(t)
    const { threadId } = await answered(store, { options: { chain: 'x' } })
    const { lastSeq: chainSeq = 0 } = (await store.threads.chainEnd(ada, threadId)) ?? {}
    const options = { chain: 'y', instructions: 'i', json: true } as const
    const next = await answered(store, { threadId, chainSeq, options })
    assert.deepEqual(next.options, options)
    const hash = pointAfter('y', [reply('hello').item])
    const find = async () => {
      const { turnId, latest } = (await store.threads.findByChain(ada, [hash])) ?? {}
      return { turnId, latest }
    }
    assert.deepEqual(await find(), { turnId: next.id, latest: true })
    const late = await answered(store, { threadId, chainSeq, options })
    assert.deepEqual(late.options, { json: true, chain: unknownHistory })
    assert.deepEqual((await store.turns.get(ada, late.id))?.options, late.options)
    assert.deepEqual(await find(), { turnId: next.id, latest: false }, 'the other client goes on in a fork')
  })

  test('the end of a chain is not known while a turn runs, which may end without an item', async (t) => {
    const { store } = await open(t)
    const { threadId } = await answered(store, { options: { chain: 'x' } })
    const { turn } = await store.turns.start(turnOf({ threadId, options: { chain: 'y' } }))
    const end = { turnId: turn.id, hash: unknownHistory, lastSeq: 3 }
    assert.deepEqual(await store.threads.chainEnd(ada, threadId), end)
    await store.turns.record(turn, lease, step([], { status: 'cancelled' }))
    const after = await store.threads.chainEnd(ada, threadId)
    assert.deepEqual([after?.hash, after?.lastSeq], [pointAfter('x', [reply('hello').item]), 3])
  })

  test('a chain has no known end where words were told since that are not in the log', async (t) => {
    const { store } = await open(t)
    const { threadId } = await answered(store, { options: { chain: 'x' } })
    const { id: turnId } = await answered(store, { threadId, options: {} })
    assert.ok(await store.threads.chainEnd(ada, threadId))
    await store.threads.addChainPoints(ada, { threadId, turnId, hashes: ['words'] })
    assert.equal(await store.threads.chainEnd(ada, threadId), undefined)
  })

  test('a thread without answers, a fork before its first turn and a thread of another user have no end', async (t) => {
    const { store } = await open(t)
    const { threadId } = await answered(store, { options: { chain: 'x' } })
    assert.equal(await store.threads.chainEnd(bob, threadId), undefined)
    const fork = await store.threads.fork(ada, threadId, { beforeSeq: 3, door: 'web' })
    assert.equal(await store.threads.chainEnd(ada, fork?.id ?? ''), undefined)
    const empty = await store.threads.create(ada, {
      door: 'responses',
      title: '',
      metadata: {},
      drafts: [say('before')],
    })
    assert.equal(await store.threads.chainEnd(ada, empty.id), undefined)
  })
}
