// What deletions leave behind in a SQLite file, and in the files beside it.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { createSeal } from '#lib/seal.ts'
import { createDocumentStore } from '#store/document-store.ts'
import { openStore } from '#store/open-store.ts'
import { startScrub } from '#store/scrub-sqlite.ts'
import { erasedTables } from '#store/erasing.ts'
import { openSqlite, type SqliteSql } from '#store/sqlite.ts'
import { catchUp } from '#turns/thread-indexer.ts'
import { patienceMs, until } from '../until.ts'
import { ada, finish, folder, say, turnOf } from './harness.ts'
import { document } from './suite-documents.ts'
import { openMemorySqlite } from './memory-store.ts'
import { leftoverTests, lookMs } from './suite-leftovers.ts'

const seal = createSeal('0'.repeat(64))
const word = 'qzvanished'

function open(t: TestContext, path = `${folder(t)}/a.db`) {
  const store = openStore({ path, seal })
  t.after(() => store.close())
  return { store, path }
}

/** After the scrub with which a store begins: only a deletion causes another. */
async function openScrubbed(t: TestContext) {
  const opened = open(t)
  const db = new DatabaseSync(opened.path, { readOnly: true })
  t.after(() => db.close())
  await until(() => db.prepare(`SELECT 1 FROM thread_terms_config WHERE k = 'deletemerge'`).get() !== undefined)
  return opened
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
      .filter(({ name }) => name !== 'chunk_terms' && name !== 'thread_terms')
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

leftoverTests(async (t) => {
  const { store, path } = await openScrubbed(t)
  const filesWith = (text: string): string[] => [path, `${path}-wal`].filter((file) => fileHolds(file, text))
  const placesOf = (text: string): string[] => [...tablesWith(path, text), ...filesWith(text)]
  return { store, placesOf: (text) => Promise.resolve(placesOf(text)), sees: (text) => filesWith(text).length > 0 }
})

/** Tables whose deleted rows may stay in the log until something else is erased. */
const tidied = {
  'hashes, numbers, times and ids':
    'tokens sessions login_codes identities sign_ins storage usage counters processes removals chain_points ' +
    'document_owners thread_index_owners threads_to_index thread_index_cursors skill_switches user_zones ' +
    'notification_quiet notification_keys channel_codes channel_updates channel_buttons',
  'deleted after each message, while its thread has the same words': 'outbox channel_posts',
  'deleted with a row of another table': 'indexed_threads shared_bodies chunk_vectors mcp_tools',
  'the full-text index, which a scrub looks at itself': 'chunk_terms thread_terms',
}

test('each table is erased from the file, or there is a reason why not', (t) => {
  const { db } = openMemorySqlite()
  t.after(() => db.close())
  const names = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all()
  const own = names.map(({ name }) => String(name)).filter((name) => !/^sqlite_|_terms_/.test(name))
  assert.deepEqual([...erasedTables, ...Object.values(tidied).join(' ').split(' ')].toSorted(), own.toSorted())
})

test('the log is emptied of deleted text while the service runs, and it goes on', async (t) => {
  const { store, path } = await openScrubbed(t)
  const { turn } = await store.turns.start(turnOf({ input: [say(word)] }))
  assert.ok(holds(path))
  await store.threads.remove(ada, turn.threadId)
  await until(() => !holds(path))
  assert.ok((await store.turns.start(turnOf())).turn)
})

test('an item that is removed before it is indexed leaves the log', async (t) => {
  const { store, path } = await openScrubbed(t)
  const { id } = await store.threads.create(ada, { door: 'responses', title: '', metadata: {}, drafts: [] })
  const [item] = await store.threads.addItems(ada, id, { title: '', drafts: [say(word)] })
  assert.ok(item && holds(path))
  await store.threads.removeItem(ada, { threadId: id, itemId: item.id, title: '' })
  await until(() => !holds(path))
})

test('a deleted thread leaves the full-text index and the file', async (t) => {
  const { store, path } = open(t)
  const { turn } = await store.turns.start(turnOf({ title: `about ${word}`, input: [say(word)] }))
  await finish(store, turn)
  await finish(store, (await store.turns.start(turnOf({ input: [say('kept')] }))).turn)
  await catchUp(store.threadIndex)
  assert.deepEqual((await store.threadIndex.count(ada, [{ term: word }], 9))?.counts, [2])
  await store.threads.remove(ada, turn.threadId)
  await catchUp(store.threadIndex)
  await until(() => !holds(path))
  assert.deepEqual((await store.threadIndex.count(ada, [{ term: 'kept' }], 9))?.counts, [1])
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

test('a few deletions in a large index rewrite it once and then rest; parts with many are rewritten at once', async (t) => {
  const path = `${folder(t)}/a.db`
  const first = openStore({ path, seal })
  // The index stores a word without the beginning that it shares with the word before: the look is for its end.
  const endOf = (name: string): string => `qz${createHash('md5').update(name).digest('hex')}`
  const names = Array.from({ length: 300 }, (_, at) => `n${at}`)
  await first.documents.put(
    ada,
    names.map((name) => document(name, `${name}${endOf(name)}`)),
  )
  await first.close()
  const db = new DatabaseSync(path)
  db.exec(`INSERT INTO chunk_terms (chunk_terms) VALUES ('optimize')`)
  db.close()
  const sql = openSqlite(path)
  /** The index was rewritten to its end: before, a word may be gone, and the next one goes with it. */
  let isWhole = false
  const emptyLog = (): Promise<boolean> => {
    isWhole ||= !holdsTerm('n7')
    return sql.emptyLog()
  }
  const scrub = startScrub({ ...sql, emptyLog }, { restFactor: 1e9 })
  t.after(async () => {
    await scrub.close()
    await sql.close()
  })
  const documents = createDocumentStore({ sql, now: () => 0 })
  const remove = async (name: string): Promise<void> => {
    await documents.remove(ada, name)
    scrub.soon()
  }
  const holdsTerm = (name: string) => tablesWith(path, endOf(name)).length > 0
  const termGone = (name: string) => until(() => !holdsTerm(name), patienceMs, lookMs)
  assert.ok(holdsTerm('n7'))
  await remove('n7')
  await until(() => isWhole, patienceMs, lookMs)
  await remove('n8')
  await documents.put(ada, [document('fresh', `fresh${endOf('fresh')}`)])
  await remove('fresh')
  await termGone('fresh')
  assert.ok(holdsTerm('n8'), 'the whole is not rewritten for one chunk of three hundred')
  for (const name of names.slice(10, 20)) await remove(name)
  await termGone('n8')
})

test('the pages of an index are short: a commit that merges 64 of each level does not block for long', async (t) => {
  const { store, path } = await openScrubbed(t)
  const words = (name: string): string => Array.from({ length: 200 }, (_, at) => `${name}w${at}`).join(' ')
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await store.documents.put(ada, [document(name, words(name))])
  const db = new DatabaseSync(path, { readOnly: true })
  t.after(() => db.close())
  const { longest } = db.prepare('SELECT max(length(block)) AS longest FROM chunk_terms_data').get() as {
    longest: number
  }
  assert.ok(longest > 900 && longest < 1_100, `${longest}`)
})

test('what hundreds of deletions left is removed by the scrub alone, in a thread', async (t) => {
  const path = `${folder(t)}/a.db`
  await openStore({ path, seal }).close()
  const sql = openSqlite(path)
  const inThread: boolean[] = []
  const write: SqliteSql['write'] = (job, size) => {
    inThread.push(size !== undefined)
    return sql.write(job, size)
  }
  const scrub = startScrub({ ...sql, write })
  t.after(async () => {
    await scrub.close()
    await sql.close()
  })
  // Options of both indexes are set.
  await until(() => inThread.length === 2)
  const documents = createDocumentStore({ sql, now: () => 0 })
  const names = Array.from({ length: 600 }, (_, at) => `n${at}`)
  await documents.put(
    ada,
    names.map((name) => document(name, `${name} ${word}`)),
  )
  for (const name of names) await documents.remove(ada, name)
  const left = sql.db.prepare('SELECT count(*) AS n FROM chunk_terms_data WHERE id >= 1 << 53')
  assert.ok(Number(left.get()?.['n']) > 0, 'no commit of a deletion rewrites the index')
  scrub.soon()
  await until(() => left.get()?.['n'] === 0)
  assert.deepEqual(inThread.slice(2, 4), [false, true], 'options, then the first step')
})

test('a store that is closed right after a deletion leaves nothing', async (t) => {
  const { store, path } = open(t)
  await store.documents.put(ada, [document('a.md', `a ${word} b`)])
  await store.documents.remove(ada, 'a.md')
  await store.close()
  assert.ok(!holds(path))
})

/** A scrub on an empty store whose timer is the test's: `waits` has what it was set to, `run` lets it end. */
async function stepped(t: TestContext, over: Partial<SqliteSql> = {}) {
  const path = `${folder(t)}/a.db`
  await openStore({ path, seal }).close()
  const sql = openSqlite(path)
  const waits: number[] = []
  let wake: (() => void) | undefined
  const timer = { unref: () => timer } as NodeJS.Timeout
  const setTimer = (act: () => void, ms: number): NodeJS.Timeout => {
    waits.push(ms)
    wake = act
    return timer
  }
  const scrub = startScrub({ ...sql, hadLog: true, ...over }, { setTimer })
  t.after(async () => {
    await scrub.close()
    await sql.close()
  })
  /** Also waits for the next wait that this leads to. */
  const run = async (): Promise<void> => {
    const before = waits.length
    wake?.()
    await until(() => waits.length > before)
  }
  return { path, sql, scrub, waits, run, wake: () => wake?.() }
}

test('a log that somebody reads is tried again after twice as long each time, up to a minute', async (t) => {
  const { path, sql, scrub, waits, run, wake } = await stepped(t)
  const reader = new DatabaseSync(path)
  t.after(() => reader.close())
  const read = (): void => {
    sql.db.exec('PRAGMA user_version = 1')
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM items').get()
  }
  read()
  for (let at = 0; at < 9; at++) await run()
  assert.deepEqual(waits, [500, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
  scrub.soon()
  scrub.soon()
  assert.deepEqual(waits.slice(10), [500], 'a deletion does not wait for that, and the next one waits with it')
  assert.equal(sql.db.prepare('PRAGMA busy_timeout').get()?.['timeout'], 5_000, 'statements wait as before')
  reader.exec('COMMIT')
  wake()
  await until(() => statSync(`${path}-wal`).size === 0)
  assert.equal(waits.length, 11, 'nothing is left to do')
  read()
  scrub.soon()
  await run()
  assert.deepEqual(waits.slice(11), [500, 500], 'the waits begin anew')
})

test('the first scrub moves no log that it did not find: a large new file may not be on the disk yet', async (t) => {
  let emptied = 0
  const emptyLog = (): Promise<boolean> => Promise.resolve(++emptied > 0)
  const { scrub, sql, waits, wake } = await stepped(t, { hadLog: false, emptyLog })
  assert.equal(sql.hadLog, false)
  wake()
  scrub.soon()
  await until(() => waits.length > 1)
  assert.equal(emptied, 0)
  wake()
  await until(() => emptied === 1)
})

test('a deletion during a scrub is followed by another scrub', async (t) => {
  const { scrub, waits, wake } = await stepped(t)
  wake()
  scrub.soon()
  await until(() => waits.length > 1)
  assert.deepEqual(waits, [500, 500])
})

test('a scrub that fails is tried again', async (t) => {
  const { waits, run } = await stepped(t, { read: () => Promise.reject(new Error('the disk is full')) })
  await run()
  await run()
  assert.deepEqual(waits, [500, 500, 500])
})
