// Long reads of a SQLite file: in threads, beside the event loop.
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setImmediate as nextLoop } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { noUsage } from '#core/turn.ts'
import { createSeal } from '#lib/seal.ts'
import { applyMigrations } from '#store/migrate-sqlite.ts'
import { composeStore } from '#store/open-store.ts'
import { first, type Job, run, type Sql, type Statement } from '#store/sql.ts'
import { openSqlite } from '#store/sqlite.ts'
import { createSqliteThreads, openWorker } from '#store/sqlite-threads.ts'
import { until } from '../until.ts'
import { ada, bob, call, decide, draft, folder, lease, rejectsWith, reply, say, step, turnOf } from './harness.ts'

const numbers =
  'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT count(*) AS n FROM n'
function* count(upTo = 3): Job<number> {
  return Number((yield* first(numbers, upTo))?.['n'])
}

function open(t: TestContext) {
  const path = join(folder(t), 'a.db')
  const sql = openSqlite(path)
  t.after(() => sql.close())
  sql.db.exec('CREATE TABLE notes (text TEXT)')
  return { path, sql }
}

test('a long read leaves the event loop to others', async (t) => {
  const { sql } = open(t)
  const order: string[] = []
  const long = sql.readLong(ada, () => count(100_000)).then((n) => order.push(`counted ${n}`))
  await nextLoop()
  order.push('others')
  await long
  assert.deepEqual(order, ['others', 'counted 100000'])
})

/** A store, and whose long reads it has made. */
function openStore(t: TestContext): { store: ReturnType<typeof composeStore>; users: string[] } {
  const { sql } = open(t)
  applyMigrations(sql.db)
  const users: string[] = []
  const readLong: Sql['readLong'] = (user, job) => {
    users.push(user)
    return sql.readLong(user, job)
  }
  const check = async (): Promise<string[]> => []
  const parts = { seal: createSeal('0'.repeat(64)), now: Date.now, check, prepareVectors: () => assert.fail() }
  return { store: composeStore({ ...sql, readLong }, parts), users }
}

test('searches of documents and of threads are long reads', async (t) => {
  const { store, users } = openStore(t)
  const candidates = { match: { term: 'a' }, weights: [], depth: 1, limit: 1 }
  await store.documents.count(ada, [], 1)
  await store.documents.find(ada, candidates)
  await store.threadIndex.count(bob, [], 1)
  await store.threadIndex.find(bob, candidates, { texts: new Map(), bytesLeft: 0 })
  assert.deepEqual(users, [ada, ada, bob, bob])
})

test('a list of turns reads megabytes of replies beside the event loop, and short ones at once', async (t) => {
  const { store, users } = openStore(t)
  const answers = [[reply('short')], [reply('a'.repeat(3_000_000))], [reply('b'.repeat(3_000_000)), reply('end')]]
  for (const answer of answers) {
    const { turn } = await store.turns.start(turnOf())
    await store.turns.record(turn, lease, step(answer, { status: 'completed' }))
  }
  const { rows } = await store.turns.list(ada, { limit: 100 })
  const shown = rows.map((row) => row.reply && { ...row.reply, text: row.reply.text.slice(0, 5) })
  assert.deepEqual(shown.toReversed(), [
    { text: 'short', cut: false },
    { text: 'aaaaa', cut: true },
    { text: 'bbbbb', cut: true },
  ])
  assert.deepEqual(users, [ada, ada])
})

test('a list of turns reads no megabytes of what stands before a reply', async (t) => {
  const { store, users } = openStore(t)
  const asked = { model: 'm', ms: 1, usage: noUsage }
  const long = 'a'.repeat(3_000_000)
  const thought = draft({ type: 'reasoning', text: 'hm' })
  const result = draft({ type: 'result', callId: 'c1', output: long })
  for (const [message, ...answer] of [
    [say(long), { ...reply('one'), asked }],
    [say(long), { ...thought, asked }, reply('two')],
    [say('short'), { ...call('c1'), asked }, result, { ...reply('three'), asked }],
    [say('short'), { ...reply('four'), asked }, call('c1'), result],
  ] as const) {
    const { turn } = await store.turns.start(turnOf({ input: [message] }))
    await store.turns.record(turn, lease, step(answer, { status: 'completed' }))
  }
  users.length = 0
  const { rows } = await store.turns.list(ada, { limit: 100 })
  assert.deepEqual(
    rows.map((row) => row.reply?.text),
    ['four', 'three', 'two', 'one'],
  )
  assert.deepEqual(users, [ada], 'for the last one')
})

test('headers of megabytes of items are read beside the event loop, and those of short ones at once', async (t) => {
  const { store, users } = openStore(t)
  const { turn } = await store.turns.start(turnOf({ input: [say('short')] }))
  const answers = [reply('a'.repeat(3_000_000)), reply('b'.repeat(3_000_000))]
  await store.turns.record(turn, lease, step(answers, { status: 'completed' }))
  const roles = async (limit: number) => {
    const headers = await store.threads.headers(ada, turn.threadId, { order: 'asc', from: 0, limit })
    return headers.map(({ seq, item }) => [seq, item.type === 'message' && item.role])
  }
  assert.deepEqual(await roles(1), [[1, 'user']])
  assert.deepEqual(users, [])
  const all = [
    [1, 'user'],
    [2, 'assistant'],
    [3, 'assistant'],
  ]
  assert.deepEqual(await roles(9), all)
  assert.deepEqual(users, [ada])
  assert.deepEqual(await store.threads.headers(bob, turn.threadId, { order: 'asc', from: 0, limit: 9 }), [])
})

test('a gate that is gone is looked for beside the event loop in a thread with megabytes', async (t) => {
  const { store, users } = openStore(t)
  const { turn } = await store.turns.start(turnOf({ input: [say('a'.repeat(3_000_000))] }))
  await store.turns.record(turn, lease, step([reply('end')], { status: 'completed' }))
  users.length = 0
  await rejectsWith(store.turns.answer(ada, turn.threadId, decide('c1')), 'not_found')
  assert.deepEqual(users, [ada])
  await rejectsWith(store.turns.answer(bob, turn.threadId, decide('c1')), 'not_found')
  assert.deepEqual(users, [ada])
})

test('a long read sees what was stored before it, and stores nothing', async (t) => {
  const { sql } = open(t)
  const notes = (): Promise<unknown> =>
    sql.readLong(ada, function* () {
      return (yield* first('SELECT text FROM notes'))?.['text']
    })
  assert.equal(await notes(), undefined)
  await sql.write(() => run('INSERT INTO notes VALUES (?)', 'a'))
  assert.equal(await notes(), 'a')
  await rejectsWith(
    sql.readLong(ada, () => run('DELETE FROM notes')),
    'home_unwritable',
  )
  await assert.rejects(
    sql.readLong(ada, () => run('SELECT missing')),
    /no such column/,
  )
  assert.equal(await notes(), 'a')
})

test('a user whose read waits holds up nobody else', async (t) => {
  const { sql } = open(t)
  const begun: string[] = []
  const job = (name: string, upTo: number) => () => {
    begun.push(name)
    return count(upTo)
  }
  const own = [sql.readLong(ada, job('one', 100_000)), sql.readLong(ada, job('two', 1))]
  assert.equal(await sql.readLong(bob, job('three', 2)), 2)
  assert.deepEqual(await Promise.all(own), [100_000, 1])
  assert.deepEqual(begun.slice(0, 2), ['one', 'three'])
})

test('two threads run at most, and end when they have nothing to do', async (t) => {
  const { path } = open(t)
  const threads = createSqliteThreads(path, { idleMs: 1 })
  t.after(() => threads.close())
  const counts = [1, 2, 3, 4].map((upTo) => threads.run([{ sql: numbers, values: [upTo] }]))
  assert.equal(threads.running, 2)
  assert.deepEqual(
    await Promise.all(counts),
    [1, 2, 3, 4].map((n) => [{ n }]),
  )
  await until(() => threads.running === 0)
  assert.deepEqual(await threads.run([{ sql: numbers, values: [5] }]), [{ n: 5 }])
})

/** Threads that answer when the test lets them; `given` has the statements that each has yet to answer. */
function playThreads() {
  const given: Statement[][] = []
  const workers: EventEmitter[] = []
  const open = (): Worker => {
    const at = workers.length
    given[at] = []
    const postMessage = (statements: Statement[]): void => void given[at]?.push(...statements)
    const terminate = (): Promise<number> => Promise.resolve(0)
    const worker = Object.assign(new EventEmitter(), { postMessage, terminate, ref() {}, unref() {} })
    workers.push(worker)
    return worker as unknown as Worker
  }
  const answer = (at: number): void => {
    const statement = given[at]?.shift() ?? assert.fail(`thread ${at} was given nothing`)
    workers[at]?.emit('message', { rows: statement.values.map((value) => ({ value })) })
  }
  return { open, answer, ready: (at: number) => workers[at]?.emit('message', 'ready') }
}

test('users whose statements take long wait for each other, and nobody else waits for them', async (t) => {
  const timers: (() => void)[] = []
  const setTimer = (act: () => void): NodeJS.Timeout => {
    timers.push(act)
    return setTimeout(() => {}, 1)
  }
  const { open: openThread, answer, ready } = playThreads()
  const threads = createSqliteThreads('a.db', { maxThreads: 1, maxSlow: 1, setTimer, open: openThread })
  t.after(() => threads.close())
  const order: string[] = []
  const ask = (user: string, value: number): void => {
    const asked = threads.run([{ sql: 'SELECT ?', values: [value] }], user)
    void asked.then(([row]) => order.push(`${user} ${String(row?.['value'])}`))
  }
  ask('ada', 1)
  ask('bob', 2)
  assert.deepEqual([timers.length, threads.running], [0, 1], 'the start of a thread counts for nobody')
  ready(0)
  assert.deepEqual([timers.length, threads.running], [1, 1])
  // The thread becomes one for long statements, and the next statement gets another one.
  timers[0]?.()
  ask('ada', 3)
  ready(1)
  answer(1)
  ask('bob', 4)
  answer(1)
  await nextLoop()
  assert.deepEqual([order, threads.running], [['bob 2', 'bob 4'], 2])
  answer(0)
  answer(0)
  await nextLoop()
  assert.deepEqual(order.slice(2), ['ada 1', 'ada 3'])
})

test('a database that closes refuses reads that wait, and leaves no log', async (t) => {
  const { path, sql } = open(t)
  assert.equal(await sql.readLong(ada, () => count()), 3)
  const refused = rejectsWith(
    sql.readLong(ada, () => count(100_000)),
    'shutting_down',
  )
  await sql.close()
  await refused
  await rejectsWith(
    sql.readLong(ada, () => count()),
    'shutting_down',
  )
  assert.equal(existsSync(`${path}-wal`), false)
})

test('statements that find no thread are refused, and do not run later', async (t) => {
  const { path, sql } = open(t)
  const full = (): never => assert.fail('no room for a thread')
  const openers = [full]
  const threads = createSqliteThreads(path, {
    writes: true,
    open: (data) => openers.pop()?.() ?? openWorker(data),
  })
  t.after(() => threads.close())
  const begin = [{ sql: 'BEGIN IMMEDIATE', values: [] }]
  await assert.rejects(threads.run(begin), /no room/)
  await threads.run([{ sql: 'PRAGMA user_version', values: [] }])
  await sql.write(() => run('INSERT INTO notes VALUES (?)', 'a'))
  await threads.run(begin)
})

test('a thread whose last answer comes while it is closed keeps the process until it has ended', async (t) => {
  const { path } = open(t)
  const threads = createSqliteThreads(path)
  const refused = rejectsWith(threads.run([{ sql: numbers, values: [1] }]), 'shutting_down')
  // oxlint-disable-next-line unbound-method -- called with its worker
  const { terminate } = Worker.prototype
  t.mock.method(Worker.prototype, 'terminate', function (this: Worker) {
    const ended = terminate.call(this)
    this.emit('message', { rows: [] })
    return ended
  })
  const unref = t.mock.method(Worker.prototype, 'unref')
  await threads.close()
  await refused
  assert.equal(unref.mock.callCount(), 0)
})

test('a thread that cannot open the file fails its reads', async (t) => {
  const threads = createSqliteThreads(join(folder(t), 'none.db'))
  t.after(() => threads.close())
  await assert.rejects(threads.run([{ sql: numbers, values: [1] }]))
  assert.equal(threads.running, 0)
})
