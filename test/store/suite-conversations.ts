// Threads that begin without a turn, what clients attach to them, and temporary threads.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { removedMessage } from '#core/item.ts'
import type { ThreadStore } from '#core/thread-store.ts'
import type { Shelf } from '#core/turn.ts'
import { catchUp } from '#turns/thread-indexer.ts'
import type { Open } from './harness.ts'
import { ada, bob, dayMs, finish, rejectsWith, reply, say, threadAtGate, turnAtApproval, turnOf } from './harness.ts'
import { findTitles } from './thread-words.ts'

export function conversationTests(open: Open): void {
  test('a thread without a turn has its items, is listed, and gets the title of its first message', async (t) => {
    const { store } = await open(t)
    const first = say('before')
    const made = await store.threads.create(ada, { door: 'responses', title: '', metadata: {}, drafts: [first] })
    assert.deepEqual(await store.threads.get(ada, made.id), made)
    assert.deepEqual([made.state, made.lastSeq], ['idle', 1])
    const { turn } = await store.turns.start(turnOf({ threadId: made.id, title: 'Hello' }))
    assert.equal(turn.firstSeq, 2)
    const { rows } = await store.threads.list(ada, { limit: 9 })
    assert.deepEqual(
      rows.map(({ id, title }) => [id, title]),
      [[made.id, 'Hello']],
    )
    const { entries } = await store.threads.entries(ada, made.id, { after: 0, limit: 9 })
    assert.deepEqual([entries[0]?.item, entries[0]?.turnId], [first.item, made.id])
  })

  test('items of no turn are added at the end of a thread at rest, by its owner alone', async (t) => {
    const { store } = await open(t, { maxUserBytes: 20_000 })
    const { threads } = store
    const { id } = await threads.create(ada, { door: 'responses', title: '', metadata: {}, drafts: [] })
    const added = { title: 'Plans', drafts: [say('one'), reply('two')] }
    const entries = await threads.addItems(ada, id, added)
    assert.deepEqual(
      entries.map(({ seq, turnId }) => [seq, turnId]),
      [
        [1, id],
        [2, id],
      ],
    )
    assert.deepEqual((await threads.entries(ada, id, { after: 0, limit: 9 })).entries, entries)
    await rejectsWith(threads.addItems(bob, id, added), 'not_found')
    await rejectsWith(threads.addItems(ada, id, { title: '', drafts: [say('x'.repeat(20_000))] }), 'storage_full')
    const { turn } = await store.turns.start(turnOf({ threadId: id }))
    assert.equal(turn.firstSeq, 3)
    await rejectsWith(threads.addItems(ada, id, added), 'conversation_busy')
    await finish(store, turn)
    const { title, lastSeq } = (await threads.get(ada, id)) ?? {}
    const [next] = await threads.addItems(ada, id, { title: 'Later', drafts: [say('three')] })
    assert.deepEqual([title, next?.seq], ['Plans', (lastSeq ?? 0) + 1])
    const waiting = await turnAtApproval(store)
    await rejectsWith(threads.addItems(ada, waiting.threadId, added), 'gate_required')
    const asking = await threadAtGate(store)
    await rejectsWith(threads.addItems(ada, asking.threadId, added), 'tool_output_required')
  })

  test('a removed item leaves its place: its text is erased, and no longer counted or found', async (t) => {
    const { store } = await open(t)
    const { threads, storage } = store
    const { id } = await threads.create(ada, { door: 'responses', title: 'kept', metadata: {}, drafts: [] })
    const [first] = await threads.addItems(ada, id, { title: '', drafts: [say('kept')] })
    const before = await storage.used(ada)
    const [gone] = await threads.addItems(ada, id, { title: '', drafts: [say(`vanishing ${'x'.repeat(4_000)}`)] })
    assert.deepEqual(await findTitles(store, 'vanishing'), ['kept'])
    // Its body moves to a table of its own.
    const fork = await threads.fork(ada, id, { beforeSeq: 3, door: 'web' })
    assert.ok(gone && first && fork)
    assert.equal(await threads.removeItem(bob, { threadId: id, itemId: gone.id, title: '' }), 'missing')
    assert.equal(
      await threads.removeItem(ada, { threadId: fork.id, itemId: gone.id, title: '' }),
      'read',
      'it is of another thread',
    )
    await threads.remove(ada, fork.id)
    assert.equal(await threads.removeItem(ada, { threadId: id, itemId: gone.id, title: '' }), 'removed')
    assert.equal(await threads.removeItem(ada, { threadId: id, itemId: gone.id, title: '' }), 'missing')
    const { entries } = await threads.entries(ada, id, { after: 0, limit: 9 })
    assert.deepEqual(
      entries.map(({ item }) => item),
      [first.item, removedMessage],
    )
    assert.deepEqual(await findTitles(store, 'vanishing'), [])
    assert.deepEqual(await findTitles(store, 'kept'), ['kept'])
    const { bytes } = await storage.used(ada)
    assert.ok(bytes - before.bytes < 600, `${bytes - before.bytes} bytes are left`)
    await finish(store, (await store.turns.start(turnOf({ threadId: id }))).turn)
    assert.equal(await threads.removeItem(ada, { threadId: id, itemId: first.id, title: '' }), 'read')
    await threads.remove(ada, id)
    assert.equal((await storage.used(ada)).bytes, 0)
  })

  test('a removed item takes the title that it gave with it; another title stays', async (t) => {
    const { store } = await open(t)
    const { threads } = store
    const { id: threadId } = await threads.create(ada, { door: 'responses', title: '', metadata: {}, drafts: [] })
    const add = async (text: string): Promise<string> =>
      (await threads.addItems(ada, threadId, { title: text, drafts: [say(text)] }))[0]?.id ?? ''
    const [first, second] = [await add('secret plans'), await add('other plans'), await add('kept')]
    const title = async () => (await threads.get(ada, threadId))?.title
    await threads.removeItem(ada, { threadId, itemId: second, title: 'other plans' })
    assert.deepEqual([await title(), await findTitles(store, 'secret')], ['secret plans', ['secret plans']])
    await threads.removeItem(ada, { threadId, itemId: first, title: 'secret plans' })
    assert.equal(await title(), '')
    assert.equal((await store.threadIndex.count(ada, [{ term: 'secret' }], 9))?.counts[0], 0)
    await add('garden')
    assert.equal(await title(), 'garden')
  })

  test('an item that is removed while it is indexed leaves no words in the index', async (t) => {
    const { store } = await open(t)
    const { threads, threadIndex } = store
    const { id } = await threads.create(ada, { door: 'responses', title: 'kept', metadata: {}, drafts: [say('kept')] })
    const [gone] = await threads.addItems(ada, id, { title: '', drafts: [say('zebra')] })
    const removing: typeof threadIndex = {
      ...threadIndex,
      async save(read) {
        await threads.removeItem(ada, { threadId: id, itemId: gone?.id ?? '', title: '' })
        await threadIndex.save(read)
      },
    }
    await catchUp(removing)
    const words = [{ term: 'kept' }, { term: 'zebra' }]
    assert.deepEqual((await threadIndex.count(ada, words, 9))?.counts, [2, 0])
  })

  test('metadata is replaced by its owner alone, and counts towards what is stored', async (t) => {
    const { store } = await open(t)
    const { id } = await store.threads.create(ada, { door: 'responses', title: '', metadata: { a: 'b' }, drafts: [] })
    const { bytes } = await store.storage.used(ada)
    assert.equal(await store.threads.setMetadata(bob, id, {}), false)
    assert.equal(await store.threads.setMetadata(ada, id, { a: 'ü'.repeat(10) }), true)
    assert.deepEqual((await store.threads.get(ada, id))?.metadata, { a: 'ü'.repeat(10) })
    assert.deepEqual(await store.storage.used(ada), { bytes: bytes + 19 })
    await store.threads.setMetadata(ada, id, {})
    assert.equal((await store.threads.get(ada, id))?.metadata, undefined)
    assert.deepEqual(await store.storage.used(ada), { bytes: bytes - '{"a":"b"}'.length })
    await store.threads.remove(ada, id)
    assert.deepEqual(await store.storage.used(ada), { bytes: 0 })
  })

  test('a temporary thread and its turns are in no list, but found by id and by their gates', async (t) => {
    const { store } = await open(t)
    const kept = await finish(store, (await store.turns.start(turnOf())).turn)
    const waiting = await turnAtApproval(store, { temporary: true })
    const done = await finish(store, (await store.turns.start(turnOf({ temporary: true }))).turn)
    const { rows } = await store.threads.list(ada, { limit: 9 })
    assert.deepEqual(
      rows.map(({ id }) => id),
      [kept.threadId],
    )
    const turns = await store.turns.list(ada, { limit: 9 })
    assert.deepEqual(
      turns.rows.map(({ id }) => id),
      [kept.id],
    )
    for (const status of ['waiting', 'running', 'queued', 'failed', 'cancelled'] as const) {
      assert.deepEqual((await store.turns.list(ada, { limit: 9, status })).rows, [], status)
    }
    assert.equal(await store.turns.countAll(ada), 1)
    assert.equal((await store.threads.get(ada, done.threadId))?.temporary, true)
    assert.equal((await store.turns.get(ada, done.id))?.status, 'completed')
    const gates = await store.turns.openGates(ada, { limit: 9 })
    assert.deepEqual(new Set(gates.map(({ turn }) => turn.id)), new Set([waiting.id]))
  })

  test('a turn without the wish keeps a temporary thread, one with it changes nothing about another', async (t) => {
    const { store } = await open(t)
    const first = await finish(store, (await store.turns.start(turnOf({ temporary: true }))).turn)
    const { threadId } = first
    await finish(store, (await store.turns.start(turnOf({ threadId, temporary: true }))).turn)
    assert.equal((await store.threads.get(ada, threadId))?.temporary, true)
    const forks = { threadId, beforeSeq: 3 }
    const fork = await finish(store, (await store.turns.start(turnOf({ forks, temporary: true }))).turn)
    assert.equal((await store.threads.get(ada, fork.threadId))?.temporary, true)
    await finish(store, (await store.turns.start(turnOf({ threadId }))).turn)
    assert.equal((await store.threads.get(ada, threadId))?.temporary, undefined)
    assert.equal((await store.turns.list(ada, { limit: 9 })).rows.length, 3)
    await store.turns.start(turnOf({ threadId, temporary: true }))
    assert.equal((await store.threads.list(ada, { limit: 9 })).rows.length, 1)
  })

  const keeps: readonly [
    what: string,
    shelf: Shelf | undefined,
    keep: (threads: ThreadStore, id: string) => Promise<boolean>,
  ][] = [
    ['pins', 'pinned', (threads, id) => threads.shelve(ada, id, { pinned: true })],
    ['archives', 'archived', (threads, id) => threads.shelve(ada, id, { archived: true })],
    ['renames', undefined, (threads, id) => threads.rename(ada, id, 'Plans')],
  ]
  for (const [what, shelf, keep] of keeps) {
    test(`a temporary thread that a person ${what} is kept, listed with its turns, and not erased`, async (t) => {
      const { store, clock } = await open(t)
      const { id, threadId } = await finish(store, (await store.turns.start(turnOf({ temporary: true }))).turn)
      assert.equal(await keep(store.threads, threadId), true)
      assert.equal(await store.threads.eraseTemporary(clock.now + dayMs), 0)
      const { rows } = await store.threads.list(ada, { limit: 9, ...(shelf && { shelf }) })
      assert.deepEqual(
        rows.map((thread) => [thread.id, thread.temporary]),
        [[threadId, undefined]],
      )
      const turns = await store.turns.list(ada, { limit: 9 })
      assert.deepEqual(
        turns.rows.map((turn) => turn.id),
        [id],
      )
    })
  }

  test('a temporary thread stays one when somebody else pins it, it is unpinned, or its title is made for it', async (t) => {
    const { store } = await open(t)
    const { threadId } = await finish(store, (await store.turns.start(turnOf({ temporary: true, title: 'Hi' }))).turn)
    assert.equal(await store.threads.shelve(bob, threadId, { pinned: true }), false)
    assert.equal(await store.threads.rename(bob, threadId, 'Mine'), false)
    assert.equal(await store.threads.shelve(ada, threadId, { pinned: false, archived: false }), true)
    assert.equal(await store.threads.rename(ada, threadId, 'A greeting', 'Hi'), true)
    assert.equal((await store.threads.get(ada, threadId))?.temporary, true)
  })

  test('a message that is queued in a thread updates the time of the thread', async (t) => {
    const { store, clock } = await open(t)
    const { turn } = await store.turns.start(turnOf({ temporary: true }))
    clock.now += dayMs
    await store.turns.start(turnOf({ threadId: turn.threadId, temporary: true }))
    assert.equal((await store.threads.get(ada, turn.threadId))?.updatedAt, clock.now)
  })

  test('temporary threads are erased once their last turn ended before a time, and nothing else', async (t) => {
    const { store, clock } = await open(t)
    const kept = await finish(store, (await store.turns.start(turnOf())).turn)
    const old = await finish(store, (await store.turns.start(turnOf({ temporary: true }))).turn)
    const waiting = await turnAtApproval(store, { temporary: true })
    const { turn: late } = await store.turns.start(turnOf({ temporary: true }))
    clock.now += dayMs
    await finish(store, late)
    assert.equal(await store.threads.eraseTemporary(clock.now - dayMs), 0)
    assert.equal(await store.threads.eraseTemporary(clock.now), 1)
    assert.equal(await store.threads.eraseTemporary(clock.now), 0)
    assert.equal(await store.threads.get(ada, old.threadId), undefined)
    assert.deepEqual((await store.threads.history(old)).items, [])
    for (const { threadId } of [kept, waiting, late]) assert.ok(await store.threads.get(ada, threadId))
    await store.turns.cancel(ada, waiting.id)
    assert.equal(await store.threads.eraseTemporary(clock.now + 1), 2)
    assert.ok(await store.threads.get(ada, kept.threadId))
  })
}
