// Reading: lists and their cursors, counts, and rows that belong to their user alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operator, type UserId, userId } from '#core/ids.ts'
import type { Step } from '#core/turn-store.ts'
import { noUsage, type Turn } from '#core/turn.ts'
import type { Open } from './harness.ts'
import {
  ada,
  bob,
  call,
  dayMs,
  draft,
  finish,
  itemsOf,
  lease,
  queuedTurn,
  reply,
  say,
  step,
  threadAtGate,
  turnAtApproval,
  turnOf,
} from './harness.ts'

export function readTests(open: Open): void {
  test('turns are listed newest first, in pages that neither miss nor repeat', async (t) => {
    const { store } = await open(t)
    const made: Turn[] = []
    for (let at = 0; at < 7; at++) made.push((await store.turns.start(queuedTurn())).turn)
    await store.turns.start(queuedTurn({ user: bob }))
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await store.turns.list(ada, { limit: 3, ...(cursor && { cursor }) })
      assert.ok(page.rows.length <= 3)
      seen.push(...page.rows.map(({ id }) => id))
      cursor = page.nextCursor
    } while (cursor)
    assert.deepEqual(seen, made.map(({ id }) => id).toReversed())
    const whole = await store.turns.list(ada, { limit: 7 })
    assert.deepEqual([whole.rows.length, whole.nextCursor], [7, undefined])
    assert.deepEqual([await store.turns.countAll(ada), await store.turns.countAll(bob)], [7, 1])
  })

  test('a turn that ended before the model said anything has no reply in a list', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    const result = draft({ type: 'result', callId: 'a1', output: 'no', error: true })
    const error = { code: 'internal', message: 'no' } as const
    await store.turns.record(turn, lease, step([call('a1'), result], { status: 'failed', error }))
    const { rows } = await store.turns.list(ada, { limit: 1 })
    assert.deepEqual([rows[0]?.status, rows[0]?.reply], ['failed', undefined])
  })

  test('turns are listed by status', async (t) => {
    const { store } = await open(t)
    const waiting = await turnAtApproval(store)
    const done = await threadAtGate(store)
    const { turn: running } = await store.turns.start(turnOf())
    const { turn: queued } = await store.turns.start(queuedTurn())
    const of = async (status: Turn['status']) =>
      (await store.turns.list(ada, { status, limit: 9 })).rows.map(({ id }) => id)
    assert.deepEqual(
      [await of('waiting'), await of('completed'), await of('running'), await of('queued'), await of('failed')],
      [[waiting.id], [done.id], [running.id], [queued.id], []],
    )
    for (const status of ['waiting', 'completed', 'running', 'queued', 'failed', 'cancelled'] as const) {
      assert.equal(await store.turns.countAll(ada, { status }), (await of(status)).length)
    }
  })

  test('turns are listed of one user, by whoever reaches them', async (t) => {
    const { store } = await open(t)
    const [bot, eve] = [userId('webhook:ci-bot'), userId('webhook:eve')]
    const started: [string, string][] = []
    for (const user of [operator, bot, ada, eve, bot]) {
      const door = user.startsWith('webhook:') ? 'webhook' : 'web'
      started.unshift([user, (await store.turns.start(queuedTurn({ user, door }))).turn.id])
    }
    const idsOf = (user: UserId) => started.flatMap(([whose, id]) => (whose === user ? [id] : []))
    const found = async (user: UserId, of: UserId) => {
      const { rows } = await store.turns.list(user, { of, limit: 9 })
      assert.equal(await store.turns.countAll(user, { of, status: 'queued' }), rows.length)
      return rows.map(({ id }) => id)
    }
    for (const whose of [operator, bot, eve]) assert.deepEqual(await found(operator, whose), idsOf(whose))
    assert.deepEqual(await found(ada, ada), idsOf(ada))
    assert.deepEqual([await found(operator, ada), await found(ada, bot), await found(ada, bob)], [[], [], []])
    assert.deepEqual([await store.turns.senders(9), await store.turns.senders(1)], [[bot, eve], [bot]])
  })

  test('what waits in a thread is read in its order, within bounds, and by whoever reaches it', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    const inputs = ['one', 'x'.repeat(1_000), 'three'].map((text) => say(text))
    for (const input of inputs) await store.turns.start(queuedTurn({ threadId: turn.threadId, input: [input] }))
    const ids = async (user = ada, limit = 9, maxBytes = 9_999) =>
      (await store.threads.queued(user, turn.threadId, { limit, maxBytes })).map(({ id }) => id)
    assert.deepEqual(
      await ids(),
      inputs.map(({ id }) => id),
    )
    assert.deepEqual([(await ids(ada, 2)).length, (await ids(ada, 9, 1_000)).length], [2, 1])
    assert.deepEqual([await ids(bob), await ids(operator)], [[], []])
    await finish(store, turn)
    await store.turns.claim(lease, 1)
    assert.deepEqual(
      await ids(),
      inputs.slice(1).map(({ id }) => id),
    )
  })

  test('a removed turn is gone from get and list, its items stay', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    await finish(store, turn)
    assert.equal(await store.turns.remove(bob, turn.id), false)
    assert.equal(await store.turns.remove(ada, turn.id), true)
    assert.equal(await store.turns.remove(ada, turn.id), false)
    assert.equal(await store.turns.get(ada, turn.id), undefined)
    assert.deepEqual((await store.turns.list(ada, { limit: 9 })).rows, [])
    assert.equal((await store.threads.history(turn)).items.length, 2)
  })

  test('threads are listed by their last turn, in pages', async (t) => {
    const { store } = await open(t)
    const turns: Turn[] = []
    for (let at = 0; at < 5; at++) turns.push(await finish(store, (await store.turns.start(turnOf())).turn))
    const [oldest] = turns
    assert.ok(oldest)
    await store.turns.start(turnOf({ threadId: oldest.threadId }))
    const first = await store.threads.list(ada, { limit: 2 })
    const second = await store.threads.list(ada, { limit: 9, ...(first.nextCursor && { cursor: first.nextCursor }) })
    assert.equal(second.nextCursor, undefined)
    const expected = [oldest, ...turns.slice(1).toReversed()].map(({ threadId }) => threadId)
    assert.deepEqual(
      [...first.rows, ...second.rows].map(({ id }) => id),
      expected,
    )
  })

  test('entries are read in a range and in bounds', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    await store.turns.record(turn, lease, step(Array.from({ length: 9 }, () => turnOf().input).flat()))
    const seqs = async (query: { after: number; upTo?: number; limit: number }) =>
      (await store.threads.entries(ada, turn.threadId, query)).entries.map(({ seq }) => seq)
    assert.deepEqual(await seqs({ after: 7, limit: 9 }), [8, 9, 10])
    assert.deepEqual(await seqs({ after: 2, upTo: 4, limit: 9 }), [3, 4])
    assert.deepEqual(await seqs({ after: 0, limit: 2 }), [1, 2])
    assert.deepEqual(await seqs({ after: 10, limit: 9 }), [])
  })

  test('headers are read forwards and backwards from a seq, by whoever reaches the thread', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    await store.turns.record(turn, lease, step([reply('one'), call('c1'), reply('two')]))
    const read = async (order: 'asc' | 'desc', from: number, limit: number, user = ada) =>
      (await store.threads.headers(user, turn.threadId, { order, from, limit })).map(({ seq }) => seq)
    assert.deepEqual(await read('asc', 1, 9), [2, 3, 4])
    assert.deepEqual(await read('asc', 0, 2), [1, 2])
    assert.deepEqual(await read('desc', 4, 9), [3, 2, 1])
    assert.deepEqual(await read('desc', 99, 1), [4])
    assert.deepEqual(await read('asc', 0, 9, bob), [])
    const [header] = await store.threads.headers(ada, turn.threadId, { order: 'asc', from: 2, limit: 1 })
    assert.deepEqual(header?.item, { type: 'call', callId: 'c1', name: '', args: '' })
  })

  test('the turn that a thread is occupied by is the active one, else the first of the queue, else one at a gate', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    const { threadId } = turn
    const { turn: queued } = await store.turns.start(turnOf({ threadId }))
    await store.turns.start(turnOf({ threadId }))
    const current = async (user = ada) => (await store.turns.current(user, threadId))?.id
    assert.deepEqual([await current(), await current(bob)], [turn.id, undefined])
    await finish(store, turn)
    assert.equal(await current(), queued.id)
    await store.turns.withdrawAll(ada, threadId)
    assert.equal(await current(), undefined)
    const gated = await threadAtGate(store)
    assert.equal((await store.turns.current(ada, gated.threadId))?.id, gated.id)
  })

  test('counts tell what is queued, running and waiting, of one user or of all, and what the day has cost', async (t) => {
    const { store, clock } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    await store.turns.record(turn, lease, costing(0.25))
    await store.turns.start(queuedTurn())
    await turnAtApproval(store)
    const theirs = await store.turns.start(turnOf({ user: bob }))
    await store.turns.record(theirs.turn, lease, costing(0.5))
    assert.deepEqual(await store.turns.count(ada), {
      queued: 1,
      running: 1,
      waiting: 1,
      costToday: { costUsd: 0.25, unpricedCalls: 0 },
    })
    assert.deepEqual(await store.turns.count(bob), {
      queued: 0,
      running: 1,
      waiting: 0,
      costToday: { costUsd: 0.5, unpricedCalls: 0 },
    })
    assert.deepEqual(await store.turns.count(undefined), {
      queued: 1,
      running: 2,
      waiting: 1,
      costToday: { costUsd: 0.75, unpricedCalls: 0 },
    })
    clock.now += dayMs
    assert.equal((await store.turns.count(undefined)).costToday.costUsd, 0)
  })

  test("no verb reaches another user's rows", async (t) => {
    const { store } = await open(t)
    const turn = await threadAtGate(store)
    const { threadId } = turn
    assert.equal(await store.turns.get(bob, turn.id), undefined)
    assert.deepEqual(await store.turns.list(bob, { limit: 9 }), { rows: [] })
    assert.deepEqual(await store.turns.list(bob, { limit: 9, status: 'completed' }), { rows: [] })
    assert.equal(await store.turns.remove(bob, turn.id), false)
    assert.equal(await store.threads.get(bob, threadId), undefined)
    assert.deepEqual(await store.threads.list(bob, { limit: 9 }), { rows: [] })
    assert.deepEqual((await store.threads.entries(bob, threadId, { after: 0, limit: 9 })).entries, [])
    assert.equal(await store.threads.findByOpenCall(bob, 'c1'), undefined)
    assert.equal(await store.threads.remove(bob, threadId), undefined)
    assert.equal((await store.threads.history(turn)).items.length, 4)
  })

  test('the history of a turn begins behind the latest summary, and has the whole turn', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    await store.turns.record(turn, lease, step([reply('a'), reply('b'), reply('c')], { status: 'completed' }))
    const { threadId } = turn
    const next = await store.turns.start(turnOf({ threadId }))
    assert.equal((await store.threads.history(next.turn)).after, 0)
    await store.turns.record(next.turn, lease, step([draft({ type: 'summary', text: 's', upTo: 3 })]))
    await store.turns.record(next.turn, lease, step([reply('d')]))
    const items = await itemsOf(store, turn)
    assert.deepEqual(await store.threads.history(next.turn), { after: 3, items: items.slice(3), more: false })
    await store.turns.record(next.turn, lease, step([draft({ type: 'summary', text: 't', upTo: 6 })]))
    assert.equal((await store.threads.history(next.turn)).after, 4, 'its own items are there, summarised or not')
    await finish(store, next.turn)
    const third = await store.turns.start(turnOf({ threadId }))
    assert.equal((await store.threads.history(third.turn)).after, 6)
    assert.deepEqual((await store.threads.history(third.turn, 8)).items, (await itemsOf(store, turn)).slice(8))
  })

  test('erasing a thread takes its turns and items with it and leaves others alone', async (t) => {
    const { store } = await open(t)
    const turn = await threadAtGate(store, { threadKey: 'room' })
    const kept = await threadAtGate(store)
    assert.deepEqual(await store.threads.remove(ada, turn.threadId), [])
    assert.equal(await store.threads.remove(ada, turn.threadId), undefined)
    assert.equal(await store.threads.get(ada, turn.threadId), undefined)
    assert.equal(await store.turns.get(ada, turn.id), undefined)
    assert.deepEqual((await store.threads.history(turn)).items, [])
    assert.equal((await store.threads.history(kept)).items.length, 4)
    const fresh = await store.turns.start(turnOf({ threadKey: 'room' }))
    assert.notEqual(fresh.turn.threadId, turn.threadId)
  })
}

function costing(costUsd: number): Step {
  const usage = { ...noUsage, costUsd }
  return { drafts: [{ ...reply('a'), asked: { model: 'm', usage, ms: 1 } }], usage }
}
