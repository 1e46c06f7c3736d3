// What deletions leave behind in a SQLite file, and in the files beside it.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { createSeal } from '#lib/seal.ts'
import { openStore } from '#store/open-store.ts'
import { until } from '../until.ts'
import { ada, folder, say, turnOf } from './harness.ts'
import { document } from './suite-documents.ts'
import { leftoverTests } from './suite-leftovers.ts'

const seal = createSeal('0'.repeat(64))
const word = 'qzvanished'

function open(t: TestContext, path = `${folder(t)}/a.db`) {
  const store = openStore({ path, seal })
  t.after(() => store.close())
  return { store, path }
}

function fileHolds(path: string, text: string): boolean {
  return existsSync(path) && readFileSync(path).includes(text)
}

function holds(path: string): boolean {
  return fileHolds(path, word) || fileHolds(`${path}-wal`, word)
}

/** Every table of the file, those that the full-text index is made of too. */
function tablesWith(path: string, text: string): string[] {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    const tables = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all() as { name: string }[]
    // An index without content has no columns that could be read.
    return tables
      .filter(({ name }) => name !== 'chunk_terms')
      .map(({ name }) => name)
      .filter((name) => {
        const columns = db.prepare(`SELECT name FROM pragma_table_info(?)`).all(name) as { name: string }[]
        const holds = columns
          .map((column) => `instr(CAST("${column.name}" AS BLOB), CAST(:text AS BLOB)) > 0`)
          .join(' OR ')
        return db.prepare(`SELECT 1 AS one FROM "${name}" WHERE ${holds} LIMIT 1`).get({ text }) !== undefined
      })
  } finally {
    db.close()
  }
}

leftoverTests((t) => {
  const { store, path } = open(t)
  const placesOf = (text: string): string[] => [
    ...tablesWith(path, text),
    ...[path, `${path}-wal`].filter((file) => fileHolds(file, text)),
  ]
  return Promise.resolve({ store, placesOf: (text) => Promise.resolve(placesOf(text)) })
})

test('the log is emptied of deleted text while the service runs, and it goes on', async (t) => {
  const { store, path } = open(t)
  const { turn } = await store.turns.start(turnOf({ input: [say(word)] }))
  assert.ok(holds(path))
  await store.threads.remove(ada, turn.threadId)
  await until(() => !holds(path))
  assert.ok((await store.turns.start(turnOf())).turn)
})

test('a log that another process reads is emptied once that has ended', async (t) => {
  const { store, path } = open(t)
  const { turn } = await store.turns.start(turnOf({ input: [say(word)] }))
  await store.documents.put(ada, [document('kept.md', `kept ${'x'.repeat(100_000)}end`)])
  const reader = new DatabaseSync(path)
  t.after(() => reader.close())
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM items').get()
  await store.threads.remove(ada, turn.threadId)
  // A first attempt moves into the file what was not changed since the reader began.
  await until(() => fileHolds(path, 'xend'))
  assert.ok((await store.turns.start(turnOf())).turn, 'others write meanwhile')
  reader.exec('COMMIT')
  await until(() => !holds(path))
})

test('what a process that was killed left in index and log is removed after the next start', async (t) => {
  const path = `${folder(t)}/a.db`
  const killed = openStore({ path, seal })
  await killed.documents.put(ada, [document('a.md', `a ${word} b`), document('b.md', 'kept')])
  await killed.close()
  const db = new DatabaseSync(path)
  db.exec('PRAGMA secure_delete = ON')
  db.exec(
    `DELETE FROM chunk_terms WHERE rowid = 1; DELETE FROM chunks WHERE id = 1; DELETE FROM documents WHERE path = 'a.md'`,
  )
  db.close()
  assert.ok(fileHolds(path, word))
  const { store } = open(t, path)
  await until(() => !holds(path))
  assert.deepEqual((await store.documents.count(ada, [{ term: 'kept' }], 9))?.counts, [1])
})

test('a store that is closed right after a deletion leaves nothing', async (t) => {
  const { store, path } = open(t)
  await store.documents.put(ada, [document('a.md', `a ${word} b`)])
  await store.documents.remove(ada, 'a.md')
  await store.close()
  assert.ok(!holds(path))
})
