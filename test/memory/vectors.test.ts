// Vectors on each database where an embedding model is configured, and databases that cannot have them.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { getLoadablePath } from 'sqlite-vec'
import { createSeal } from '#lib/seal.ts'
import { openPostgresStore } from '#store/open-store.ts'
import { openSqlite } from '#store/sqlite.ts'
import { loadSqliteVec } from '#store/vector-store.ts'
import { usePostgres } from '../postgres.ts'
import { ada } from '../store/harness.ts'
import { until } from '../until.ts'
import { startEmbedder } from './embedder.ts'
import { openPgvector, type Pgvector } from './pgvector.ts'
import { openMemoryStore } from '../store/memory-store.ts'
import { memoryOf, type OpenStore, vectorTests } from './suite-vectors.ts'

const seal = createSeal('0'.repeat(64))

describe('vectors on SQLite', () => {
  const open: OpenStore = async (t) => {
    const store = openMemoryStore({ seal, vectors: true })
    t.after(() => store.close())
    assert.equal(await store.vectors.prepare(), undefined)
    return store
  }
  vectorTests(open)

  test('chunks of a batch that was long in the writing are found after vectors with later ids', async (t) => {
    const store = await open(t)
    const memory = memoryOf(t, store, await startEmbedder(t))
    await memory.stop()
    const chunk = (at: number) => ({ text: `x ${at}`, lap: 0, terms: { title: [], body: ['x'], extra: [] } })
    const chunks = Array.from({ length: 3_000 }, (_, at) => chunk(at))
    const document = { bytes: 1, author: 'user', untrusted: false } as const
    await store.documents.put(ada, [{ ...document, path: 'big.md', chunks }])
    await store.documents.put(ada, [{ ...document, path: 'later.md', chunks: [chunk(0)] }])
    const last = (await store.vectors.pending('m', { after: 2_999, limit: 5 })).chunks
    assert.deepEqual(
      last.map(({ path }) => path),
      ['big.md', 'later.md'],
    )
    await store.vectors.save(
      'm',
      last.slice(1).map((each) => ({ chunk: each, vector: Float32Array.from([1, 1]) })),
    )
    const [first] = (await store.vectors.pending('m', { after: await store.vectors.tail('m'), limit: 1 })).chunks
    assert.equal(first?.text, 'x 0')
  })

  test('of more vectors than are compared number by number, the nearest are still found', async (t) => {
    const store = await open(t)
    const memory = memoryOf(t, store, await startEmbedder(t))
    await memory.stop()
    const names = Array.from({ length: 450 }, (_, at) => `n/${String(at).padStart(3, '0')}.md`)
    await memory.write(ada, Object.fromEntries(names.map((name) => [name, 'x'])))
    const { chunks } = await store.vectors.pending('m', { after: 0, limit: 500 })
    assert.equal(chunks.length, 450)
    const away = Float32Array.from([-1, -1, -1, 1])
    const near = Float32Array.from([1, 1, -1, -1])
    const made = chunks.map((chunk) => ({ chunk, vector: chunk.path === 'n/007.md' ? near : away }))
    await store.vectors.save('m', made)
    const query = { model: 'm', vector: Float32Array.from([1, 0.9, -1, -0.8]), limit: 5 }
    assert.deepEqual(
      (await store.vectors.nearest(ada, query)).map(({ path }) => path),
      ['n/007.md'],
    )
  })
})

describe('vectors on PostgreSQL with pgvector', () => {
  let opened: Pgvector
  before(async () => {
    opened = await openPgvector()
  })
  after(() => opened.store.close())
  vectorTests(async () => {
    await opened.empty()
    assert.equal(await opened.store.vectors.prepare(), undefined)
    return opened.store
  })

  test('a process without the duty makes none', async (t) => {
    await opened.empty()
    const embedder = await startEmbedder(t)
    const { vectors, leases } = opened.store
    await leases.join('other')
    await leases.takeDuty('vectors', 'other', 600_000)
    const did: string[] = []
    const asking = {
      ...leases,
      async takeDuty(...args: Parameters<typeof leases.takeDuty>) {
        const has = await leases.takeDuty(...args)
        did.push('asked for the duty')
        return has
      },
    }
    const watched = {
      ...vectors,
      pending(...args: Parameters<typeof vectors.pending>) {
        did.push('looked for work')
        return vectors.pending(...args)
      },
    }
    const memory = memoryOf(t, { ...opened.store, vectors: watched, leases: asking }, embedder)
    await memory.write(ada, { 'a.md': 'A dog.' })
    await until(() => did.length > 0)
    assert.deepEqual(await memory.find(ada, 'dog'), ['a.md'])
    assert.ok(!did.includes('looked for work'))
    assert.deepEqual(
      embedder.asked.map(({ texts }) => texts),
      [['dog']],
    )
  })
})

test('a PostgreSQL server without pgvector says so, and keeps and finds documents by their words', async (t) => {
  const { url } = await usePostgres().emptied()
  const { store } = await openPostgresStore({ url, seal })
  t.after(() => store.close())
  assert.equal(await store.vectors.prepare(), 'the PostgreSQL server does not have pgvector')
  const memory = memoryOf(t, store, await startEmbedder(t))
  await memory.write(ada, { 'a.md': 'A dog.' })
  assert.deepEqual(await memory.find(ada, 'dog'), ['a.md'])
})

test('SQLite lets in no extension, neither before nor after the one for vectors', async (t) => {
  const path = getLoadablePath()
  const closed = openSqlite(':memory:')
  t.after(() => closed.close())
  assert.match((await loadSqliteVec(closed.db)) ?? '', /^sqlite-vec cannot be loaded on this machine/)
  const sql = openSqlite(':memory:', { extensions: true })
  t.after(() => sql.close())
  assert.throws(() => sql.db.loadExtension(path), /not allowed/)
  assert.equal(await loadSqliteVec(sql.db), undefined)
  assert.throws(() => sql.db.loadExtension(path), /not allowed/)
  assert.throws(() => sql.db.prepare('SELECT load_extension(?)').all(path), /not authorized/)
})
