// Vectors of chunks on SQLite: which are still to be made, which are stored, and which are near.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createDocumentStore } from '#store/document-store.ts'
import { asAppError } from '#store/postgres.ts'
import type { Sql } from '#store/sql.ts'
import { openSqlite } from '#store/sqlite.ts'
import { createPgvector, createVectorStore, findPgvector } from '#store/vector-store.ts'
import { loadSqliteVec, postgresVector, sqliteBits } from '#store/vector-store.ts'
import { ada, bob } from './harness.ts'
import { openMemorySqlite } from './memory-store.ts'
import { document } from './suite-documents.ts'

async function open(t: TestContext) {
  const empty = openMemorySqlite()
  const sql = openSqlite(':memory:', { extensions: true, image: empty.db.serialize() })
  await empty.close()
  t.after(() => sql.close())
  const vectors = createVectorStore({ sql, prepare: () => loadSqliteVec(sql.db) })
  assert.equal(await vectors.prepare(), undefined)
  assert.throws(() => sql.db.loadExtension('another'), /not allowed/)
  return { sql, vectors, documents: createDocumentStore({ sql, now: () => 1 }) }
}

test('the bits of a vector are the signs of its numbers, eight in a byte, the first lowest', () => {
  const vector = Float32Array.of(1, -1, 0, 0.5, -0.5, 2, 0, 3, 4, -1)
  assert.deepEqual([...sqliteBits(vector)], [0b1010_1001, 0b1])
  assert.deepEqual(postgresVector(vector), ['1001010110', '1,-1,0,0.5,-0.5,2,0,3,4,-1'])
})

test('chunks without a vector of the model are found in their order, up to a limit, and hidden ones are not', async (t) => {
  const { sql, vectors, documents } = await open(t)
  await documents.put(
    ada,
    ['a', 'b', 'c', 'd'].map((path) => document(path, `text ${path}`)),
  )
  sql.db.exec(`UPDATE chunks SET path = '/hidden' WHERE path = 'b'`)
  const pending = async (after: number, limit: number, model = 'm') => {
    const { chunks, through } = await vectors.pending(model, { after, limit })
    return [chunks.map(({ path }) => path).join(''), through]
  }
  assert.deepEqual(await pending(0, 9), ['acd', 4])
  assert.deepEqual(await pending(0, 2), ['ac', 3], 'it goes on behind the last one')
  assert.deepEqual(await pending(3, 9), ['d', 4])
  assert.deepEqual(await pending(4, 9), ['', 4], 'nothing is left')
  const { chunks } = await vectors.pending('m', { after: 0, limit: 1 })
  assert.deepEqual(chunks, [{ id: 1, path: 'a', text: 'text a' }])
  const [chunk] = chunks
  assert.ok(chunk)
  await vectors.save('m', [{ chunk, vector: undefined }])
  assert.deepEqual(await pending(0, 9), ['cd', 4], 'also one whose text the model refuses has its row')
  assert.deepEqual(await pending(0, 9, 'other'), ['acd', 4])
})

test('after a scan the next one begins 20,000 ids before the last vector of the model', async (t) => {
  const { sql, vectors } = await open(t)
  assert.equal(await vectors.tail('m'), 0)
  const add = (id: number, model: string): void =>
    sql.db.exec(`INSERT INTO chunk_vectors (id, owner, model, size) VALUES (${id}, 1, '${model}', 0)`)
  add(100, 'm')
  assert.equal(await vectors.tail('m'), 0)
  add(20_007, 'm')
  add(90_000, 'other')
  assert.equal(await vectors.tail('m'), 7)
})

test('the nearest are those in the same direction, at most so many, and none at a right angle', async (t) => {
  const { vectors, documents } = await open(t)
  const numbers: Readonly<Record<string, readonly number[]>> = {
    same: [2, 0],
    near: [1, 0.1],
    far: [1, 1],
    across: [0, 1],
    against: [-1, 0],
  }
  await documents.put(
    ada,
    Object.keys(numbers).map((path) => document(path, path, { untrusted: path === 'same' })),
  )
  await documents.put(bob, [document('of bob', 'same')])
  const { chunks } = await vectors.pending('m', { after: 0, limit: 9 })
  await vectors.save(
    'm',
    chunks.map((chunk) => ({ chunk, vector: Float32Array.from(numbers[chunk.path] ?? [2, 0]) })),
  )
  const nearest = async (limit: number, model = 'm') =>
    (await vectors.nearest(ada, { model, vector: Float32Array.of(1, 0), limit })).map(({ path }) => path)
  assert.deepEqual(await nearest(9), ['same', 'near', 'far'])
  assert.deepEqual(await nearest(1), ['same'])
  assert.deepEqual(await nearest(9, 'other'), [])
  const [found] = await vectors.nearest(ada, { model: 'm', vector: Float32Array.of(1, 0), limit: 1 })
  assert.deepEqual(found, { path: 'same', at: 0, text: 'same', untrusted: true, updatedAt: 1 })
  const [first] = chunks
  assert.ok(first)
  await vectors.save('m', [{ chunk: first, vector: Float32Array.of(0, 1) }])
  assert.deepEqual(await nearest(9), ['near', 'far'], 'a vector replaces the one before')
})

const missing = 'the PostgreSQL server does not have pgvector'
const faults: readonly (readonly [code: string, reason: string])[] = [
  ['42501', 'the database user may not create the extension pgvector: let a superuser run CREATE EXTENSION vector'],
  ['0A000', missing],
  ['58P01', missing],
  ['42704', missing],
]
for (const [code, reason] of faults) {
  test(`pgvector that cannot be created by ${code}: ${reason}`, async () => {
    const write = () => Promise.reject(asAppError(Object.assign(new Error('no'), { code })))
    assert.equal(await createPgvector({ write } as unknown as Sql), reason)
  })
}

test('any other fault of PostgreSQL is one, and a server that has pgvector is found without creating it', async () => {
  const write = () => Promise.reject(Object.assign(new Error('no'), { code: '53100' }))
  await assert.rejects(createPgvector({ write } as unknown as Sql), { code: '53100' })
  const found = (row: object | undefined) => findPgvector({ read: () => Promise.resolve(row) } as unknown as Sql)
  assert.deepEqual([await found({ one: 1 }), await found(undefined)], [undefined, missing])
})
