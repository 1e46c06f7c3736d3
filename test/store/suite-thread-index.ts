// The full-text index over threads: what is found in it, and by whom.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operator, type UserId } from '#core/ids.ts'
import { catchUp } from '#turns/thread-indexer.ts'
import { ada, bob, call, draft, lease, type Open, reply, say, step, turnOf } from './harness.ts'
import { findTitles, searchOf, tell } from './thread-words.ts'

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
    assert.deepEqual(await findTitles(store, 'zeppelin'), ['A zeppelin museum', 'Travel plans'])
    assert.deepEqual(await findTitles(store, 'zeppelins leave'), ['Travel plans', 'A zeppelin museum'])
    assert.deepEqual(await findTitles(store, '"butter and bread"'), [])
    assert.deepEqual(await findTitles(store, '"bread and butter"'), ['Bread and butter'])
    assert.deepEqual(await findTitles(store, '"zeppelin museum"'), ['A zeppelin museum'])
    assert.deepEqual(await findTitles(store, 'submarine'), [])
    assert.deepEqual(await findTitles(store, ' ?! '), [])
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
    assert.deepEqual(await findTitles(store, 'answered'), ['one'])
    for (const word of ['pondered', 'fetched', 'inthefile', 'look'])
      assert.deepEqual(await findTitles(store, word), [], word)
    await tell(store, 'second visit', { threadId: turn.threadId })
    assert.deepEqual(await findTitles(store, 'visit'), ['one'])
    assert.deepEqual(await findTitles(store, 'answered'), ['one'], 'what was indexed stays')
    // The title, two messages and two replies, with five words beside the title.
    const counts = await store.threadIndex.count(ada, [], 9)
    assert.deepEqual(counts && [counts.chunks, counts.terms], [5, 5])
  })

  test('a long message is found in each of its parts', async (t) => {
    const { store } = await open(t)
    const filler = 'lorem ipsum dolor sit amet. '.repeat(400)
    await tell(store, `Start ${filler} middling ${filler} finale`, { title: 'long' })
    for (const word of ['middling', 'finale']) {
      assert.deepEqual(await findTitles(store, word), ['long'])
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
    assert.deepEqual((await findTitles(store, 'zeppelin')).toSorted(), ['one', 'three', 'two'])
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
    assert.deepEqual(await findTitles(store, 'zeppelin', ada), ['zeppelin of ada'])
    assert.deepEqual(await findTitles(store, 'zeppelin', bob), ['zeppelin of bob'])
    assert.deepEqual(await findTitles(store, 'zeppelin', operator), ['zeppelin of a sender'])
  })

  test('temporary threads stay out, until a turn keeps them', async (t) => {
    const { store } = await open(t)
    const { threadId } = await tell(store, 'fleeting words', { temporary: true })
    assert.deepEqual(await findTitles(store, 'fleeting'), [])
    await tell(store, 'kept now', { threadId })
    assert.deepEqual(await findTitles(store, 'fleeting'), ['fleeting words'])
  })

  test('a temporary thread that is pinned is found', async (t) => {
    const { store } = await open(t)
    const { threadId } = await tell(store, 'fleeting words', { temporary: true })
    assert.deepEqual(await findTitles(store, 'fleeting'), [])
    await store.threads.shelve(ada, threadId, { pinned: true })
    assert.deepEqual(await findTitles(store, 'fleeting'), ['fleeting words'])
  })

  test('a new title is found in place of the old one', async (t) => {
    const { store } = await open(t)
    const { threadId } = await tell(store, 'words', { title: 'Caterpillar' })
    assert.deepEqual(await findTitles(store, 'caterpillar'), ['Caterpillar'])
    await store.threads.rename(ada, threadId, 'Butterfly')
    assert.deepEqual(await findTitles(store, 'caterpillar'), [])
    assert.deepEqual(await findTitles(store, 'butterfly'), ['Butterfly'])
    const counts = await store.threadIndex.count(ada, [], 9)
    assert.deepEqual(counts && [counts.chunks, counts.terms], [3, 2], 'the title, what was said and the reply')
  })
}
