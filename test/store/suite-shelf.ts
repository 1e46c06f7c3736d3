// Threads that are pinned or archived, and the lists that have them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operator, type UserId } from '#core/ids.ts'
import type { Store } from '#core/store.ts'
import type { Shelf } from '#core/turn.ts'
import { ada, bob, finish, type Open, queuedTurn, say, turnOf } from './harness.ts'

async function list(store: Store, shelf?: Shelf, user: UserId = ada): Promise<string[]> {
  const { rows } = await store.threads.list(user, { limit: 9, ...(shelf && { shelf }) })
  return rows.map(({ title }) => title)
}

async function make(store: Store, title: string, over: Parameters<typeof turnOf>[0] = {}): Promise<string> {
  const { turn } = await store.turns.start(turnOf({ title, input: [say(title)], ...over }))
  return (await finish(store, turn)).threadId
}

export function shelfTests(open: Open): void {
  test('pinned threads have a list of their own and stay in the usual one; archived ones leave it', async (t) => {
    const { store, clock } = await open(t)
    const { threads } = store
    const [one, two] = [await make(store, 'one'), await make(store, 'two')]
    await make(store, 'three')
    assert.equal(await threads.shelve(ada, two, { pinned: true }), true)
    clock.now += 5
    await threads.shelve(ada, one, { pinned: true })
    assert.deepEqual(await list(store), ['three', 'two', 'one'])
    assert.deepEqual(await list(store, 'pinned'), ['one', 'two'], 'last pinned first')
    clock.now += 5
    await threads.shelve(ada, two, { pinned: true })
    assert.deepEqual(await list(store, 'pinned'), ['one', 'two'], 'pinned again it stays')
    assert.equal((await threads.get(ada, one))?.pinned, true)
    await threads.shelve(ada, one, { archived: true })
    assert.deepEqual(await list(store), ['three', 'two'])
    assert.deepEqual([await list(store, 'archived'), await list(store, 'pinned')], [['one'], ['two']])
    assert.equal((await threads.get(ada, one))?.archived, true)
    await threads.shelve(ada, one, { pinned: true })
    assert.deepEqual([await list(store, 'archived'), await list(store, 'pinned')], [[], ['one', 'two']])
    await threads.shelve(ada, one, { pinned: false })
    assert.deepEqual(await list(store, 'pinned'), ['two'])
    assert.deepEqual(await list(store), ['three', 'two', 'one'])
  })

  test('a message brings an archived thread back, also one that waits in its queue', async (t) => {
    const { store } = await open(t)
    const one = await make(store, 'one')
    await store.threads.shelve(ada, one, { archived: true })
    await make(store, 'again', { threadId: one })
    assert.deepEqual([await list(store), await list(store, 'archived')], [['one'], []])
    await store.threads.shelve(ada, one, { archived: true })
    await store.turns.start(queuedTurn({ threadId: one }))
    assert.deepEqual(await list(store), ['one'])
  })

  test('nobody shelves a thread of another user; the operator does those of senders', async (t) => {
    const { store } = await open(t)
    const one = await make(store, 'one')
    assert.equal(await store.threads.shelve(bob, one, { pinned: true }), false)
    assert.deepEqual(await list(store, 'pinned'), [])
    const sent = await make(store, 'sent', { user: 'webhook:a' as UserId, door: 'webhook' })
    assert.equal(await store.threads.shelve(operator, sent, { pinned: true }), true)
    assert.deepEqual(await list(store, 'pinned', operator), ['sent'])
    await store.threads.shelve(operator, sent, { archived: true })
    assert.deepEqual([await list(store, 'archived', operator), await list(store, undefined, operator)], [['sent'], []])
    for (let more = true; more; ) more = (await store.threads.eraseSome(ada)).more
    assert.deepEqual(await list(store), [])
  })
}
