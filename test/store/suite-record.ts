// Recording steps: an unbroken log, and a fence around whoever has lost the turn.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import type { Open } from './harness.ts'
import {
  ada,
  call,
  draft,
  finish,
  gate,
  itemsOf,
  lease,
  other,
  pictureOf,
  rejectsWith,
  reply,
  say,
  step,
  turnOf,
} from './harness.ts'

export function recordTests(open: Open): void {
  test('seq stays without gaps under many starts and records at once', async (t) => {
    const { store } = await open(t)
    const threads = 8
    const perThread = 6
    const work = Array.from({ length: threads * perThread }, async (_, at) => {
      const threadKey = `room ${at % threads}`
      const { turn } = await store.turns.start(turnOf({ threadKey, input: [say('a'), say('b')] }))
      if (turn.status !== 'running') return
      await Promise.all([
        store.turns.record(turn, lease, step([draft({ type: 'reasoning', text: 'hm' }), call('c')])),
        store.turns.record(turn, lease, step([draft({ type: 'result', callId: 'c', output: 'x' })])),
      ])
      await finish(store, turn)
    })
    await Promise.all(work)
    for (;;) {
      const { started } = await store.turns.claim(lease, 100)
      if (started.length === 0) break
      await Promise.all(started.map(({ turn }) => finish(store, turn)))
    }
    const { rows } = await store.threads.list(ada, { limit: 100 })
    assert.equal(rows.length, threads)
    for (const { id, lastSeq } of rows) {
      const items = await itemsOf(store, { threadId: id, userId: ada })
      assert.equal(items.length, lastSeq)
      assert.equal(items.filter(({ type }) => type === 'message').length, perThread * 3)
    }
    const { rows: turns } = await store.turns.list(ada, { limit: 100 })
    assert.deepEqual(new Set(turns.map(({ status }) => status)), new Set(['completed']))
  })

  test('the last step tells how the turn ended, what it cost and where', async (t) => {
    const { store, clock } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    const usage = { inputTokens: 1, cachedTokens: 2, outputTokens: 3, reasoningTokens: 4, costUsd: 0.5 }
    const mid = await store.turns.record(turn, lease, { drafts: [reply('a')], usage })
    assert.deepEqual(
      [mid.turn.status, mid.turn.usage, mid.turn.endedAt, mid.entries[0]?.seq],
      ['running', usage, undefined, 2],
    )
    clock.now += 1_000
    const error = { code: 'model_failed' as const, message: 'no' }
    const last = await store.turns.record(turn, lease, { drafts: [], usage, outcome: { status: 'failed', error } })
    assert.deepEqual([last.turn.status, last.turn.error, last.turn.endedAt], ['failed', error, clock.now])
    assert.deepEqual([last.turn.firstSeq, last.turn.lastSeq], [1, 2])
    assert.deepEqual(await store.turns.get(ada, turn.id), last.turn)
  })

  test('a cost that nobody knows stays unknown, beside who answered', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    const usage = { ...turn.usage, inputTokens: 1, costUsd: null, model: 'openai/gpt-9' }
    await store.turns.record(turn, lease, { drafts: [reply('a')], usage, outcome: { status: 'completed' } })
    assert.deepEqual((await store.turns.get(ada, turn.id))?.usage, usage)
    assert.deepEqual((await store.turns.count(ada)).costToday, { costUsd: 0, unpricedCalls: 0 }, 'no call was counted')
  })

  test('a step that is sent again is answered as it was stored; one that was not stored is', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    const sent = { ...step([reply('a'), call('c1')]), retry: true } as const
    const first = await store.turns.record(turn, lease, sent)
    assert.deepEqual(await store.turns.record(turn, lease, sent), first)
    assert.equal((await itemsOf(store, turn)).length, 3)
    const last = { ...step([], { status: 'completed' }), retry: true } as const
    assert.equal((await store.turns.record(turn, lease, last)).turn.status, 'completed', 'one without items is sent')
  })

  test('an output gate opens the thread to its caller, any later item closes it', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    await store.turns.record(turn, lease, step([call('c1'), gate('c1', 'output')]))
    assert.equal((await store.threads.findByOpenCall(ada, 'c1'))?.openCall, 'c1')
    await store.turns.record(turn, lease, step([draft({ type: 'result', callId: 'c1', output: '' })]))
    assert.equal((await store.threads.get(ada, turn.threadId))?.openCall, undefined)
  })

  const lost: readonly [what: string, lose: (store: Store, turn: Turn) => Promise<unknown>][] = [
    ['recovery by another process', (store) => store.turns.recover(other)],
    ['a release', (store, turn) => store.turns.release(turn, lease)],
    ['a forced cancel', (store, turn) => store.turns.end(ada, turn.id)],
    ['its own end', (store, turn) => finish(store, turn)],
    ['its waiting', (store, turn) => store.turns.record(turn, lease, step([], { status: 'waiting' }))],
    [
      'a claim by another process',
      async (store) => {
        await store.turns.recover(other)
        assert.equal((await store.turns.claim(other, 1)).started.length, 1)
      },
    ],
  ]
  for (const [what, lose] of lost) {
    test(`after ${what} nothing more is recorded`, async (t) => {
      const { store } = await open(t)
      const { turn, entries: earlier } = await store.turns.start(turnOf())
      await lose(store, turn)
      const before = await pictureOf(store, turn)
      const last = { ...step([reply('late')], { status: 'completed' }), earlier }
      await rejectsWith(store.turns.record(turn, lease, last), 'lease_lost')
      await rejectsWith(store.turns.record(turn, lease, step([reply('late')])), 'lease_lost')
      await rejectsWith(store.turns.record(turn, lease, step([], { status: 'completed' })), 'lease_lost')
      assert.deepEqual(await pictureOf(store, turn), before)
    })
  }

  test('a step comes behind what was appended since the entries that its turn knows', async (t) => {
    const { store } = await open(t)
    const { turn, entries: earlier } = await store.turns.start(turnOf())
    await store.turns.record(turn, lease, step([call('c1')]))
    const { entries } = await store.turns.record(turn, lease, { ...step([reply('one'), reply('two')]), earlier })
    const { items } = await store.threads.history(turn)
    assert.deepEqual([entries.map(({ seq }) => seq), items.length], [[3, 4], 4])
  })

  test('a record under another epoch or owner is refused', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    await rejectsWith(store.turns.record(turn, { ...lease, epoch: 2 }, step([reply('x')])), 'lease_lost')
    await rejectsWith(store.turns.record(turn, other, step([reply('x')])), 'lease_lost')
    await store.turns.release(turn, other)
    await store.turns.release(turn, { ...lease, epoch: lease.epoch + 1 })
    assert.equal((await store.turns.get(ada, turn.id))?.status, 'running', 'nor can others release it')
  })

  test('the turn of a thread that was erased has lost its lease and leaves nothing behind', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    assert.ok(await store.threads.remove(ada, turn.threadId))
    await rejectsWith(store.turns.record(turn, lease, step([reply('late')])), 'lease_lost')
    assert.equal(await store.turns.get(ada, turn.id), undefined)
    assert.deepEqual((await store.threads.history(turn)).items, [])
  })

  test('what a turn says comes back as it was said, whatever it is made of', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    const drafts = [
      reply('\u0000 \ud83d half, ünï, 💡, "quotes", \\, \n'),
      draft({ type: 'reasoning', text: '', seal: 'x' }),
      draft({ type: 'call', callId: 'c', name: 'n', args: '{"id": 9007199254740993, "price": 1.10}', seal: 'y' }),
      draft({ type: 'result', callId: 'c', output: '', error: true, origin: 'o' }),
      draft({ type: 'summary', text: 's', upTo: 1 }),
    ]
    await store.turns.record(turn, lease, step(drafts))
    assert.deepEqual(
      (await itemsOf(store, turn)).slice(1),
      drafts.map(({ item }) => item),
    )
    assert.deepEqual((await store.threads.history(turn)).items, await itemsOf(store, turn))
  })
}
