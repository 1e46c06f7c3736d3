// Documents: kept to the letter, apart for every user, found at once, bounded.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Chunk, type Match, maxDocumentBytes, type NewDocument } from '#core/document.ts'
import { type UserId, userId } from '#core/ids.ts'
import type { Store } from '#core/store.ts'
import { ada, bob, type Open, rejectsWith } from './harness.ts'

function chunk(text: string, lap = 0): Chunk {
  const body = text
    .slice(lap)
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
  return { text, lap, terms: { title: [], body, extra: [] } }
}

/** A document of one chunk whose terms are its words. */
export function document(path: string, text: string, over: Partial<NewDocument> = {}): NewDocument {
  return { path, bytes: Buffer.byteLength(text), author: 'user', untrusted: false, chunks: [chunk(text)], ...over }
}

async function pathsOf(store: Store, user: UserId, match: Match): Promise<string[]> {
  const found = await store.documents.find(user, { match, weights: [{ match, weight: 1 }], depth: 100, limit: 10 })
  return found.map(({ path }) => path).toSorted()
}

export function documentTests(open: Open): void {
  test('a document is read as it was written, whatever its pieces', async (t) => {
    const { store, clock } = await open(t)
    const chunks = [chunk('one \r\n two'), chunk('two three', 3), chunk('ree 😀\ufeff', 3)]
    const put = await store.documents.put(ada, [
      document('a/b c.md', '', { bytes: 7, chunks, author: 'agent', threadId: 't', untrusted: true }),
    ])
    assert.deepEqual(put, ['created'])
    assert.deepEqual(await store.documents.get(ada, 'a/b c.md'), {
      path: 'a/b c.md',
      content: 'one \r\n two three 😀\ufeff',
      bytes: 7,
      author: 'agent',
      threadId: 't',
      untrusted: true,
      revision: 1,
      createdAt: clock.now,
      updatedAt: clock.now,
    })
    assert.equal(await store.documents.get(ada, 'a/b C.md'), undefined)
    const match = { term: 'three' }
    const found = await store.documents.find(ada, { match, weights: [{ match, weight: 1 }], depth: 9, limit: 9 })
    const place = { path: 'a/b c.md', at: 1, text: 'two three' }
    assert.deepEqual(found, [{ ...place, untrusted: true, updatedAt: clock.now }])
    const all = { prefix: '', after: '', limit: 9 }
    const [shown] = await store.documents.list(ada, { ...all, beginnings: true })
    assert.deepEqual([shown?.threadId, shown?.beginning], ['t', 'one \r\n two'])
    assert.equal((await store.documents.list(ada, all))[0]?.beginning, undefined)
    await store.documents.put(ada, [document('b', `${'x'.repeat(240)}y`)])
    const [, long] = await store.documents.list(ada, { ...all, beginnings: true })
    assert.equal(long?.beginning, 'x'.repeat(240))
  })

  test('a write replaces all of a document, and what it no longer says is no longer found', async (t) => {
    const { store, clock } = await open(t)
    await store.documents.put(ada, [document('a', 'old words', { threadId: 't' })])
    clock.now += 5
    assert.deepEqual(await store.documents.put(ada, [document('a', 'new words')]), ['replaced'])
    const { content, revision, createdAt, updatedAt, threadId } = (await store.documents.get(ada, 'a')) ?? {}
    assert.deepEqual([content, revision, createdAt, updatedAt], ['new words', 2, clock.now - 5, clock.now])
    assert.equal(threadId, undefined)
    assert.deepEqual(await pathsOf(store, ada, { term: 'old' }), [])
    assert.deepEqual(await pathsOf(store, ada, { term: 'new' }), ['a'])
    assert.equal(await store.documents.remove(ada, 'a'), true)
    assert.equal(await store.documents.remove(ada, 'a'), false)
    assert.deepEqual(await pathsOf(store, ada, { term: 'new' }), [])
    assert.equal(await store.documents.count(ada, [{ term: 'new' }], 9), undefined)
  })

  test('a change is made on the revision it was meant for, or not at all', async (t) => {
    const { store } = await open(t)
    await store.documents.put(ada, [document('a', 'one')])
    const outcomes = await Promise.all(
      ['two', 'three'].map((text) => store.documents.put(ada, [document('a', text, { expects: 1 })])),
    )
    assert.deepEqual(outcomes.flat().toSorted(), ['changed', 'replaced'])
    assert.deepEqual(await store.documents.put(ada, [document('a', 'x', { expects: 0 })]), ['changed'])
    assert.deepEqual(await store.documents.put(ada, [document('b', 'x', { expects: 0 })]), ['created'])
  })

  test('nobody reaches, finds or counts what another has', async (t) => {
    const { store } = await open(t)
    const users = [ada, bob, userId('webhook:ada'), userId('operator')]
    for (const user of users) {
      await store.documents.put(user, [document('same', `shared only${user.replace(':', '')}`)])
    }
    await store.documents.put(bob, [document('more', 'shared')])
    for (const user of users) {
      const own = `only${user.replace(':', '')}`
      assert.match((await store.documents.get(user, 'same'))?.content ?? '', new RegExp(`${own}$`))
      assert.deepEqual(await pathsOf(store, user, { term: 'shared' }), user === bob ? ['more', 'same'] : ['same'])
      const counted = await store.documents.count(user, [{ term: 'shared' }, { term: own }, { prefix: 'only' }], 9)
      assert.deepEqual(counted?.counts, [user === bob ? 2 : 1, 1, 1])
    }
    assert.equal(await store.documents.remove(userId('eve'), 'same'), false)
    assert.deepEqual(await store.documents.list(userId('eve'), { prefix: '', after: '', limit: 9 }), [])
    await store.documents.remove(bob, 'same')
    assert.equal((await store.documents.get(ada, 'same'))?.revision, 1)
  })

  test('terms, beginnings, phrases, any and all', async (t) => {
    const { store } = await open(t)
    await store.documents.put(ada, [
      document('1', 'red green blue'),
      document('2', 'green red blue'),
      document('3', 'reddish'),
      document('4', '数据 据库'),
    ])
    for (const [match, expected] of [
      [{ term: 'red' }, '12'],
      [{ prefix: 'red' }, '123'],
      [{ phrase: ['red', 'green'] }, '1'],
      [{ phrase: ['green', 'blue'] }, '1'],
      [{ any: [{ term: 'reddish' }, { phrase: ['red', 'blue'] }] }, '23'],
      [{ all: [{ term: 'red' }, { any: [{ term: 'blue' }, { term: 'x' }] }] }, '12'],
      [{ all: [{ term: 'red' }, { term: 'x' }] }, ''],
      [{ term: '据库' }, '4'],
    ] as const) {
      assert.equal((await pathsOf(store, ada, match)).join(''), expected, JSON.stringify(match))
      const counted = await store.documents.count(ada, [match], 2)
      assert.deepEqual(counted?.counts, [Math.min(2, expected.length)], JSON.stringify(match))
    }
  })

  test('candidates come rare words first, and only the newest are looked at', async (t) => {
    const { store } = await open(t)
    const many = Array.from({ length: 12 }, (_, at) => document(`m${at}`, 'common filler text'))
    await store.documents.put(ada, [document('rare', 'rare common'), ...many])
    const weights = [
      { match: { term: 'common' }, weight: 0.1 },
      { match: { term: 'rare' }, weight: 3 },
    ]
    const match = { any: [{ term: 'common' }, { term: 'rare' }] }
    const deep = await store.documents.find(ada, { match, weights, depth: 100, limit: 3 })
    assert.deepEqual([deep[0]?.path, deep.length], ['rare', 3])
    const shallow = await store.documents.find(ada, { match, weights, depth: 4, limit: 9 })
    assert.deepEqual(shallow.map(({ path }) => path).toSorted(), ['m10', 'm11', 'm8', 'm9'])
  })

  test('a list goes by path, in a folder alone, in pages', async (t) => {
    const { store } = await open(t)
    const paths = ['a', 'b/1', 'b/2', 'b/c/3', 'b0', 'b-', 'é', '日']
    await store.documents.put(
      ada,
      paths.map((path) => document(path, path)),
    )
    const list = async (prefix: string, after: string, limit: number) =>
      (await store.documents.list(ada, { prefix, after, limit })).map(({ path }) => path)
    assert.deepEqual(await list('', '', 99), ['a', 'b-', 'b/1', 'b/2', 'b/c/3', 'b0', 'é', '日'])
    assert.deepEqual(await list('b/', '', 99), ['b/1', 'b/2', 'b/c/3'])
    assert.deepEqual(await list('b/', 'b/1', 1), ['b/2'])
  })

  test('a path is a document or a folder, never both, and a refused batch leaves nothing', async (t) => {
    const { store } = await open(t)
    await store.documents.put(ada, [document('a/b', 'x')])
    await rejectsWith(store.documents.put(ada, [document('new', 'x'), document('a', 'x')]), 'invalid_input')
    await rejectsWith(store.documents.put(ada, [document('a/b/c', 'x')]), 'invalid_input')
    assert.equal(await store.documents.get(ada, 'new'), undefined)
    assert.deepEqual(await store.documents.put(bob, [document('a', 'x')]), ['created'])
    assert.deepEqual(await store.documents.put(ada, [document('a/b', 'y'), document('a/bc', 'y')]), [
      'replaced',
      'created',
    ])
  })

  test('what a user keeps is bounded, and what was removed makes room', async (t) => {
    const { store } = await open(t)
    const half = { bytes: maxDocumentBytes / 2 }
    await store.documents.put(ada, [document('a', 'x', half), document('b', 'x', half)])
    await rejectsWith(store.documents.put(ada, [document('c', 'x')]), 'too_large')
    assert.deepEqual(await store.documents.put(ada, [document('b', 'y', half)]), ['replaced'])
    await store.documents.remove(ada, 'a')
    assert.deepEqual(await store.documents.put(ada, [document('c', 'x')]), ['created'])
  })

  test('all that a user keeps is erased part by part, and nothing is left behind', async (t) => {
    const { store } = await open(t)
    const id = userId('eve')
    const many = Array.from({ length: 130 }, (_, at) => document(`d${at}`, 'hello'))
    await store.documents.put(id, many)
    await store.documents.put(ada, [document('a', 'hello'), document('b', 'hello')])
    const erased: number[] = []
    do erased.push(await store.documents.eraseSome(id))
    while (erased.at(-1) !== 0)
    assert.deepEqual(erased, [50, 50, 30, 0])
    assert.deepEqual(await store.documents.list(id, { prefix: '', after: '', limit: 9 }), [])
    assert.equal(await store.documents.get(id, 'a'), undefined)
    assert.equal(await store.documents.count(id, [], 9), undefined)
    // Whoever gets the number of a user that is gone finds nothing of theirs.
    await store.documents.put(bob, [document('c', 'hello')])
    assert.deepEqual(await pathsOf(store, bob, { term: 'hello' }), ['c'])
    assert.deepEqual(await pathsOf(store, ada, { term: 'hello' }), ['a', 'b'])
  })

  test('users who write their first documents together get a part of the index each', async (t) => {
    const { store } = await open(t)
    const users = Array.from({ length: 12 }, (_, at) => userId(`u${at}`))
    await Promise.all(users.map((user) => store.documents.put(user, [document('a', `hello ${user}`)])))
    for (const user of users) {
      assert.deepEqual((await store.documents.count(user, [{ term: 'hello' }], 99))?.counts, [1])
    }
  })

  test('the last twenty texts that writes replaced are kept, and go with the document', async (t) => {
    const { store, clock } = await open(t)
    const { documents } = store
    for (let at = 1; at <= 23; at++) {
      clock.now = 1_000 + at
      await documents.put(ada, [document('a', `text ${at}`)])
    }
    await documents.put(ada, [document('a', 'text 23')])
    const versions = await documents.versions(ada, 'a')
    assert.deepEqual(
      versions.map(({ revision }) => revision),
      Array.from({ length: 20 }, (_, at) => 22 - at),
      'a write of the same text keeps nothing',
    )
    const content = 'text 22'
    const read = await documents.version(ada, 'a', 22)
    assert.deepEqual([read?.content, read?.bytes, read?.writtenAt], [content, content.length, 1_022])
    assert.deepEqual(
      [await documents.version(ada, 'a', 2), await documents.version(bob, 'a', 22)],
      [undefined, undefined],
    )
    const before = (await store.storage.used(ada)).bytes
    assert.equal(before, 14 * 7 + 7 * 6, 'they count in what is stored')
    await documents.remove(ada, 'a')
    assert.deepEqual([await documents.versions(ada, 'a'), (await store.storage.used(ada)).bytes], [[], 0])
    await documents.put(ada, [document('b', 'one')])
    await documents.put(ada, [document('b', 'two')])
    await documents.eraseSome(ada)
    assert.equal(await documents.version(ada, 'b', 1), undefined)
  })
}
