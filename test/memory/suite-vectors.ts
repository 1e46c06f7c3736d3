// Vectors on either database: made in the background, found by meaning, never in anybody's way.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Store } from '#core/store.ts'
import type { UserId } from '#core/ids.ts'
import { logTo, silentLog } from '#lib/log.ts'
import { createDocuments } from '#memory/documents.ts'
import { createEmbed } from '#memory/embed.ts'
import { createVectorMaker } from '#memory/vector-maker.ts'
import { createSemanticSearch } from '#memory/semantic-search.ts'
import { ada, bob } from '../store/harness.ts'
import { patienceMs, until } from '../until.ts'
import { type Embedder, startEmbedder } from './embedder.ts'

export type OpenStore = (t: TestContext) => Promise<Store>

type Over = { readonly model?: string; readonly owner?: string; readonly patience?: number }

/** Memory with its maker, as the service has it. */
export function memoryOf(t: TestContext, store: Store, embedder: Embedder, over: Over = {}) {
  const { model = 'concepts', owner = 'one', patience = patienceMs } = over
  const parts = { model, baseUrl: embedder.baseUrl, key: () => Promise.resolve(''), keyName: 'EMBEDDING_API_KEY' }
  const client = createEmbed(parts)
  const { embed } = client
  const warnings: string[] = []
  const log = logTo((_, __, message) => warnings.push(message), 'warn')
  const maker = createVectorMaker({
    store: store.vectors,
    leases: store.leases,
    embed,
    model,
    owner,
    log: silentLog,
    firstPauseMs: 10,
  })
  let now = 0
  const semanticSearch = createSemanticSearch({
    store: store.vectors,
    embed,
    model,
    log,
    now: () => now,
    timeoutMs: patience,
  })
  const documents = createDocuments({ store: store.documents, semanticSearch, onWrite: () => maker.wake() })
  const stop = async () => {
    await maker.stop()
    await client.close()
  }
  t.after(stop)
  return {
    documents,
    warnings,
    stop,
    pass: (ms: number) => (now += ms),
    write: (user: UserId, files: Record<string, string>) =>
      documents.write(
        user,
        Object.entries(files).map(([path, content]) => ({ path, content, author: 'user' as const })),
      ),
    find: async (user: UserId, query: string) =>
      (await documents.search(user, { query, limit: 10 })).map(({ path }) => path),
    made: () => until(async () => (await unmade(store, model)) === 0),
  }
}

async function unmade(store: Store, model = 'concepts'): Promise<number> {
  return (await store.vectors.pending(model, { after: 0, limit: 1_000 })).chunks.length
}

export function vectorTests(open: OpenStore): void {
  test('a document is found by what it means, though it has no word of the query', async (t) => {
    const memory = memoryOf(t, await open(t), await startEmbedder(t))
    await memory.write(ada, { 'a.md': 'My automobile is red.', 'b.md': 'The hound sleeps.', 'c.md': 'Nothing else.' })
    await memory.made()
    assert.deepEqual(await memory.find(ada, 'vehicle'), ['a.md'])
    assert.deepEqual(await memory.find(ada, 'puppy'), ['b.md'])
    const [found] = await memory.documents.search(ada, { query: 'vehicle', limit: 1 })
    assert.equal(found?.content, 'My automobile is red.')
    assert.equal(found.score, Math.round(1e6 / 61) / 1e6)
  })

  test('what has the word and the meaning goes before what has one of them', async (t) => {
    const memory = memoryOf(t, await open(t), await startEmbedder(t))
    await memory.write(ada, {
      'word.md': 'The sea dog of the puppet play was called dog.',
      'both.md': 'A dog.',
      'meaning.md': 'A hound.',
    })
    await memory.made()
    const paths = await memory.find(ada, 'dog')
    assert.equal(paths[0], 'both.md')
    assert.deepEqual(paths.toSorted(), ['both.md', 'meaning.md', 'word.md'])
  })

  test('a phrase in quotes must be there, whatever else means the same', async (t) => {
    const memory = memoryOf(t, await open(t), await startEmbedder(t))
    await memory.write(ada, { 'a.md': 'My automobile is red.', 'b.md': 'A vehicle.' })
    await memory.made()
    assert.deepEqual(await memory.find(ada, '"vehicle"'), ['b.md'])
    assert.deepEqual(await memory.find(ada, '"motor"'), [])
  })

  test('nobody finds by meaning what another keeps', async (t) => {
    const memory = memoryOf(t, await open(t), await startEmbedder(t))
    await memory.write(ada, { 'a.md': 'My automobile is red.' })
    await memory.write(bob, { 'b.md': 'My vehicle is blue.' })
    await memory.made()
    assert.deepEqual(await memory.find(ada, 'motor'), ['a.md'])
    assert.deepEqual(await memory.find(bob, 'motor'), ['b.md'])
    assert.deepEqual(await memory.find('eve' as UserId, 'motor'), [])
  })

  test('what others keep takes no place of what one keeps oneself, however near it is', async (t) => {
    const store = await open(t)
    const memory = memoryOf(t, store, await startEmbedder(t))
    await memory.stop()
    await memory.write(bob, { 'b.md': 'x' })
    await memory.write(ada, { 'a.md': 'x' })
    const { chunks } = await store.vectors.pending('m', { after: 0, limit: 9 })
    const vectorOf = (path: string) => Float32Array.from(path === 'b.md' ? [1, 1, 1, 1] : [1, 1, 1, 0.5])
    await store.vectors.save(
      'm',
      chunks.map((chunk) => ({ chunk, vector: vectorOf(chunk.path) })),
    )
    const query = { model: 'm', vector: Float32Array.from([1, 1, 1, 1]), limit: 1 }
    assert.deepEqual(
      (await store.vectors.nearest(ada, query)).map(({ path }) => path),
      ['a.md'],
    )
  })

  test('a changed document has the vector of what it says now, a deleted one none', async (t) => {
    const store = await open(t)
    const memory = memoryOf(t, store, await startEmbedder(t))
    await memory.write(ada, { 'a.md': 'A dog.', 'b.md': 'The ocean.' })
    await memory.made()
    await memory.write(ada, { 'b.md': 'My salary.' })
    await memory.made()
    assert.deepEqual(await memory.find(ada, 'coast'), [])
    assert.deepEqual(await memory.find(ada, 'wage'), ['b.md'])
    await memory.documents.remove(ada, 'b.md')
    assert.deepEqual(await memory.find(ada, 'wage'), [])
    const query = { model: 'concepts', vector: Float32Array.from([0, 0, 1, 0, 0]), limit: 9 }
    assert.deepEqual(await store.vectors.nearest(ada, query), [])
  })

  test('a vector that comes after its chunk has changed is dropped', async (t) => {
    const store = await open(t)
    const memory = memoryOf(t, store, await startEmbedder(t))
    await memory.stop()
    await memory.write(ada, { 'a.md': 'A dog.' })
    const { chunks } = await store.vectors.pending('concepts', { after: 0, limit: 9 })
    await memory.documents.remove(ada, 'a.md')
    // SQLite gives the id to the next one.
    await memory.write(bob, { 'a.md': 'The sea.' })
    await store.vectors.save('concepts', [{ chunk: chunks[0]!, vector: Float32Array.from([0, 1, 0, 0, 0]) }])
    assert.equal(await unmade(store), 1)
  })

  test('another model makes every vector anew, and those of the one before are not asked', async (t) => {
    const store = await open(t)
    const embedder = await startEmbedder(t)
    const first = memoryOf(t, store, embedder)
    await first.write(ada, { 'a.md': 'A dog.', 'b.md': 'The ocean.' })
    await first.made()
    await first.stop()
    embedder.mode = 'hangs'
    const second = memoryOf(t, store, embedder, { model: 'other' })
    assert.equal(await unmade(store, 'other'), 2)
    await until(() => embedder.held.length > 0)
    embedder.mode = 'answers'
    assert.deepEqual(await second.find(ada, 'coast'), [])
    for (const held of embedder.held) held.destroy()
    await second.made()
    assert.deepEqual(await second.find(ada, 'coast'), ['b.md'])
    assert.equal(await unmade(store, 'concepts'), 2)
    await second.stop()
    const third = memoryOf(t, store, embedder)
    await third.made()
    assert.deepEqual(await third.find(ada, 'coast'), ['b.md'])
  })

  test('a maker that ends in the middle of a batch loses nothing: the next one goes on', async (t) => {
    const store = await open(t)
    const embedder = await startEmbedder(t)
    const first = memoryOf(t, store, embedder)
    const files = Array.from({ length: 40 }, (_, at) => [`${at}.md`, 'A dog.'])
    await first.stop()
    await first.write(ada, Object.fromEntries(files))
    const { chunks } = await store.vectors.pending('concepts', { after: 0, limit: 32 })
    await store.vectors.save(
      'concepts',
      chunks.slice(0, 20).map((chunk) => ({ chunk, vector: Float32Array.from([0, 1, 0, 0, 0]) })),
    )
    embedder.asked.length = 0
    embedder.mode = 'hangs'
    const second = memoryOf(t, store, embedder)
    await until(() => embedder.held.length === 1)
    await second.stop()
    assert.equal(await unmade(store), 20)
    embedder.mode = 'answers'
    await memoryOf(t, store, embedder).made()
    assert.deepEqual(
      embedder.asked.map(({ texts }) => texts.length),
      [20, 20],
    )
  })

  test('a text that the model does not take holds up no other, and one that is too long is made by its beginning', async (t) => {
    const store = await open(t)
    const embedder = await startEmbedder(t, 1_000)
    const memory = memoryOf(t, store, embedder)
    await memory.write(ada, {
      'a.md': 'This is unreadable.',
      'b.md': 'A dog.',
      'c.md': `The ocean. ${'and so on '.repeat(150)}`,
    })
    await memory.made()
    assert.deepEqual(await memory.find(ada, 'hound'), ['b.md'])
    assert.deepEqual(await memory.find(ada, 'coast'), ['c.md'])
  })

  test('a query that the model does not take is answered by words, and the next one by meaning', async (t) => {
    const embedder = await startEmbedder(t)
    const memory = memoryOf(t, await open(t), embedder)
    await memory.write(ada, { 'a.md': 'A dog.' })
    await memory.made()
    assert.deepEqual(await memory.find(ada, 'unreadable dog'), ['a.md'])
    assert.deepEqual(await memory.find(ada, 'hound'), ['a.md'])
    assert.deepEqual(memory.warnings, [])
  })

  test('a server that refuses everything is tried again later, and nothing passes for made', async (t) => {
    const store = await open(t)
    const embedder = await startEmbedder(t)
    embedder.mode = 'refuses'
    const memory = memoryOf(t, store, embedder)
    await memory.write(ada, { 'a.md': 'A dog.' })
    await until(() => embedder.asked.length >= 8)
    assert.equal(await unmade(store), 1)
    embedder.mode = 'answers'
    await memory.made()
    assert.deepEqual(await memory.find(ada, 'hound'), ['a.md'])
  })

  test('while the server hangs, writes are stored and found by their words at once', async (t) => {
    const embedder = await startEmbedder(t)
    embedder.mode = 'hangs'
    const memory = memoryOf(t, await open(t), embedder, { patience: 2_000 })
    await memory.write(ada, { 'a.md': 'A dog.' })
    await until(() => embedder.held.length === 1)
    await memory.write(ada, { 'b.md': 'Two dogs.' })
    assert.deepEqual((await memory.find(ada, 'dog')).toSorted(), ['a.md', 'b.md'])
    assert.deepEqual(memory.warnings, ['memory is searched by words alone for a while'])
    const requests = embedder.asked.length
    // For a while nobody waits for it again.
    assert.deepEqual((await memory.find(ada, 'dogs')).toSorted(), ['a.md', 'b.md'])
    assert.equal(embedder.asked.length, requests)
    embedder.mode = 'answers'
    memory.pass(30_000)
    for (const held of embedder.held) held.destroy()
    await memory.made()
    assert.deepEqual(await memory.find(ada, 'hound'), ['a.md'])
  })

  test('while the server fails, searches answer by words and vectors are made once it works again', async (t) => {
    const embedder = await startEmbedder(t)
    embedder.mode = 'fails'
    const memory = memoryOf(t, await open(t), embedder)
    await memory.write(ada, { 'a.md': 'A dog.' })
    assert.deepEqual(await memory.find(ada, 'dog'), ['a.md'])
    await until(() => embedder.asked.length >= 4)
    embedder.mode = 'answers'
    await memory.made()
    memory.pass(30_000)
    assert.deepEqual(await memory.find(ada, 'puppy'), ['a.md'])
  })
}
