// The full-text index over threads: what it finds, whose it is, and what leaves it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operator, type UserId } from '#core/ids.ts'
import type { Part } from '#core/item.ts'
import type { NewTurn } from '#core/turn-store.ts'
import type { Store } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import { eraseWords } from '#turns/erase-words.ts'
import { catchUp } from '#turns/thread-indexer.ts'
import { createThreadSearch } from '#turns/thread-search.ts'
import {
  ada,
  bob,
  call,
  draft,
  finish,
  lease,
  type Open,
  queuedTurn,
  reply,
  say,
  step,
  turnAtApproval,
  turnOf,
} from './harness.ts'

/** A finished turn. */
async function tell(store: Store, said: string, over: Partial<NewTurn> = {}): Promise<Turn> {
  const { turn } = await store.turns.start(turnOf({ title: said.slice(0, 40), input: [say(said)], ...over }))
  return finish(store, turn)
}

/** The titles of what a user finds, once all is indexed. */
async function find(store: Store, query: string, user: UserId = ada): Promise<string[]> {
  await catchUp(store.threadIndex)
  const found = await searchOf(store)(user, { query, limit: 20 })
  return found.map(({ title }) => title)
}

const searchOf = (store: Store) => createThreadSearch({ index: store.threadIndex, threads: store.threads })

export function threadIndexTests(open: Open): void {
  test('what the messages of a thread say is read in parts, within bounds, by its user alone', async (t) => {
    const { store } = await open(t)
    const { threadId } = await tell(store, 'one')
    for (const said of ['two', 'three']) await tell(store, said, { threadId })
    const { lastSeq = 0 } = { lastSeq: (await store.threads.get(ada, threadId))?.lastSeq }
    const read = (after: number, limit: number, maxBytes = 1e6, user = ada) =>
      store.threads.said(user, threadId, { after, limit, maxBytes })
    const all = await read(0, 100)
    assert.deepEqual([all.through, all.more], [lastSeq, false])
    assert.deepEqual(
      all.messages.filter(({ text }) => ['one', 'two', 'three'].includes(text)).map(({ text }) => text),
      ['one', 'two', 'three'],
    )
    const parts: (typeof all.messages)[number][] = []
    let after = 0
    for (let more = true; more; ) {
      const part = await read(after, 2)
      assert.ok(part.messages.length <= 2 && part.through > after)
      parts.push(...part.messages)
      ;({ through: after, more } = part)
    }
    assert.deepEqual(parts, all.messages)
    // A message is read even if it is larger than the bound.
    const one = await read(0, 100, 1)
    assert.deepEqual([one.messages, one.more], [all.messages.slice(0, 1), true])
    assert.deepEqual(await read(0, 100, 1e6, bob), { messages: [], through: 0, more: false })
    assert.deepEqual(await read(lastSeq, 100), { messages: [], through: lastSeq, more: false })
    const { turn } = await store.turns.start(turnOf({ threadId, input: [say('four')] }))
    const drafts = [call('c1'), draft({ type: 'result', callId: 'c1', output: '' }), reply('five')]
    await store.turns.record(turn, lease, step(drafts, { status: 'completed' }))
    const passed = { messages: [{ seq: lastSeq + 1, text: 'four' }], through: lastSeq + 2, more: true }
    assert.deepEqual(await read(lastSeq, 2), passed, 'what is no message is passed, too')
  })

  test('threads are found by what was said in them, and titles with all the words come first', async (t) => {
    const { store, clock } = await open(t)
    await tell(store, 'Travel plans\nThe zeppelin leaves at nine', { title: 'Travel plans' })
    await tell(store, 'About a zeppelin museum', { title: 'A zeppelin museum' })
    await tell(store, 'Bread and butter')
    assert.deepEqual(await find(store, 'zeppelin'), ['A zeppelin museum', 'Travel plans'])
    assert.deepEqual(await find(store, 'zeppelins leave'), ['Travel plans', 'A zeppelin museum'])
    assert.deepEqual(await find(store, '"butter and bread"'), [])
    assert.deepEqual(await find(store, '"bread and butter"'), ['Bread and butter'])
    assert.deepEqual(await find(store, '"zeppelin museum"'), ['A zeppelin museum'])
    assert.deepEqual(await find(store, 'submarine'), [])
    assert.deepEqual(await find(store, ' ?! '), [])
    const [found] = await searchOf(store)(ada, { query: 'nine', limit: 1 })
    assert.deepEqual(found?.match, { seq: 1, snippet: 'Travel plans\nThe zeppelin leaves at nine' })
    const match = { term: 'nine' }
    const reading = { texts: new Map<string, string>(), bytesLeft: 9_999 }
    const asked = { match, weights: [{ match, weight: 1 }], depth: 9, limit: 9 }
    const [message] = await store.threadIndex.find(ada, asked, reading)
    const text = 'Travel plans\nThe zeppelin leaves at nine'
    assert.deepEqual(
      { ...message, at: 0 },
      { path: found.id, at: 0, seq: 1, text, untrusted: false, updatedAt: clock.now },
    )
    const [titled] = await searchOf(store)(ada, { query: 'museum', limit: 1 })
    assert.equal(titled?.match, undefined, 'a title needs no snippet')
  })

  test('the variants of one conversation leave room for others, by title and by message', async (t) => {
    const { store } = await open(t)
    const other = await tell(store, 'The zeppelin leaves', { title: 'Travel plans' })
    const first = await tell(store, 'The zeppelin leaves', { title: 'Travel plans' })
    const forks = { threadId: first.threadId, beforeSeq: 1, variant: true } as const
    let shown = first
    for (let at = 0; at < 9; at++) shown = await tell(store, 'The zeppelin leaves', { forks })
    await catchUp(store.threadIndex)
    for (const query of ['zeppelin', 'travel']) {
      const found = await searchOf(store)(ada, { query, limit: 2 })
      assert.deepEqual(found.map(({ id }) => id).toSorted(), [other.threadId, shown.threadId].toSorted(), query)
    }
  })

  test('replies and later turns are found; results, thoughts and files are not', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf({ title: 'one', input: [say('first')] }))
    const file = { type: 'file', name: 'a.txt', text: 'inthefile' } as const
    const drafts = [
      draft({ type: 'reasoning', text: 'pondered' }),
      call('c1', 'look'),
      draft({ type: 'result', callId: 'c1', output: 'fetched' }),
      draft({ type: 'message', role: 'assistant', content: [{ type: 'text', text: 'answered' }, file] }),
    ]
    await store.turns.record(turn, lease, step(drafts, { status: 'completed' }))
    assert.deepEqual(await find(store, 'answered'), ['one'])
    for (const word of ['pondered', 'fetched', 'inthefile', 'look']) assert.deepEqual(await find(store, word), [], word)
    await tell(store, 'second visit', { threadId: turn.threadId })
    assert.deepEqual(await find(store, 'visit'), ['one'])
    assert.deepEqual(await find(store, 'answered'), ['one'], 'what was indexed stays')
    // The title, two messages and two replies, with five words beside the title.
    const counts = await store.threadIndex.count(ada, [], 9)
    assert.deepEqual(counts && [counts.chunks, counts.terms], [5, 5])
  })

  test('a long message is found in each of its parts', async (t) => {
    const { store } = await open(t)
    const filler = 'lorem ipsum dolor sit amet. '.repeat(400)
    await tell(store, `Start ${filler} middling ${filler} finale`, { title: 'long' })
    for (const word of ['middling', 'finale']) {
      assert.deepEqual(await find(store, word), ['long'])
      const [found] = await searchOf(store)(ada, { query: word, limit: 1 })
      assert.match(found?.match?.snippet ?? '', new RegExp(word))
    }
  })

  test('a message with a large photo is found by its words, and a search reads no more than it may', async (t) => {
    const { store } = await open(t)
    const photo = { type: 'image', url: `data:image/png;base64,${'A'.repeat(600 * 1024)}` } as const
    for (const title of ['one', 'two', 'three']) {
      const content = [{ type: 'text', text: `a zeppelin of ${title}` } as const, photo]
      await tell(store, title, { title, input: [draft({ type: 'message', role: 'user', content })] })
    }
    assert.deepEqual((await find(store, 'zeppelin')).toSorted(), ['one', 'three', 'two'])
    const reading = { texts: new Map<string, string>(), bytesLeft: 600 * 1024 }
    const match = { term: 'zeppelin' }
    const candidates = { match, weights: [{ match, weight: 1 }], depth: 100, limit: 10 }
    for (const _query of [1, 2]) {
      const found = await store.threadIndex.find(ada, candidates, reading)
      assert.equal(found.filter(({ text }) => text !== '').length, 2, 'the bound is shared by all queries of a search')
    }
  })

  test('a search finds a user’s own threads; the operator also those of senders without an account', async (t) => {
    const { store } = await open(t)
    await tell(store, 'zeppelin of ada')
    await tell(store, 'zeppelin of bob', { user: bob })
    await tell(store, 'zeppelin of a sender', { user: 'webhook:mail' as UserId, door: 'webhook' })
    assert.deepEqual(await find(store, 'zeppelin', ada), ['zeppelin of ada'])
    assert.deepEqual(await find(store, 'zeppelin', bob), ['zeppelin of bob'])
    assert.deepEqual(await find(store, 'zeppelin', operator), ['zeppelin of a sender'])
  })

  test('temporary threads stay out, until a turn keeps them', async (t) => {
    const { store } = await open(t)
    const { threadId } = await tell(store, 'fleeting words', { temporary: true })
    assert.deepEqual(await find(store, 'fleeting'), [])
    await tell(store, 'kept now', { threadId })
    assert.deepEqual(await find(store, 'fleeting'), ['fleeting words'])
  })

  test('a thread without a turn is found, and one that waits is found again with what follows', async (t) => {
    const { store } = await open(t)
    await store.threads.create(ada, { door: 'web', title: 'made', metadata: {}, drafts: [reply('conversational')] })
    assert.deepEqual(await find(store, 'conversational'), ['made'])
    const { turn } = await store.turns.start(turnOf({ title: 'runs', input: [say('beginning')] }))
    assert.deepEqual(await find(store, 'beginning'), ['runs'])
    await store.turns.record(turn, lease, step([reply('ending')], { status: 'completed' }))
    assert.deepEqual(await find(store, 'ending'), [], 'it was looked at a moment ago')
    await store.threadIndex.add([turn.threadId])
    assert.deepEqual(await find(store, 'ending'), ['runs'])
    const queued = await store.turns.start(queuedTurn({ threadId: turn.threadId, input: [say('in the queue')] }))
    assert.deepEqual(await find(store, 'queue'), [])
    await store.turns.cancel(ada, queued.turn.id)
  })

  test('a thread that still runs when it is indexed is looked at again, whoever ends it', async (t) => {
    const { store, clock } = await open(t)
    const { turn } = await store.turns.start(turnOf({ input: [say('beginning')] }))
    assert.deepEqual(await find(store, 'beginning'), ['hello'])
    await store.turns.record(turn, lease, step([reply('ending')], { status: 'completed' }))
    clock.now += 60_000
    assert.deepEqual(await find(store, 'ending'), ['hello'])
    assert.deepEqual(await store.threadIndex.next(), [], 'nothing is left to do')
  })

  test('a thread that waits for a person is left alone for ten minutes, unless it is put on the list', async (t) => {
    const { store, clock } = await open(t)
    const { threadId } = await turnAtApproval(store)
    await catchUp(store.threadIndex)
    clock.now += 300_000
    assert.deepEqual(await store.threadIndex.next(), [])
    await store.threadIndex.add([threadId])
    assert.equal((await store.threadIndex.next())[0]?.threadId, threadId)
    await catchUp(store.threadIndex)
    clock.now += 600_000
    assert.equal((await store.threadIndex.next())[0]?.threadId, threadId)
  })

  test('a new title is found in place of the old one', async (t) => {
    const { store } = await open(t)
    const { threadId } = await tell(store, 'words', { title: 'Caterpillar' })
    assert.deepEqual(await find(store, 'caterpillar'), ['Caterpillar'])
    await store.threads.rename(ada, threadId, 'Butterfly')
    assert.deepEqual(await find(store, 'caterpillar'), [])
    assert.deepEqual(await find(store, 'butterfly'), ['Butterfly'])
    const counts = await store.threadIndex.count(ada, [], 9)
    assert.deepEqual(counts && [counts.chunks, counts.terms], [3, 2], 'the title, what was said and the reply')
  })

  test('a title that changes while its thread is indexed is not lost, and nothing is indexed twice', async (t) => {
    const { store } = await open(t)
    const { threadId } = await tell(store, 'words', { title: 'Caterpillar' })
    await store.threadIndex.add([threadId])
    const [thread] = await store.threadIndex.next()
    assert.ok(thread?.type === 'behind')
    await store.threads.rename(ada, threadId, 'Butterfly')
    const terms = { title: ['caterpillar'], body: [], extra: [] }
    await store.threadIndex.save([{ thread, chunks: [{ seq: 0, start: 0, chars: 11, terms }] }])
    assert.deepEqual(await find(store, 'butterfly'), ['Butterfly'])
    assert.deepEqual(await find(store, 'caterpillar'), [])
    await store.threadIndex.add([threadId])
    await store.threadIndex.save([{ thread, chunks: [{ seq: 0, start: 0, chars: 11, terms }] }])
    assert.deepEqual(await find(store, 'caterpillar'), [])
  })

  test('deleted threads and removed users leave the index, in bounded parts', async (t) => {
    const { store } = await open(t)
    const many = Array.from({ length: 90 }, (_, at) => say(`vanishing ${at}`))
    const { threadId } = await tell(store, '', { title: 'long', input: many })
    const ofBob = await tell(store, 'vanishing of bob', { user: bob })
    await tell(store, 'staying', { user: ada })
    assert.deepEqual(await find(store, 'vanishing'), ['long'])
    await store.threads.remove(ada, threadId)
    assert.deepEqual(await searchOf(store)(ada, { query: 'vanishing', limit: 9 }), [], 'even before it is erased')
    const chunks = async () => (await store.threadIndex.count(ada, [], 9))?.chunks ?? 0
    const before = await chunks()
    assert.equal(await store.threadIndex.erase(threadId), true, 'one part is not all')
    assert.equal(await chunks(), before - 40)
    assert.equal((await store.threadIndex.next()).length, 1, 'the rest is still to be done')
    await eraseWords(store.threadIndex, [threadId])
    assert.deepEqual(await store.threadIndex.next(), [], 'nothing is left to the indexer')
    const left = await store.threadIndex.count(ada, [{ term: 'vanish' }, { term: 'stai' }], 99)
    assert.deepEqual(left?.counts, [0, 2])
    const { threadIds } = await store.threads.eraseSome(bob)
    assert.deepEqual(threadIds, [ofBob.threadId])
    await eraseWords(store.threadIndex, threadIds)
    assert.equal(await store.threadIndex.count(bob, [], 9), undefined)
    assert.deepEqual(await store.threadIndex.next(), [])
  })

  test('a long thread is indexed in bounded steps', async (t) => {
    const { store } = await open(t)
    const input = Array.from({ length: 50 }, (_, at) => say(`word${at}`))
    await tell(store, '', { title: 'steps', input })
    const { threadIndex } = store
    await threadIndex.follow(await threadIndex.position(), '')
    const steps: number[] = []
    for (let [next] = await threadIndex.next(); next; [next] = await threadIndex.next()) {
      assert.ok(next.type === 'behind')
      steps.push(next.messages.length)
      await threadIndex.save([{ thread: next, chunks: [] }])
    }
    assert.deepEqual(steps, [20, 20, 11])
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
      for (let read = await threadIndex.next(); read.length > 0; read = await threadIndex.next()) {
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
      const { threadIndex } = store
      await threadIndex.follow(await threadIndex.position(), '')
      const steps: number[] = []
      for (let [next] = await threadIndex.next(); next; [next] = await threadIndex.next()) {
        assert.ok(next.type === 'behind')
        steps.push(next.messages.length)
        await threadIndex.save([{ thread: next, chunks: [] }])
      }
      assert.deepEqual(steps, expected)
    })
  }

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
  })
}
