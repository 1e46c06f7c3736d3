// What each user stores, counted and bounded.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operator, type UserId } from '#core/ids.ts'
import type { Store } from '#core/store.ts'
import type { NewTurn } from '#core/turn-store.ts'
import { removeUser } from '#turns/user-removal.ts'
import {
  ada,
  bob,
  decide,
  finish,
  itemsOf,
  lease,
  type Open,
  queuedTurn,
  rejectsWith,
  reply,
  say,
  step,
  turnAtApproval,
  turnOf,
} from './harness.ts'
import { document } from './suite-documents.ts'

const mb = 1024 * 1024

export function storageTests(open: Open): void {
  const usedBy = async (store: Store, user: UserId = ada): Promise<number> => (await store.storage.used(user)).bytes

  test('what a user stores is counted, and is nothing once all is deleted', async (t) => {
    const { store } = await open(t)
    const { threads, turns, documents } = store
    assert.deepEqual(await store.storage.used(ada), { bytes: 0 })
    const grows = async (atLeast: number, work: () => Promise<unknown>): Promise<void> => {
      const before = await usedBy(store)
      await work()
      const added = (await usedBy(store)) - before
      assert.ok(added >= atLeast && added < atLeast + 5_000, `${added} bytes were added, not ${atLeast}`)
    }
    const long = 'ü'.repeat(10_000)
    const { turn } = await turns.start(turnOf())
    await grows(20_000, () => turns.record(turn, lease, step([reply(long)], { status: 'completed' })))
    await grows(20_000, () => turns.start(turnOf({ threadId: turn.threadId, input: [say(long)] })))
    await grows(20_000, () => turns.start(queuedTurn({ input: [say(long)], options: { effort: 'low' } as object })))
    const queuedBytes = await usedBy(store)
    await turns.claim(lease, 9)
    assert.equal(await usedBy(store), queuedBytes, 'what enters the log was counted before')
    await grows(10, () => documents.put(ada, [document('a', '0123456789')]))
    await grows(-5, () => documents.put(ada, [document('a', '01234')]))
    const queued = (await turns.start(queuedTurn({ threadId: turn.threadId, input: [say(long)] }))).turn
    await grows(-21_000, () => turns.cancel(ada, queued.id))
    await grows(0, () => threads.fork(ada, turn.threadId, { beforeSeq: 3, door: 'web' }))
    const waiting = await turnAtApproval(store)
    await turns.answer(ada, waiting.threadId, decide('a1'))
    assert.equal(await usedBy(store, bob), 0)
    await threads.remove(ada, turn.threadId)
    assert.ok((await usedBy(store)) >= 40_000, 'the fork keeps what it shares')
    for (let more = true; more; ) ({ more } = await threads.eraseSome(ada))
    // The document, and its version of ten bytes.
    assert.equal(await usedBy(store), 15)
    await documents.remove(ada, 'a')
    assert.equal(await usedBy(store), 0)
  })

  test('erasing documents and removing a user take what they stored', async (t) => {
    const { store } = await open(t)
    const { id } = await store.accounts.addUser('ada', { hash: 'h' })
    await finish(store, (await store.turns.start(turnOf({ user: id }))).turn)
    await store.documents.put(id, [document('a', '0123456789'), document('b', '01234')])
    await store.documents.put(ada, [document('a', '0123456789'), document('b', '01234')])
    while ((await store.documents.eraseSome(ada)) > 0);
    assert.equal(await usedBy(store), 0)
    await removeUser({ store }, 'ada')
    assert.equal(await usedBy(store, id), 0)
  })

  test('nothing more is stored for a user over the quota, until something is deleted', async (t) => {
    const { store } = await open(t, { maxUserBytes: 100_000 })
    const { threads, turns, documents } = store
    const half = 'x'.repeat(50_000)
    const idempotency = { key: 'k', bodyHash: 'h' }
    const { turn } = await turns.start(turnOf({ input: [say(half)], threadKey: 'key', idempotency }))
    await turns.record(turn, lease, step([reply(half)], { status: 'completed' }))
    const used = await store.storage.used(ada)
    assert.ok(used.bytes > 100_000, 'a turn that runs is not cut short')
    assert.equal(used.maxBytes, 100_000)
    const { threadId } = turn
    await rejectsWith(turns.start(turnOf()), 'storage_full')
    await rejectsWith(turns.start(turnOf({ threadId })), 'storage_full')
    await rejectsWith(turns.start(turnOf({ threadKey: 'key' })), 'storage_full')
    await rejectsWith(turns.start(queuedTurn({ threadId })), 'storage_full')
    await rejectsWith(threads.fork(ada, threadId, { beforeSeq: 3, door: 'web' }), 'storage_full')
    await rejectsWith(threads.create(ada, { door: 'web', title: '', metadata: {}, drafts: [] }), 'storage_full')
    await rejectsWith(documents.put(ada, [document('a', 'word')]), 'storage_full')
    assert.equal(await documents.get(ada, 'a'), undefined)
    assert.deepEqual(await store.storage.used(ada), used)
    assert.equal((await turns.start(turnOf({ input: [say(half)], threadKey: 'key', idempotency }))).replayed, true)
    assert.ok((await turns.start(turnOf({ user: bob }))).turn, 'another user has room')
    await threads.remove(ada, threadId)
    assert.ok((await turns.start(turnOf())).turn)
    assert.deepEqual(await documents.put(ada, [document('a', 'word')]), ['created'])
  })

  test('the text that a write replaces is kept where it fits into the quota', async (t) => {
    const { store } = await open(t, { maxUserBytes: 20 })
    const { documents } = store
    await documents.put(ada, [document('a', '0123456789')])
    await documents.put(ada, [document('a', '9876543210')])
    assert.deepEqual([(await documents.versions(ada, 'a')).length, await usedBy(store)], [1, 20])
    await documents.put(ada, [document('a', '01234')])
    assert.deepEqual([(await documents.versions(ada, 'a')).length, await usedBy(store)], [1, 15], 'no room for it')
  })

  test('a message counts the same whether it was queued or began at once, and is nothing once it is stopped', async (t) => {
    const { store } = await open(t)
    const { turns } = store
    const { threadId } = (await turns.start(turnOf())).turn
    const added = async (work: () => Promise<unknown>): Promise<number> => {
      const before = await usedBy(store)
      await work()
      return (await usedBy(store)) - before
    }
    const row = 500
    const messages: readonly Pick<NewTurn, 'input' | 'options'>[] = [
      { input: [say('ü'.repeat(600))], options: {} },
      { input: [say('one'), say('two')], options: { inputs: 2 } },
    ]
    for (const message of messages) {
      const kept = row + (message.options.inputs ? '{"inputs":2}'.length : 0)
      const atOnce = await added(() => turns.start(turnOf(message)))
      assert.equal(await added(() => turns.start(queuedTurn(message))), atOnce)
      assert.equal(await added(() => turns.claim(lease, 9)), 0)
      const { turn: first } = await turns.start(queuedTurn({ threadId }))
      const changed = await added(async () => {
        await turns.replaceInput(ada, first.id, message.input)
        await turns.cancel(ada, first.id)
        await turns.start(queuedTurn({ threadId }))
        await turns.withdrawAll(ada, threadId)
      })
      const { turn: second } = await turns.start(queuedTurn({ threadId, ...message }))
      const stopped = await added(() => turns.withdraw(ada, second.id))
      assert.equal(stopped, kept - atOnce)
      const hello = await added(() => turns.start(queuedTurn({ threadId })))
      await turns.withdrawAll(ada, threadId)
      assert.equal(changed, kept + row - hello)
    }
  })

  test('a stop of a turn that has begun takes nothing off, and counts what it adds', async (t) => {
    const { store } = await open(t)
    const { id, threadId } = await turnAtApproval(store)
    for (const callId of ['a1', 'a2']) await store.turns.answer(ada, threadId, decide(callId))
    assert.equal((await store.turns.get(ada, id))?.status, 'queued')
    const before = await usedBy(store)
    const { entries } = await store.turns.cancel(ada, id)
    assert.equal(entries.length, 2)
    const added = entries.reduce((sum, { item }) => sum + 500 + Buffer.byteLength(JSON.stringify(item)), 0)
    assert.equal((await usedBy(store)) - before, added)
  })

  test('a turn of an API client counts its point in the chain', async (t) => {
    const { store } = await open(t)
    const start = async (options: NewTurn['options']): Promise<number> => {
      const before = await usedBy(store)
      await store.turns.start(turnOf({ options }))
      return (await usedBy(store)) - before
    }
    assert.equal(await start({ chain: 'x' }), (await start({ model: 'x' })) + 500)
  })

  test('a document over the quota may be replaced by a smaller one', async (t) => {
    const { store } = await open(t, { maxUserBytes: 100 })
    assert.deepEqual(await store.documents.put(ada, [document('a', 'x'.repeat(100))]), ['created'])
    await rejectsWith(store.documents.put(ada, [document('b', 'x')]), 'storage_full')
    assert.deepEqual(await store.documents.put(ada, [document('a', 'x'.repeat(50))]), ['replaced'])
    assert.deepEqual(await store.documents.put(ada, [document('b', 'x')]), ['created'])
  })

  test('forks of a large thread count for little', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf({ input: [say('x'.repeat(mb / 2))] }))
    await finish(store, turn)
    const before = await usedBy(store)
    for (let at = 0; at < 24; at++) await store.threads.fork(ada, turn.threadId, { beforeSeq: 3, door: 'web' })
    const added = (await usedBy(store)) - before
    assert.ok(added > 24 * 1_000 && added < 24 * 3_000, `${added} bytes`)
  })

  test('a fork counts its rows, and nothing of what it shares', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf({ input: [say('ü'.repeat(10_000))] }))
    await store.turns.record(turn, lease, step([reply('ü'.repeat(10_000))], { status: 'completed' }))
    const before = await usedBy(store)
    const fork = await store.threads.fork(ada, turn.threadId, { beforeSeq: 3, door: 'web' })
    assert.equal((await usedBy(store)) - before, 1_000)
    await store.threads.fork(ada, fork?.id ?? '', { beforeSeq: 3, door: 'web' })
    assert.equal((await usedBy(store)) - before, 2_000)
  })

  test('what a fork of the operator shares with a webhook thread still counts for its sender', async (t) => {
    const { store } = await open(t)
    const said = 'y'.repeat(20_000)
    const { turn } = await store.turns.start(turnOf({ user: bob, door: 'webhook', input: [say(said)] }))
    await store.turns.record(turn, lease, step([reply('x'.repeat(mb / 2))], { status: 'completed' }))
    const before = await usedBy(store, bob)
    const fork = await store.threads.fork(operator, turn.threadId, { beforeSeq: 3, door: 'web' })
    const [sender, ours] = [await usedBy(store, bob), await usedBy(store, operator)]
    assert.ok(sender >= before && sender < before + 3_000, `${before} became ${sender} bytes`)
    // The sender's messages are copied, since they are marked.
    const [message] = await itemsOf(store, { threadId: fork?.id ?? '', userId: operator })
    assert.equal(ours, 2 * 500 + Buffer.byteLength(JSON.stringify(message)))
  })
}
