// Keeping the index over threads: when a thread is looked at again, in which steps, and what leaves it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Part } from '#core/item.ts'
import type { Store } from '#core/store.ts'
import { eraseWords } from '#turns/erase-words.ts'
import { catchUp } from '#turns/thread-indexer.ts'
import { ada, bob, draft, lease, type Open, queuedTurn, reply, say, step, turnAtApproval, turnOf } from './harness.ts'
import { findTitles, nextToIndex, searchOf, tell } from './thread-words.ts'

/** Indexes what there is, one thread at a time, and tells how many messages each step reads. */
async function messagesOfSteps({ threadIndex }: Store): Promise<number[]> {
  await threadIndex.follow(await threadIndex.position(), '')
  const steps: number[] = []
  for (let [next] = await nextToIndex({ threadIndex }); next; [next] = await nextToIndex({ threadIndex })) {
    assert.ok(next.type === 'behind')
    steps.push(next.messages.length)
    await threadIndex.save([{ thread: next, chunks: [] }])
  }
  return steps
}

export function threadIndexingTests(open: Open): void {
  test('a thread without a turn is found, and one that waits is found again with what follows', async (t) => {
    const { store } = await open(t)
    await store.threads.create(ada, { door: 'web', title: 'made', metadata: {}, drafts: [reply('conversational')] })
    assert.deepEqual(await findTitles(store, 'conversational'), ['made'])
    const { turn } = await store.turns.start(turnOf({ title: 'runs', input: [say('beginning')] }))
    assert.deepEqual(await findTitles(store, 'beginning'), ['runs'])
    await store.turns.record(turn, lease, step([reply('ending')], { status: 'completed' }))
    assert.deepEqual(await findTitles(store, 'ending'), [], 'it was looked at a moment ago')
    await store.threadIndex.add([turn.threadId])
    assert.deepEqual(await findTitles(store, 'ending'), ['runs'])
    const queued = await store.turns.start(queuedTurn({ threadId: turn.threadId, input: [say('in the queue')] }))
    assert.deepEqual(await findTitles(store, 'queue'), [])
    await store.turns.cancel(ada, queued.turn.id)
  })

  test('a thread that still runs when it is indexed is looked at again, whoever ends it', async (t) => {
    const { store, clock } = await open(t)
    const { turn } = await store.turns.start(turnOf({ input: [say('beginning')] }))
    assert.deepEqual(await findTitles(store, 'beginning'), ['hello'])
    await store.turns.record(turn, lease, step([reply('ending')], { status: 'completed' }))
    clock.now += 60_000
    assert.deepEqual(await findTitles(store, 'ending'), ['hello'])
    assert.deepEqual(await nextToIndex(store), [], 'nothing is left to do')
  })

  test('a thread that waits for a person is left alone for ten minutes, unless it is put on the list', async (t) => {
    const { store, clock } = await open(t)
    const { threadId } = await turnAtApproval(store)
    await catchUp(store.threadIndex)
    clock.now += 300_000
    assert.deepEqual(await nextToIndex(store), [])
    await store.threadIndex.add([threadId])
    assert.equal((await nextToIndex(store))[0]?.threadId, threadId)
    await catchUp(store.threadIndex)
    clock.now += 600_000
    assert.equal((await nextToIndex(store))[0]?.threadId, threadId)
  })

  test('a title that changes while its thread is indexed is not lost, and nothing is indexed twice', async (t) => {
    const { store } = await open(t)
    const { threadId } = await tell(store, 'words', { title: 'Caterpillar' })
    await store.threadIndex.add([threadId])
    const [thread] = await nextToIndex(store)
    assert.ok(thread?.type === 'behind')
    await store.threads.rename(ada, threadId, 'Butterfly')
    const terms = { title: ['caterpillar'], body: [], extra: [] }
    await store.threadIndex.save([{ thread, chunks: [{ seq: 0, start: 0, chars: 11, terms }] }])
    assert.deepEqual(await findTitles(store, 'butterfly'), ['Butterfly'])
    assert.deepEqual(await findTitles(store, 'caterpillar'), [])
    await store.threadIndex.add([threadId])
    await store.threadIndex.save([{ thread, chunks: [{ seq: 0, start: 0, chars: 11, terms }] }])
    assert.deepEqual(await findTitles(store, 'caterpillar'), [])
  })

  test('deleted threads and removed users leave the index, in bounded parts', async (t) => {
    const { store } = await open(t)
    const many = Array.from({ length: 190 }, (_, at) => say(`vanishing ${at}`))
    const { threadId } = await tell(store, '', { title: 'long', input: many })
    const ofBob = await tell(store, 'vanishing of bob', { user: bob })
    await tell(store, 'staying', { user: ada })
    assert.deepEqual(await findTitles(store, 'vanishing'), ['long'])
    await store.threads.remove(ada, threadId)
    assert.deepEqual(await searchOf(store)(ada, { query: 'vanishing', limit: 9 }), [], 'even before it is erased')
    const chunks = async () => (await store.threadIndex.count(ada, [], 9))?.chunks ?? 0
    const before = await chunks()
    assert.equal(await store.threadIndex.erase([threadId]), true, 'one part is not all')
    assert.equal(await chunks(), before - 160)
    assert.equal((await nextToIndex(store)).length, 1, 'the rest is still to be done')
    await eraseWords(store.threadIndex, [threadId])
    assert.deepEqual(await nextToIndex(store), [], 'nothing is left to the indexer')
    const left = await store.threadIndex.count(ada, [{ term: 'vanish' }, { term: 'stai' }], 99)
    assert.deepEqual(left?.counts, [0, 2])
    const { threadIds } = await store.threads.eraseSome(bob)
    assert.deepEqual(threadIds, [ofBob.threadId])
    await eraseWords(store.threadIndex, threadIds)
    assert.equal(await store.threadIndex.count(bob, [], 9), undefined)
    assert.deepEqual(await nextToIndex(store), [])
  })

  test('threads of several owners leave the index together, and one that is not gone stays', async (t) => {
    const { store } = await open(t)
    const ofAda = await tell(store, 'vanishing of ada', { user: ada })
    const ofBob = await tell(store, 'vanishing of bob', { user: bob })
    const kept = await tell(store, 'staying', { user: ada })
    assert.deepEqual(await findTitles(store, 'vanishing'), ['vanishing of ada'])
    await store.threads.remove(ada, ofAda.threadId)
    await store.threads.remove(bob, ofBob.threadId)
    const before = await store.threadIndex.count(ada, [], 9)
    assert.equal(await store.threadIndex.erase([ofAda, ofBob, kept].map(({ threadId }) => threadId)), false)
    assert.deepEqual(await nextToIndex(store), [], 'nothing is left to the indexer')
    const left = await store.threadIndex.count(ada, [{ term: 'vanish' }, { term: 'stai' }], 9)
    assert.deepEqual([left?.chunks, left?.counts], [(before?.chunks ?? 0) / 2, [0, 2]])
    assert.equal(await store.threadIndex.count(bob, [], 9), undefined)
  })

  test('a long thread is indexed in bounded steps', async (t) => {
    const { store } = await open(t)
    const input = Array.from({ length: 50 }, (_, at) => say(`word${at}`))
    await tell(store, '', { title: 'steps', input })
    assert.deepEqual(await messagesOfSteps(store), [20, 20, 11])
  })

  test('short threads are read and saved together, up to 16 of them or 16 KiB with their attachments', async (t) => {
    const { store } = await open(t)
    const { threadIndex } = store
    const tellAll = async (texts: readonly string[], picture?: string): Promise<void> => {
      const told: string[] = []
      for (const text of texts) {
        const content: Part[] = [{ type: 'text', text }]
        if (picture !== undefined) content.push({ type: 'image', url: `data:image/png;base64,${picture}` })
        const input = [draft({ type: 'message', role: 'user', content })]
        told.push((await tell(store, '', { title: 't', input })).threadId)
      }
      await threadIndex.add(told)
    }
    const stepsOf = async (): Promise<number[]> => {
      const steps: number[] = []
      for (let read = await nextToIndex({ threadIndex }); read.length > 0; read = await nextToIndex({ threadIndex })) {
        steps.push(read.length)
        await threadIndex.save(read.flatMap((thread) => (thread.type === 'behind' ? [{ thread, chunks: [] }] : [])))
      }
      return steps
    }
    await tellAll(Array.from({ length: 20 }, (_, at) => `word${at}`))
    assert.deepEqual(await stepsOf(), [16, 4])
    await tellAll(Array.from({ length: 5 }, () => 'x'.repeat(9 * 1024)))
    assert.deepEqual(await stepsOf(), [2, 2, 1])
    await tellAll(['one', 'two'], 'x'.repeat(20 * 1024))
    assert.deepEqual(await stepsOf(), [1, 1])
  })

  for (const [more, expected] of [
    [0, [8, 1]],
    [1, [7, 2]],
  ] as const) {
    test(`a step reads 128 KiB and no more: ${more} more, ${expected.join(' and ')} messages`, async (t) => {
      const { store } = await open(t)
      const sized = (bytes: number) => say('x'.repeat(bytes - Buffer.byteLength(JSON.stringify(say('').item))))
      const input = Array.from({ length: 8 }, (_, at) => sized(16 * 1024 + (at === 7 ? more : 0)))
      await tell(store, 'reply', { title: 'bytes', input })
      assert.deepEqual(await messagesOfSteps(store), expected)
    })
  }

  test('a thread that cannot be indexed waits, and the others are found', async (t) => {
    const { store, clock } = await open(t)
    const bad = await tell(store, 'unreadable', { title: 'bad' })
    const { threadIndex } = store
    const faulty = (fails: (ids: readonly string[]) => boolean) => ({
      ...threadIndex,
      read: (ids: readonly string[]) => (fails(ids) ? Promise.reject(new Error('damaged')) : threadIndex.read(ids)),
    })
    for (const word of ['one', 'two']) await tell(store, `readable ${word}`, { title: word })
    await catchUp(faulty((ids) => ids.includes(bad.threadId)))
    const search = searchOf(store)
    assert.equal((await search(ada, { query: 'readable', limit: 9 })).length, 2)
    assert.deepEqual(await nextToIndex(store), [], 'it is left alone for a while')
    clock.now += 30_000
    assert.deepEqual(await findTitles(store, 'unreadable'), ['bad'])
    await tell(store, 'later')
    const away = { ...faulty(() => true), putOff: () => Promise.reject(new Error('away')) }
    await assert.rejects(catchUp(away), /away/, 'a fault of the whole database is none of a thread')
  })

  test('the position stays behind rows that may come late, and never goes back', async (t) => {
    const { store } = await open(t)
    const turn = await tell(store, 'words')
    const { threadIndex } = store
    assert.deepEqual(await threadIndex.position(), { turns: '', threads: '' })
    const { position } = await threadIndex.follow({ turns: '', threads: '' }, turn.threadId)
    assert.deepEqual(position, { turns: turn.id, threads: turn.threadId })
    const stored = await threadIndex.position()
    assert.ok(stored.turns <= turn.threadId && stored.threads === turn.threadId)
    await threadIndex.follow({ turns: '', threads: '' }, '0')
    assert.deepEqual(await threadIndex.position(), stored)
    await threadIndex.rewind()
    assert.deepEqual(await threadIndex.position(), { turns: '', threads: '' }, 'unless it is told to')
  })
}
