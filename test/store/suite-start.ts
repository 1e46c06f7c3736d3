// Starting turns: new threads, old ones, busy ones, and keys that make a retry safe.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Item } from '#core/item.ts'
import type { NewTurn } from '#core/turn-store.ts'
import type { ToolSpec } from '#core/tool.ts'
import type { Open } from './harness.ts'
import {
  ada,
  bob,
  call,
  dayMs,
  finish,
  gate,
  itemsOf,
  lease,
  output,
  pictureOf,
  queuedTurn,
  rejectsWith,
  say,
  step,
  threadAtGate,
  turnAtApproval,
  turnOf,
} from './harness.ts'

const spec: ToolSpec = { name: 'act', description: 'acts', parameters: {} }

export function startTests(open: Open): void {
  test('a turn uses no other tools than its caller may, also on a resume', async (t) => {
    const { store } = await open(t)
    const allowedTools = ['time', 'calculate']
    const start = async (over: Partial<NewTurn>) =>
      (await store.turns.start(turnOf({ allowedTools, ...over }))).turn.options.serviceTools
    assert.deepEqual(await start({}), allowedTools)
    assert.deepEqual(await start({ options: { serviceTools: ['time', 'shell'] } }), ['time'])
    assert.deepEqual(await start({ options: { serviceTools: [] } }), [])
    const { threadId } = await threadAtGate(store, { options: { serviceTools: ['time', 'shell'] } })
    assert.deepEqual(await start({ threadId, resumes: 'c1', input: [output('c1')] }), ['time'])
  })

  test('a resume in a fork uses the tools of the turn that made the call, like one in its thread', async (t) => {
    const { store } = await open(t)
    const options = { serviceTools: ['time'], tools: [spec] }
    const { threadId } = await threadAtGate(store, { options })
    const resume = { resumes: 'c1', input: [output('c1')] }
    const { turn, entries } = await store.turns.start(turnOf({ threadId, ...resume }))
    await finish(store, turn)
    const forks = { threadId, beforeSeq: entries[0]?.seq ?? 0 }
    const { turn: forked } = await store.turns.start(turnOf({ forks, ...resume }))
    assert.notEqual(forked.threadId, threadId)
    assert.deepEqual([turn.options, forked.options], [options, options])
  })

  test('a resume in a fork has no more tools of the service after the thread with the call was erased', async (t) => {
    const { store } = await open(t)
    const options = { serviceTools: ['time'] }
    const { turn: asking } = await store.turns.start(turnOf({ options }))
    const { id, item } = gate('c1', 'output')
    const drafts = [call('c1'), { id, item: { ...item, ...options } as Item }]
    const { threadId } = (await store.turns.record(asking, lease, step(drafts, { status: 'completed' }))).turn
    const resume = { resumes: 'c1', input: [output('c1')] }
    const beforeSeq = (await store.turns.start(turnOf({ threadId, ...resume }))).entries[0]?.seq ?? 0
    const { turn: first } = await store.turns.start(turnOf({ forks: { threadId, beforeSeq }, ...resume }))
    await store.threads.remove(ada, threadId)
    const forks = { threadId: first.threadId, beforeSeq }
    assert.deepEqual((await store.turns.start(turnOf({ forks, ...resume }))).turn.options, options)
    const wider = { ...resume, options: { serviceTools: ['time', 'shell'] } }
    assert.deepEqual(
      (await store.turns.start(turnOf({ forks, ...wider }))).turn.options,
      wider.options,
      'if it says so',
    )
  })

  test('a turn uses the model of its thread, which a turn may set; its own choice comes first', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf({ model: 'a/b' }))
    assert.equal(turn.options.model, 'a/b')
    await finish(store, turn)
    const { threadId } = turn
    const next = async (over: Partial<NewTurn>) => {
      const { turn: started } = await store.turns.start(turnOf({ threadId, ...over }))
      await finish(store, started)
      return started.options.model
    }
    assert.equal(await next({}), 'a/b')
    assert.equal(await next({ options: { model: 'own' } }), 'own')
    assert.equal(await next({ model: 'c/d' }), 'c/d')
    assert.equal((await store.threads.get(ada, threadId))?.model, 'c/d')
    const fork = await store.threads.fork(ada, threadId, { beforeSeq: 1, door: 'web' })
    assert.equal(fork?.model, 'c/d')
    assert.equal((await store.threads.get(ada, fork?.id ?? ''))?.model, 'c/d')
    assert.equal(await store.threads.setModel(bob, threadId, 'e/f'), false)
    assert.equal(await store.threads.setModel(ada, threadId, null), true)
    assert.equal(await next({}), undefined)
    assert.equal((await store.threads.get(ada, threadId))?.model, undefined)
  })

  test('a turn with a lease makes its thread and runs at once, its input in the log', async (t) => {
    const { store, clock } = await open(t)
    const input = [say('one'), say('two')]
    const { turn, entries, replayed } = await store.turns.start(turnOf({ input, title: 'one' }))
    assert.equal(replayed, false)
    assert.deepEqual([turn.status, turn.firstSeq, turn.startedAt, turn.userId], ['running', 1, clock.now, ada])
    assert.deepEqual(
      entries.map(({ seq, id, turnId, at }) => ({ seq, id, turnId, at })),
      input.map(({ id }, at) => ({ seq: at + 1, id, turnId: turn.id, at: clock.now })),
    )
    assert.deepEqual(await store.turns.get(ada, turn.id), turn)
    const thread = await store.threads.get(ada, turn.threadId)
    assert.deepEqual([thread?.title, thread?.lastSeq, thread?.door], ['one', 2, 'web'])
    assert.deepEqual((await store.threads.entries(ada, turn.threadId, { after: 0, limit: 9 })).entries, entries)
  })

  test('a turn is found by the body that began it while it waits for a person, by its user and at its door', async (t) => {
    const { store } = await open(t)
    const turn = await turnAtApproval(store, { bodyHash: 'body' })
    const { door } = turn
    assert.equal((await store.turns.findWaiting(ada, door, 'body'))?.id, turn.id)
    assert.equal(await store.turns.findWaiting(bob, door, 'body'), undefined)
    assert.equal(await store.turns.findWaiting(ada, 'webhook', 'body'), undefined)
    assert.equal(await store.turns.findWaiting(ada, door, 'other'), undefined)
    await store.turns.cancel(ada, turn.id)
    assert.equal(await store.turns.findWaiting(ada, door, 'body'), undefined)
    const keyed = await turnAtApproval(store, { idempotency: { key: 'k', bodyHash: 'keyed' } })
    assert.equal((await store.turns.findWaiting(ada, door, 'keyed'))?.id, keyed.id)
  })

  test('the body of a turn that waits for a person starts no other, at its door', async (t) => {
    const { store } = await open(t)
    const turn = await turnAtApproval(store, { bodyHash: 'body' })
    const start = (over: Partial<NewTurn> = {}) => store.turns.start(turnOf({ bodyHash: 'body', ...over }))
    const { turn: again, replayed, entries } = await start()
    assert.deepEqual([again.id, replayed, entries], [turn.id, true, []])
    const others: Partial<NewTurn>[] = [{ bodyHash: 'other' }, { user: bob }, { door: 'webhook' }]
    for (const other of others) assert.equal((await start(other)).replayed, false)
    await store.turns.cancel(ada, turn.id)
    assert.equal((await start()).replayed, false)
  })

  test('a turn without a lease is queued and its input stays out of the log', async (t) => {
    const { store } = await open(t)
    const { turn, entries } = await store.turns.start(queuedTurn())
    assert.deepEqual([turn.status, turn.firstSeq, entries], ['queued', undefined, []])
    assert.deepEqual(await itemsOf(store, turn), [])
  })

  test('a turn on an idle thread goes on after its last item', async (t) => {
    const { store } = await open(t)
    const first = await store.turns.start(turnOf())
    await finish(store, first.turn)
    const second = await store.turns.start(turnOf({ threadId: first.turn.threadId }))
    assert.deepEqual([second.turn.firstSeq, second.turn.status, second.entries[0]?.seq], [3, 'running', 3])
    assert.equal((await itemsOf(store, second.turn)).length, 3)
  })

  test("another user's thread is as unknown as one that never was, and nothing is stored", async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    await finish(store, turn)
    const before = await pictureOf(store, turn)
    await rejectsWith(store.turns.start(turnOf({ user: bob, threadId: turn.threadId })), 'not_found')
    await rejectsWith(store.turns.start(turnOf({ user: bob, threadId: crypto.randomUUID() })), 'not_found')
    assert.deepEqual(await pictureOf(store, turn), before)
    assert.deepEqual((await store.turns.list(bob, { limit: 9 })).rows, [])
    assert.deepEqual((await store.threads.list(bob, { limit: 9 })).rows, [])
  })

  test("a caller's key makes a thread once, finds it later, and belongs to its user", async (t) => {
    const { store } = await open(t)
    const first = await store.turns.start(turnOf({ threadKey: 'room' }))
    const second = await store.turns.start(turnOf({ threadKey: 'room' }))
    const theirs = await store.turns.start(turnOf({ threadKey: 'room', user: bob }))
    const elsewhere = await store.turns.start(turnOf({ threadKey: 'hall' }))
    assert.deepEqual([second.turn.threadId, second.turn.status], [first.turn.threadId, 'queued'])
    assert.equal(new Set([first, theirs, elsewhere].map(({ turn }) => turn.threadId)).size, 3)
  })

  test('many first uses of one key at once make one thread', async (t) => {
    const { store } = await open(t)
    const all = await Promise.all(Array.from({ length: 20 }, () => store.turns.start(turnOf({ threadKey: 'room' }))))
    assert.equal(new Set(all.map(({ turn }) => turn.threadId)).size, 1)
    assert.equal(all.filter(({ turn }) => turn.status === 'running').length, 1)
  })

  test('messages of one moment keep their order', async (t) => {
    const { store } = await open(t)
    const texts = Array.from({ length: 40 }, (_, at) => `message ${at}`)
    const { turn } = await store.turns.start(turnOf({ threadKey: 'room' }))
    await Promise.all(texts.map((text) => store.turns.start(turnOf({ threadKey: 'room', input: [say(text)] }))))
    let current = turn
    for (const _ of texts) {
      await finish(store, current)
      const [next] = (await store.turns.claim(lease, 9)).started
      assert.ok(next)
      current = next.turn
    }
    const said = (await itemsOf(store, turn)).flatMap((item) =>
      item.type === 'message' && item.role === 'user' ? item.content : [],
    )
    assert.deepEqual(
      said.slice(1),
      texts.map((text) => ({ type: 'text', text })),
    )
  })

  test('a busy thread queues or refuses, as the door asks', async (t) => {
    const { store } = await open(t)
    const running = await store.turns.start(turnOf())
    const threadId = running.turn.threadId
    await rejectsWith(store.turns.start(turnOf({ threadId, whenBusy: 'refuse' })), 'conversation_busy')
    const queued = await store.turns.start(turnOf({ threadId }))
    assert.equal(queued.turn.status, 'queued')
    await finish(store, running.turn)
    await rejectsWith(store.turns.start(turnOf({ threadId, whenBusy: 'refuse' })), 'conversation_busy')
    const third = await store.turns.start(turnOf({ threadId }))
    assert.equal(third.turn.status, 'queued', 'nobody overtakes a queued message')
  })

  test('a thread that waits for an approval queues, or tells what it waits for', async (t) => {
    const { store } = await open(t)
    const { threadId } = await turnAtApproval(store)
    await rejectsWith(store.turns.start(turnOf({ threadId, whenBusy: 'refuse' })), 'gate_required')
    assert.equal((await store.turns.start(turnOf({ threadId }))).turn.status, 'queued')
  })

  test('a thread that waits for its caller queues a message, or tells what it waits for', async (t) => {
    const { store } = await open(t)
    const { threadId } = await threadAtGate(store)
    await rejectsWith(store.turns.start(turnOf({ threadId, whenBusy: 'refuse' })), 'tool_output_required')
    assert.equal((await store.turns.start(turnOf({ threadId }))).turn.status, 'queued')
    assert.equal((await store.threads.get(ada, threadId))?.openCall, 'c1')
  })

  const keyed = { idempotency: { key: 'k', bodyHash: 'h' } }

  test('the same key and body give the same turn, another body is a conflict', async (t) => {
    const { store } = await open(t)
    const first = await store.turns.start(turnOf(keyed))
    const again = await store.turns.start(turnOf(keyed))
    assert.deepEqual([again.turn.id, again.replayed, again.entries], [first.turn.id, true, []])
    const changed = { idempotency: { key: 'k', bodyHash: 'other' } }
    await rejectsWith(store.turns.start(turnOf(changed)), 'idempotency_conflict')
    const theirs = await store.turns.start(turnOf({ ...keyed, user: bob }))
    assert.equal(theirs.replayed, false, 'keys belong to their user')
    assert.equal((await store.turns.list(ada, { limit: 9 })).rows.length, 1)
  })

  test('of many starts with one key at once one is kept', async (t) => {
    const { store } = await open(t)
    const all = await Promise.all(Array.from({ length: 10 }, () => store.turns.start(turnOf(keyed))))
    assert.equal(new Set(all.map(({ turn }) => turn.id)).size, 1)
    assert.equal(all.filter(({ replayed }) => !replayed).length, 1)
  })

  test('a key is remembered for 24 hours and free after them', async (t) => {
    const { store, clock } = await open(t)
    const first = await store.turns.start(turnOf(keyed))
    clock.now += dayMs
    assert.equal((await store.turns.start(turnOf(keyed))).turn.id, first.turn.id)
    clock.now += 1
    const fresh = await store.turns.start(turnOf({ idempotency: { key: 'k', bodyHash: 'other' } }))
    assert.deepEqual([fresh.replayed, fresh.turn.id === first.turn.id], [false, false])
    assert.equal((await store.turns.get(ada, first.turn.id))?.status, 'running', 'the old turn stays')
  })

  test('a key is forgotten with the turn that it made', async (t) => {
    const { store } = await open(t)
    const first = await store.turns.start(turnOf(keyed))
    await finish(store, first.turn)
    await store.turns.remove(ada, first.turn.id)
    assert.equal(await store.turns.findByKey(ada, keyed.idempotency), undefined)
    const fresh = await store.turns.start(turnOf({ idempotency: { key: 'k', bodyHash: 'other' } }))
    assert.deepEqual([fresh.replayed, fresh.turn.id === first.turn.id], [false, false])
  })

  test('a refused start does not use up its key', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    const over = { ...keyed, threadId: turn.threadId, whenBusy: 'refuse' as const }
    await rejectsWith(store.turns.start(turnOf(over)), 'conversation_busy')
    await store.turns.record(turn, lease, step([], { status: 'completed' }))
    assert.equal((await store.turns.start(turnOf(over))).replayed, false)
  })
}
