// The start of a turn behind a history that was looked up before: the thread may have gone on since.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import type { Draft } from '#core/item.ts'
import { pointAfter } from '#core/replay-chain.ts'
import type { Store } from '#core/store.ts'
import type { NewTurn, Outcome } from '#core/turn-store.ts'
import type { Turn } from '#core/turn.ts'
import {
  ada,
  call,
  gate,
  itemsOf,
  lease,
  type Open,
  output,
  queuedTurn,
  rejectsWith,
  reply,
  say,
  step,
  threadAtGate,
  turnOf,
} from './harness.ts'

const completed: Outcome = { status: 'completed' }
const failed: Outcome = { status: 'failed', error: { code: 'internal', message: 'no' } }

const end = (store: Store, turn: Turn, drafts: readonly Draft[], outcome: Outcome = completed) =>
  store.turns.record(turn, lease, step(drafts, outcome))

/** A thread with an answer, and the look-up of its history. */
async function answered(store: Store) {
  const { turn } = await store.turns.start(turnOf({ options: { chain: 'x' } }))
  await end(store, turn, [reply('hello')])
  const hash = pointAfter('x', [reply('hello').item])
  const find = () => store.threads.findByChain(ada, [hash])
  return { turn, find, at: { threadId: turn.threadId, historyEnd: (await find())?.turnId ?? '' } }
}

const behind = (text: string, over: Partial<NewTurn>) =>
  turnOf({ input: [say(text)], options: { chain: text }, ...over })

/** What became of the turn that came first. */
const firsts: readonly (readonly [words: string, make: (store: Store, turn: Turn) => Promise<unknown>])[] = [
  ['runs', () => Promise.resolve()],
  ['was answered', (store, turn) => end(store, turn, [reply('left')])],
  ['was answered with a call of its caller', (store, turn) => end(store, turn, [call('c'), gate('c', 'output')])],
  ['was answered with nothing', (store, turn) => end(store, turn, [])],
  ['was stopped behind its first words', (store, turn) => end(store, turn, [reply('le')], { status: 'cancelled' })],
]

export function chainStartTests(open: Open): void {
  for (const [words, make] of firsts) {
    test(`the second start behind one look-up is refused where the first ${words}`, async (t) => {
      const { store } = await open(t)
      const { turn, find, at } = await answered(store)
      const { turn: left } = await store.turns.start(behind('left', at))
      await make(store, left)
      const before = await itemsOf(store, turn)
      for (const whenBusy of ['refuse', 'wait'] as const) {
        await rejectsWith(store.turns.start(behind('right', { ...at, whenBusy })), 'conversation_busy')
      }
      assert.deepEqual(await itemsOf(store, turn), before)
      assert.equal((await store.turns.count(ada)).queued, 0)
      const again = await find()
      assert.deepEqual([again?.latest, again?.forkAt], [false, 3], 'the next look-up finds where to fork')
      const forks = { threadId: turn.threadId, beforeSeq: 3 }
      const right = await store.turns.start(behind('right', { forks }))
      assert.equal(right.turn.firstSeq, 3)
    })
  }

  test('the second start behind one look-up is refused where the first is queued', async (t) => {
    const { store } = await open(t)
    const { at } = await answered(store)
    await store.turns.start(queuedTurn({ ...at, options: { chain: 'left' } }))
    for (const whenBusy of ['refuse', 'wait'] as const) {
      await rejectsWith(store.turns.start(behind('right', { ...at, whenBusy })), 'conversation_busy')
    }
  })

  test('of many starts at once behind one look-up one goes on', async (t) => {
    const { store } = await open(t)
    const { turn, at } = await answered(store)
    const starts = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) =>
        store.turns.start(behind(`branch ${index}`, { ...at, whenBusy: 'wait' })),
      ),
    )
    const refused = starts.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[]
    assert.deepEqual(
      refused.map(({ reason }) => reason instanceof AppError && reason.code),
      Array(7).fill('conversation_busy'),
    )
    assert.equal((await itemsOf(store, turn)).length, 3)
  })

  test('a turn in between that its client had no answer of refuses nothing', async (t) => {
    const { store } = await open(t)
    const { turn, at } = await answered(store)
    const { turn: broken } = await store.turns.start(behind('left', at))
    await end(store, broken, [reply('half')], failed)
    const { turn: silent } = await store.turns.start(behind('left', at))
    await end(store, silent, [], { status: 'cancelled' })
    const { turn: other } = await store.turns.start(turnOf({ threadId: turn.threadId }))
    await end(store, other, [reply('from the browser')])
    const next = await store.turns.start(behind('right', { ...at, whenBusy: 'refuse' }))
    assert.deepEqual([next.turn.threadId, next.turn.status], [turn.threadId, 'running'])
  })

  test('a history waits for the turn that it ends with, and only one does', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf({ options: { chain: 'x' } }))
    const { threadId, id: turnId } = turn
    await store.threads.addChainPoints(ada, { threadId, turnId, hashes: ['as read'] })
    assert.equal((await store.threads.findByChain(ada, ['as read']))?.latest, true)
    const at = { threadId, historyEnd: turnId, whenBusy: 'wait' } as const
    const left = await store.turns.start(behind('left', at))
    assert.equal(left.turn.status, 'queued')
    await rejectsWith(store.turns.start(behind('right', at)), 'conversation_busy')
    await end(store, turn, [reply('as read')], { status: 'cancelled' })
    await rejectsWith(store.turns.start(behind('right', at)), 'conversation_busy')
  })

  test('the second output of one call is refused, and taken in a fork', async (t) => {
    const { store } = await open(t)
    const waiting = await threadAtGate(store, { options: { chain: 'x' } })
    const at = { threadId: waiting.threadId, historyEnd: waiting.id, resumes: 'c1' }
    await store.turns.start(turnOf({ ...at, input: [output('c1', 'sun')], options: { chain: 'sun' } }))
    const late = { input: [output('c1', 'rain')], options: { chain: 'rain' }, resumes: 'c1' }
    await rejectsWith(store.turns.start(turnOf({ ...at, ...late })), 'conversation_busy')
    const hash = pointAfter('x', [gate('c1', 'output').item])
    const { threadId = '', forkAt: beforeSeq = 0 } = (await store.threads.findByChain(ada, [hash])) ?? {}
    const forked = await store.turns.start(turnOf({ ...late, forks: { threadId, beforeSeq } }))
    assert.equal(forked.turn.status, 'running')
  })
}
