// Messages that wait outside of the log: changed and taken back until their turn begins, never after.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textOf } from '#core/item.ts'
import type { Store } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import { ada, bob, finish, itemsOf, lease, type Open, queuedTurn, rejectsWith, say, turnOf } from './harness.ts'

/** A running turn, and messages queued behind it. */
async function queueBehind(store: Store, ...texts: string[]): Promise<{ running: Turn; queued: Turn[] }> {
  const { turn: running } = await store.turns.start(turnOf())
  const queued: Turn[] = []
  for (const text of texts) {
    const { turn } = await store.turns.start(queuedTurn({ threadId: running.threadId, input: [say(text)] }))
    queued.push(turn)
  }
  return { running, queued }
}

async function queuedTexts(store: Store, { threadId }: Turn): Promise<string[]> {
  const entries = await store.threads.queued(ada, threadId, { limit: 50, maxBytes: 1_000_000 })
  return entries.map(({ item }) => (item.type === 'message' ? textOf(item) : item.type))
}

export function queueTests(open: Open): void {
  test('a queued message is changed in its place, and so it enters the log', async (t) => {
    const { store } = await open(t)
    const { running, queued } = await queueBehind(store, 'one', 'two')
    const [first] = queued
    assert(first)
    const { input } = await store.turns.queuedInput(ada, first.id)
    await store.turns.replaceInput(ada, first.id, [{ ...say('other'), id: input[0]?.id ?? '' }, say('more')])
    assert.deepEqual(await queuedTexts(store, running), ['other', 'more', 'two'])
    await finish(store, running)
    const { started } = await store.turns.claim(lease, 1)
    assert.deepEqual([started[0]?.turn.id, started[0]?.turn.options.inputs], [first.id, 2])
    assert.equal(started[0]?.entries[0]?.id, input[0]?.id)
    const texts = (await itemsOf(store, running)).map((item) => (item.type === 'message' ? textOf(item) : ''))
    assert.deepEqual(texts, ['hello', 'done', 'other', 'more'])
  })

  test('a long message is shown, changed and claimed like any other', async (t) => {
    const { store } = await open(t)
    const long = 'é"\n'.repeat(400_000)
    const { running, queued } = await queueBehind(store, long, 'two')
    const [first] = queued
    assert(first)
    assert.deepEqual(await queuedTexts(store, running), [long])
    const { input } = await store.turns.queuedInput(ada, first.id)
    const other = `${long}!`
    await store.turns.replaceInput(ada, first.id, [{ ...say(other), id: input[0]?.id ?? '' }])
    await finish(store, running)
    const { started, more } = await store.turns.claim(lease, 9)
    assert.deepEqual([started.map(({ turn }) => turn.id), more], [[first.id], true])
    assert.deepEqual(started[0]?.entries[0]?.item, say(other).item)
    const texts = (await itemsOf(store, running)).map((item) => (item.type === 'message' ? textOf(item) : ''))
    assert.deepEqual(texts, ['hello', 'done', other])
  })

  test('a message that has begun, or was stopped, is neither changed nor taken back', async (t) => {
    const { store } = await open(t)
    const { running, queued } = await queueBehind(store, 'one', 'two')
    const [first, second] = queued
    assert(first && second)
    await finish(store, running)
    await store.turns.claim(lease, 1)
    await store.turns.cancel(ada, second.id)
    for (const { id } of [running, first, second]) {
      await rejectsWith(store.turns.queuedInput(ada, id), 'turn_started')
      await rejectsWith(store.turns.replaceInput(ada, id, [say('x')]), 'turn_started')
      await rejectsWith(store.turns.withdraw(ada, id), 'turn_started')
    }
    // Back in the queue after a crash, but begun.
    await store.turns.release(first, lease)
    await rejectsWith(store.turns.withdraw(ada, first.id), 'turn_started')
    assert.deepEqual(await store.turns.withdrawAll(ada, first.threadId), [])
  })

  test('nobody reaches the queued messages of another', async (t) => {
    const { store } = await open(t)
    const { running, queued } = await queueBehind(store, 'one')
    const [first] = queued
    assert(first)
    await rejectsWith(store.turns.queuedInput(bob, first.id), 'not_found')
    await rejectsWith(store.turns.replaceInput(bob, first.id, [say('x')]), 'not_found')
    await rejectsWith(store.turns.withdraw(bob, first.id), 'not_found')
    assert.deepEqual(await store.turns.withdrawAll(bob, running.threadId), [])
    assert.deepEqual(await queuedTexts(store, running), ['one'])
  })

  test('one is taken back, or all of a thread; the turn that runs and other threads go on', async (t) => {
    const { store, clock } = await open(t)
    const { running, queued } = await queueBehind(store, 'one', 'two', 'three')
    const elsewhere = await queueBehind(store, 'kept')
    const [first, second, third] = queued
    assert(first && second && third)
    const gone = await store.turns.withdraw(ada, second.id)
    assert.deepEqual([gone.status, gone.endedAt], ['cancelled', clock.now])
    assert.deepEqual(await queuedTexts(store, running), ['one', 'three'])
    const all = await store.turns.withdrawAll(ada, running.threadId)
    assert.deepEqual(all.map(({ id, status }) => `${id} ${status}`).toSorted(), [
      `${first.id} cancelled`,
      `${third.id} cancelled`,
    ])
    assert.equal((await store.turns.get(ada, running.id))?.status, 'running')
    assert.deepEqual(await queuedTexts(store, elsewhere.running), ['kept'])
    await finish(store, running)
    assert.deepEqual((await store.turns.claim(lease, 5)).started, [])
  })

  test('what is stored is counted: a longer text adds, a message that is taken back goes', async (t) => {
    const { store } = await open(t, { maxUserBytes: 100_000 })
    const { running } = await queueBehind(store)
    const used = async () => (await store.storage.used(ada)).bytes
    const before = await used()
    const { turn } = await store.turns.start(
      queuedTurn({ threadId: running.threadId, input: [say('x'.repeat(1_000))] }),
    )
    const queued = await used()
    await store.turns.replaceInput(ada, turn.id, [say('x'.repeat(1_500))])
    assert.equal(await used(), queued + 500)
    await rejectsWith(store.turns.replaceInput(ada, turn.id, [say('x'.repeat(200_000))]), 'storage_full')
    await store.turns.replaceInput(ada, turn.id, [say('x'.repeat(1_000))])
    assert.equal(await used(), queued)
    await store.turns.withdraw(ada, turn.id)
    assert.ok((await used()) < queued - 1_000 && (await used()) >= before)
  })

  test('of a claim and a withdrawal at once, one wins', async (t) => {
    const { store } = await open(t)
    for (let round = 0; round < 10; round++) {
      const { running, queued } = await queueBehind(store, 'one')
      await finish(store, running)
      const id = queued[0]?.id ?? ''
      const [{ started }, withdrawn] = await Promise.all([
        store.turns.claim(lease, 1),
        store.turns.withdraw(ada, id).then(
          () => true,
          () => false,
        ),
      ])
      const { status } = (await store.turns.get(ada, id)) ?? {}
      assert.equal(status, withdrawn ? 'cancelled' : 'running')
      assert.equal(started.length, withdrawn ? 0 : 1)
      if (started[0]) await finish(store, started[0].turn)
    }
  })
}
