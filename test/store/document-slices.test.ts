// Large documents on SQLite: no transaction is long, no reader sees half of one, nothing is left behind.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Chunk, NewDocument } from '#core/document.ts'
import { newId } from '#core/ids.ts'
import { createDocumentStore } from '#store/document-store.ts'
import { eraseLeftovers, hiddenPath, inOneSlice, writeSlices } from '#store/document-slices.ts'
import { type Job, query, run, type Sql } from '#store/sql.ts'
import { ada } from './harness.ts'
import { openMemorySqlite } from './memory-store.ts'

/** The most chunks that one transaction may write to the index, or erase. */
const maxChunks = 40

function document(path: string, chunks: number, word = 'hello'): NewDocument {
  const made = Array.from({ length: chunks }, (_, at): Chunk => {
    return { text: `${word} ${at}\n`, lap: 0, terms: { title: [], body: [word, String(at)], extra: [] } }
  })
  return { path, bytes: chunks * 10, author: 'user', untrusted: false, chunks: made }
}

function wholeOf({ chunks }: NewDocument): string {
  return chunks.map(({ text }) => text).join('')
}

/** A document store whose transactions are counted by what they write to the index. */
function openDocuments() {
  const sqlite = openMemorySqlite()
  const rows = (table: string): number => Number(sqlite.db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n'])
  let most = 0
  let failAt = Number.POSITIVE_INFINITY
  let writes = 0
  let mostOwn = 0
  const sql: Sql = {
    ...sqlite,
    write: <T>(job: () => Job<T>, size?: { bytes: number }) =>
      sqlite.write(function* () {
        if (++writes === failAt) throw new Error('the disk is full')
        const before = rows('chunk_terms_docsize')
        const result = yield* job()
        const changed = Math.abs(rows('chunk_terms_docsize') - before)
        most = Math.max(most, changed)
        if (!size) mostOwn = Math.max(mostOwn, changed)
        return result
      }),
  }
  return {
    sql,
    documents: createDocumentStore({ sql, now: () => 1 }),
    left: () => [rows('chunks'), rows('chunk_terms_docsize')],
    most: () => most,
    /** Of transactions that are not given to a thread. */
    mostOwn: () => mostOwn,
    failAfter: (count: number) => (failAt = writes + count),
    found: async (word: string) => {
      const match = { term: word }
      const store = createDocumentStore({ sql, now: () => 1 })
      const found = await store.find(ada, { match, weights: [{ match, weight: 1 }], depth: 9_999, limit: 9_999 })
      return found.length
    },
  }
}

test('a large document is written, replaced and removed a few chunks at a time', async () => {
  const { documents, left, most, found } = openDocuments()
  assert.deepEqual(await documents.put(ada, [document('big', 200), document('small', 1)]), ['created', 'created'])
  assert.deepEqual([left(), await found('hello')], [[201, 201], 201])
  assert.deepEqual(await documents.put(ada, [document('big', 150, 'other')]), ['replaced'])
  assert.deepEqual([left(), await found('hello'), await found('other')], [[151, 151], 1, 150])
  assert.equal((await documents.get(ada, 'big'))?.content.startsWith('other 0\nother 1\n'), true)
  assert.deepEqual(await documents.put(ada, [document('big', 1)]), ['replaced'])
  assert.deepEqual(left(), [2, 2])
  await documents.put(ada, [document('big', 90)])
  assert.equal(await documents.remove(ada, 'big'), true)
  assert.deepEqual([left(), await documents.get(ada, 'big')], [[1, 1], undefined])
  assert.ok(most() <= maxChunks, `${most()} chunks in one transaction`)
})

test('a thread writes and erases large documents, and those of a user who is erased', async () => {
  const { documents, mostOwn } = openDocuments()
  await documents.put(ada, [document('a', 90), document('b', 90)])
  await documents.put(ada, [document('c', 4), document('d', 4)])
  await documents.put(ada, [document('e', 5), document('f', 4)])
  await documents.put(ada, [document('a', 90, 'other')])
  await documents.remove(ada, 'a')
  while ((await documents.eraseSome(ada)) > 0);
  assert.equal(mostOwn(), 8, 'only the two small documents are written without one')
})

test('a thread writes and erases small documents too once the index is large', async () => {
  const { documents, mostOwn } = openDocuments()
  await documents.put(ada, [document('big', 1_000)])
  await documents.put(ada, [document('a', 1), document('b', 2)])
  assert.equal(mostOwn(), 3, 'the index is still small')
  await documents.put(ada, [document('a', 5), document('c', 2)])
  await documents.remove(ada, 'a')
  assert.equal(mostOwn(), 3)
})

test('chunks with very many terms are written fewer at a time', async () => {
  const { documents, left, most } = openDocuments()
  const body = Array.from({ length: 4_500 }, (_, at) => `t${at}`)
  const { chunks, ...rest } = document('dense', 12)
  const dense = chunks.map((chunk) => ({ ...chunk, terms: { ...chunk.terms, body } }))
  assert.deepEqual(await documents.put(ada, [{ ...rest, chunks: dense }]), ['created'])
  assert.deepEqual(left(), [12, 12])
  assert.equal(most(), 4)
  assert.equal((await documents.get(ada, 'dense'))?.content, wholeOf({ ...rest, chunks }))
})

test('a chunk with more terms than a slice may have is written by itself', async () => {
  const { documents, left, most } = openDocuments()
  const { chunks, ...rest } = document('denser', 2)
  const extra = Array.from({ length: 20_001 }, (_, at) => `t${at}`)
  const denser = chunks.map((chunk) => ({ ...chunk, terms: { ...chunk.terms, extra } }))
  assert.deepEqual(await documents.put(ada, [{ ...rest, chunks: denser }]), ['created'])
  assert.deepEqual([left(), most()], [[2, 2], 1])
})

test('a large document that is refused leaves nothing behind', async () => {
  const { documents, left, failAfter } = openDocuments()
  await documents.put(ada, [document('a', 1)])
  assert.deepEqual(await documents.put(ada, [{ ...document('a', 100), expects: 7 }]), ['changed'])
  await assert.rejects(documents.put(ada, [document('a/b', 100)]), { code: 'invalid_input' })
  for (const write of [1, 2, 3, 4]) {
    failAfter(write)
    await assert.rejects(documents.put(ada, [document('b', 100)]), /disk is full/, `write ${write}`)
  }
  assert.deepEqual([left(), (await documents.get(ada, 'a'))?.content], [[1, 1], 'hello 0\n'])
})

test('a write that is stored is told as stored, even if the old chunks cannot be erased yet', async () => {
  const { sql, documents, left, failAfter } = openDocuments()
  await documents.put(ada, [document('a', 90), document('b', 90), document('c', 90)])
  failAfter(2)
  assert.deepEqual(await documents.put(ada, [document('a', 1)]), ['replaced'])
  failAfter(2)
  assert.equal(await documents.remove(ada, 'b'), true)
  assert.deepEqual(left(), [271, 271])
  await eraseLeftovers(sql)
  assert.deepEqual(left(), [91, 91])
  const erased = [await documents.eraseSome(ada)]
  failAfter(2)
  erased.push(await documents.eraseSome(ada))
  assert.deepEqual(
    [erased, left()],
    [
      [1, 1],
      [90, 90],
    ],
  )
  // The user is not told to be erased before all chunks are.
  failAfter(2)
  await assert.rejects(documents.eraseSome(ada), /disk is full/)
  assert.equal(await documents.eraseSome(ada), 0)
  assert.deepEqual(left(), [0, 0])
})

test('what a killed process left half written is not found, and goes at the next start or with its user', async () => {
  const { sql, documents, left, found } = openDocuments()
  await documents.put(ada, [document('a', 1)])
  const { chunks } = document('x', 100)
  const lockOwner = function* () {
    yield* query('SELECT 1')
    return { user: ada, number: 1, chunks: 1, terms: 1 }
  }
  const leave = (): Promise<void> => writeSlices(sql, { user: ada, path: hiddenPath(), chunks, lockOwner })
  await leave()
  assert.deepEqual([left(), await found('hello')], [[101, 101], 1])
  await eraseLeftovers(sql)
  assert.deepEqual([left(), await found('hello')], [[1, 1], 1])
  await leave()
  while ((await documents.eraseSome(ada)) > 0);
  assert.deepEqual(left(), [0, 0])
})

test('all that was left of a user goes with them, however many writes left it, and versions without a document', async () => {
  const { sql, documents, left } = openDocuments()
  const many = Array.from({ length: 230 }, (_, at) => document(`d${at}`, 1))
  await documents.put(ada, many)
  await sql.write(function* () {
    yield* run(`UPDATE chunks SET path = '/' || path`)
    yield* run('DELETE FROM documents')
    yield* run(`INSERT INTO document_versions (user_id, path, revision, author, untrusted, bytes, written_at, content)
      VALUES ('ada', 'gone', 1, 'user', 0, 1, 1, 'x')`)
  })
  assert.deepEqual([left(), (await documents.versions(ada, 'gone')).length], [[230, 230], 1])
  assert.equal(await documents.eraseSome(ada), 0)
  assert.deepEqual([left(), await documents.versions(ada, 'gone')], [[0, 0], []])
})

test('a document that is written while leftovers are erased keeps all its chunks', async () => {
  const { sql, documents, left } = openDocuments()
  const users = [ada, newId() as typeof ada, newId() as typeof ada]
  for (const user of users) await documents.put(user, [document('a', 100)])
  await sql.write(() => run(`UPDATE chunks SET path = '/left'`))
  const erasing = eraseLeftovers(sql)
  await Promise.all([erasing, ...users.map((user) => documents.put(user, [document('b', 400)]))])
  assert.deepEqual(left(), [1_200, 1_200])
})

test('a large document that lost chunks while it was written is refused, and one with a hole can be replaced', async () => {
  const { sql, documents, left } = openDocuments()
  let writes = 0
  const losing = createDocumentStore({
    now: () => 1,
    sql: {
      ...sql,
      async write(job) {
        const result = await sql.write(job)
        if (++writes === 3) await eraseLeftovers(sql)
        return result
      },
    },
  })
  await assert.rejects(losing.put(ada, [document('big', 200)]), { code: 'database_unavailable', message: /big/ })
  assert.deepEqual([left(), await documents.get(ada, 'big')], [[0, 0], undefined])
  await documents.put(ada, [document('big', 200)])
  await sql.write(() => run('DELETE FROM chunks WHERE at = 7'))
  assert.deepEqual(await documents.put(ada, [document('big', 90)]), ['replaced'])
  assert.equal((await documents.get(ada, 'big'))?.content, wholeOf(document('big', 90)))
})

test('a user is erased a few documents at a time, a large one alone', async () => {
  const { sql, documents, left } = openDocuments()
  const rows = (...sizes: number[]) => sizes.map((chunks) => ({ chunks }))
  const sizes = (...all: number[]): number[] => inOneSlice(sql, rows(...all)).map(({ chunks }) => Number(chunks))
  assert.deepEqual(sizes(), [])
  assert.deepEqual(sizes(1, 2, 3), [1, 2, 3])
  assert.deepEqual(sizes(40, 5, 5, 1), [40, 5, 5])
  assert.deepEqual(sizes(1, 41, 1), [1])
  assert.deepEqual(sizes(400, 1), [400])
  await documents.put(ada, [document('a', 1), document('b', 90), document('c', 2), document('d', 2), document('e', 90)])
  const erased: number[] = []
  do erased.push(await documents.eraseSome(ada))
  while (erased.at(-1) !== 0)
  assert.deepEqual(
    [erased, left()],
    [
      [1, 1, 2, 1, 0],
      [0, 0],
    ],
  )
})

test('the index is written once for the documents that one transaction erases', async () => {
  const { documents, sql } = openDocuments()
  const some = Array.from({ length: 50 }, (_, at) => document(`d${at}`, 1))
  await documents.put(ada, some)
  const changed = () => sql.read(() => query('SELECT total_changes() AS n')).then(([row]) => Number(row?.['n']))
  const before = await changed()
  assert.equal(await documents.eraseSome(ada), some.length)
  const each = ((await changed()) - before) / some.length
  // Its rows in three tables, the sum of what its user stores, and its number in the index.
  assert.ok(each < 6, `${each} rows were changed for each document`)
})
