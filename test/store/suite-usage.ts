// Usage by day, user and model: counted once with the step that brought it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Door } from '#core/doors.ts'
import type { UserId } from '#core/ids.ts'
import type { Step } from '#core/turn-store.ts'
import { noUsage, type Usage } from '#core/turn.ts'
import { ada, bob, dayMs, draft, lease, type Open, rejectsWith, reply, step, threadAtGate, turnOf } from './harness.ts'

const used: Usage = { inputTokens: 10, cachedTokens: 4, outputTokens: 3, reasoningTokens: 1, costUsd: 0.5 }

function asking(model: string, over: Partial<Step> = {}, usage = used): Step {
  return { ...step([{ ...reply('hi'), asked: { model, usage, ms: 12 } }]), usage, ...over }
}

export function usageTests(open: Open): void {
  test('what a model took stands with the first item it made, and comes back', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    const { entries } = await store.turns.record(turn, lease, asking('m'))
    assert.deepEqual(entries[0]?.asked, { model: 'm', usage: used, ms: 12 })
    const { entries: read } = await store.threads.entries(ada, turn.threadId, { after: 0, limit: 9 })
    assert.deepEqual(read, [read[0], ...entries])
    assert.equal(read[0]?.asked, undefined)
  })

  test('usage adds up by day, user and model; a turn counts once', async (t) => {
    const { store, clock } = await open(t)
    clock.now = Date.UTC(2026, 0, 31, 23)
    for (const user of [ada, ada, bob]) {
      const { turn } = await store.turns.start(turnOf({ user }))
      await store.turns.record(turn, lease, asking('m', { first: true }))
      await store.turns.record(turn, lease, step([draft({ type: 'reasoning', text: 'no model was asked' })]))
      await store.turns.record(turn, lease, asking('m'))
      await store.turns.record(turn, lease, asking('n', { outcome: { status: 'completed' } }))
    }
    const row = {
      date: '2026-01-31',
      user: ada,
      model: 'm',
      turns: 2,
      ...used,
      unpricedCalls: 0,
      inputTokens: 40,
      cachedTokens: 16,
    }
    const ofM = { ...row, outputTokens: 12, reasoningTokens: 4, costUsd: 2 }
    const ofN = {
      ...row,
      model: 'n',
      turns: 0,
      inputTokens: 20,
      cachedTokens: 8,
      outputTokens: 6,
      reasoningTokens: 2,
      costUsd: 1,
    }
    assert.deepEqual(await store.usage.list(ada, 1), [ofM, ofN])
    assert.deepEqual(
      (await store.usage.list(undefined, 1)).map(({ user, model, turns }) => [user, model, turns]),
      [
        [ada, 'm', 2],
        [ada, 'n', 0],
        [bob, 'm', 1],
        [bob, 'n', 0],
      ],
    )
    assert.equal((await store.turns.count(ada)).costToday.costUsd, 3)
    assert.equal((await store.turns.count(undefined)).costToday.costUsd, 4.5)
    clock.now += 2 * 60 * 60 * 1000
    const { turn } = await store.turns.start(turnOf())
    await store.turns.record(turn, lease, asking('m', { first: true }))
    assert.deepEqual(
      (await store.usage.list(ada, 2)).map(({ date, model }) => `${date} ${model}`),
      ['2026-02-01 m', '2026-01-31 m', '2026-01-31 n'],
    )
    assert.equal((await store.usage.list(ada, 1)).length, 1)
    assert.equal((await store.turns.count(ada)).costToday.costUsd, 0.5)
    clock.now += 40 * dayMs
    assert.deepEqual(await store.usage.list(ada, 30), [])
  })

  test('what some days come to: by door, how turns ended, and the days before', async (t) => {
    const { store, clock } = await open(t)
    // The ids of turns tell when they began, by the real clock.
    clock.now = Date.now()
    const take = async (door: Door, outcome: Step['outcome'], user = ada): Promise<void> => {
      const { turn } = await store.turns.start(turnOf({ user, door }))
      await store.turns.record(turn, lease, asking('m', { first: true, ...(outcome && { outcome }) }))
    }
    const failed = { status: 'failed', error: { code: 'internal', message: 'no' } } as const
    await take('web', { status: 'completed' })
    await take('web', failed)
    await take('webhook', { status: 'cancelled' }, bob)
    await take('run', failed, bob)
    await store.usage.add(ada, 'responses', { model: 'n', usage: { ...used, costUsd: null }, ms: 1 })
    const { turn } = await store.turns.start(turnOf())
    await store.turns.end(ada, turn.id)
    const web = { door: 'web', turns: 3, costUsd: 1, unpricedCalls: 0 }
    const api = { door: 'responses', turns: 0, costUsd: null, unpricedCalls: 1 }
    const others = ['run', 'webhook'].map((door) => ({ door, turns: 1, costUsd: 0.5, unpricedCalls: 0 }))
    const totals = async (user: UserId | undefined, days: number) => {
      const { doors, ...rest } = await store.usage.totals(user, days)
      return { ...rest, doors: doors.toSorted((a, b) => ((a.door ?? '') < (b.door ?? '') ? -1 : 1)) }
    }
    assert.deepEqual(await totals(ada, 1), { failed: 1, cancelled: 1, doors: [api, web] })
    const [run, webhook] = others
    assert.deepEqual(await totals(undefined, 1), { failed: 2, cancelled: 2, doors: [api, run, web, webhook] })
    clock.now += 4 * dayMs
    assert.deepEqual(await totals(ada, 3), {
      before: { costUsd: 1, unpricedCalls: 1 },
      failed: 0,
      cancelled: 0,
      doors: [],
    })
    assert.deepEqual(await totals(bob, 5), { failed: 1, cancelled: 1, doors: others })
  })

  test('every ended turn counts once: under the model that it asked, answered or not, else under none', async (t) => {
    const { store } = await open(t)
    const failed = { status: 'failed', error: { code: 'model_unreachable', message: 'no' } } as const
    const unanswered = { ...step([]), usage: { ...noUsage, model: 'm' }, first: true, outcome: failed } as const
    const { turn: refused } = await store.turns.start(turnOf())
    await store.turns.record(refused, lease, unanswered)
    const { turn: capped } = await store.turns.start(turnOf())
    await store.turns.record(capped, lease, { ...step([]), outcome: failed })
    const { turn: busy } = await store.turns.start(turnOf())
    const queued = () => store.turns.start(turnOf({ threadId: busy.threadId, whenBusy: 'queue' }))
    const { turn: taken } = await queued()
    await store.turns.withdraw(ada, taken.id)
    await queued()
    await store.turns.withdrawAll(ada, busy.threadId)
    await store.turns.end(ada, busy.id)
    await store.turns.end(ada, busy.id)
    const { turn: stopped } = await store.turns.start(turnOf())
    await store.turns.record(stopped, lease, { ...unanswered, outcome: { status: 'waiting' } })
    await store.turns.end(ada, stopped.id)
    assert.deepEqual(
      (await store.usage.list(ada, 1)).map(({ model, turns, costUsd }) => [model, turns, costUsd]),
      [
        ['', 4, 0],
        ['m', 2, 0],
      ],
    )
    const { doors } = await store.usage.totals(ada, 1)
    assert.deepEqual(doors, [{ door: 'web', turns: 6, costUsd: 0, unpricedCalls: 0 }])
  })

  test('a completed turn that asked no model counts once, also when its gate is closed later', async (t) => {
    const { store } = await open(t)
    const turn = await threadAtGate(store)
    await store.turns.end(ada, turn.id)
    assert.deepEqual(
      (await store.usage.list(ada, 1)).map(({ turns }) => turns),
      [1],
    )
  })

  test('a sum tells its known part and how many calls are not in it, also within one row', async (t) => {
    const { store } = await open(t)
    const add = (costUsd: number | null, model = 'm') =>
      store.usage.add(ada, 'web', { model, usage: { ...used, costUsd }, ms: 1 })
    const today = async () => (await store.turns.count(ada)).costToday
    assert.deepEqual(await today(), { costUsd: 0, unpricedCalls: 0 })
    await add(null)
    await add(null)
    assert.deepEqual(await today(), { costUsd: null, unpricedCalls: 2 })
    await add(0.5)
    await add(0, 'free')
    assert.deepEqual(await today(), { costUsd: 0.5, unpricedCalls: 2 })
    assert.deepEqual(
      (await store.usage.list(ada, 1)).map(({ model, costUsd, unpricedCalls }) => [model, costUsd, unpricedCalls]),
      [
        ['free', 0, 0],
        ['m', 0.5, 2],
      ],
    )
    const { turn } = await store.turns.start(turnOf())
    await store.turns.reserve(turn, lease, { usd: 0, cap: 9 })
    assert.deepEqual(await today(), { costUsd: 0.5, unpricedCalls: 2 }, 'the row of reservations is none of usage')
  })

  test('a step that is sent again, or refused, counts nothing', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    const sent = asking('m', { first: true })
    await store.turns.record(turn, lease, sent)
    await store.turns.record(turn, lease, { ...sent, retry: true })
    await rejectsWith(store.turns.record(turn, { ...lease, epoch: 9 }, asking('m')), 'lease_lost')
    const [row] = await store.usage.list(ada, 1)
    assert.deepEqual([row?.turns, row?.inputTokens], [1, 10])
  })

  test('many turns of one user at once lose nothing', async (t) => {
    const { store } = await open(t)
    await Promise.all(
      Array.from({ length: 40 }, async () => {
        const { turn } = await store.turns.start(turnOf())
        await store.turns.record(turn, lease, asking('m', { first: true, outcome: { status: 'completed' } }))
      }),
    )
    const [row, ...rest] = await store.usage.list(ada, 1)
    assert.deepEqual([row?.turns, row?.inputTokens, row?.costUsd, rest], [40, 400, 20, []])
  })

  test('money is held for a call against the cap of the day, and let go of by the next step', async (t) => {
    const { store } = await open(t)
    const [one, two, theirs] = await Promise.all([
      store.turns.start(turnOf()),
      store.turns.start(turnOf()),
      store.turns.start(turnOf({ user: bob })),
    ])
    const hold = ({ turn }: typeof one, usd: number) => store.turns.reserve(turn, lease, { usd, cap: 2 })
    assert.deepEqual(await hold(one, 1.5), { granted: true, spentUsd: 0, heldUsd: 0 })
    assert.deepEqual(await hold(two, 1), { granted: false, spentUsd: 0, heldUsd: 1.5 })
    assert.equal((await hold(theirs, 2)).granted, true, 'of another user')
    assert.equal((await hold(one, 2)).granted, true, 'what a turn has held itself does not count twice')
    await store.turns.record(one.turn, lease, asking('m', {}, { ...noUsage, costUsd: 1.25 }))
    assert.deepEqual(await hold(two, 1), { granted: false, spentUsd: 1.25, heldUsd: 0 })
    assert.equal((await hold(two, 0.75)).granted, true)
    assert.equal((await hold(one, 0.1)).granted, false)
    await store.turns.end(ada, two.turn.id)
    assert.equal((await hold(one, 0.75)).granted, true, 'what ended holds nothing')
    await rejectsWith(hold(two, 0), 'lease_lost')
    assert.deepEqual(
      (await store.usage.list(ada, 1)).map(({ model, turns }) => [model, turns]),
      [
        ['', 1],
        ['m', 0],
      ],
    )
  })

  test('of many turns that ask at once no more are let through than the cap has money for', async (t) => {
    const { store } = await open(t)
    const started = await Promise.all(Array.from({ length: 12 }, () => store.turns.start(turnOf())))
    const held = await Promise.all(started.map(({ turn }) => store.turns.reserve(turn, lease, { usd: 1, cap: 5 })))
    assert.equal(held.filter(({ granted }) => granted).length, 5)
  })

  test('nothing is held once the cap is reached, not even for a call that is free', async (t) => {
    const { store, clock } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    await store.turns.record(turn, lease, asking('m'))
    assert.equal((await store.turns.reserve(turn, lease, { usd: 0, cap: 0.5 })).granted, false)
    clock.now += dayMs
    assert.equal((await store.turns.reserve(turn, lease, { usd: 0, cap: 0.5 })).granted, true, 'a new day')
  })

  test('a call without a known price takes nothing away from what the day has cost, before it or after it', async (t) => {
    const { store } = await open(t)
    const unknown = { ...used, costUsd: null }
    const priced = await store.turns.start(turnOf())
    for (const usage of [used, unknown, used]) await store.turns.record(priced.turn, lease, asking('m', {}, usage))
    const later = await store.turns.start(turnOf({ user: bob }))
    for (const usage of [unknown, unknown, used]) await store.turns.record(later.turn, lease, asking('m', {}, usage))
    const costs = async (user: UserId) => (await store.usage.list(user, 1)).map(({ costUsd }) => costUsd)
    assert.deepEqual([await costs(ada), await costs(bob)], [[1], [0.5]])
    assert.deepEqual((await store.turns.count(ada)).costToday, { costUsd: 1, unpricedCalls: 1 })
    const hold = (usd: number) => store.turns.reserve(priced.turn, lease, { usd, cap: 1.25 })
    assert.deepEqual([(await hold(0.5)).granted, (await hold(0.25)).granted], [false, true])
    await store.usage.add(ada, 'web', { model: 'free', usage: unknown, ms: 1 })
    assert.deepEqual(await costs(ada), [null, 1], 'a model whose price nobody knows has none')
  })

  test('what a user has used outlives their threads', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    await store.turns.record(
      turn,
      lease,
      asking('m', { first: true, outcome: { status: 'completed' } }, { ...noUsage, costUsd: 2 }),
    )
    await store.threads.remove(ada, turn.threadId)
    assert.equal((await store.turns.count(ada)).costToday.costUsd, 2)
  })
}
