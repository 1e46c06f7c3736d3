// What a look at gates and open calls brings over from the database: heads, however much the items say.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Draft, Item } from '#core/item.ts'
import { createSeal } from '#lib/seal.ts'
import { digestOf } from '#core/digest.ts'
import { beginDigest } from '#store/turn-digest.ts'
import { expiredIn, openGateRows, openGates } from '#store/gate-store.ts'
import { readGateHeaders, readHeaders, readTail } from '#store/item-headers.ts'
import { openStore } from '#store/open-store.ts'
import type { Job, Row, Sql, Statement } from '#store/sql.ts'
import { openSqlite } from '#store/sqlite.ts'
import { drive } from './drive.ts'
import { ada, call, decide, draft, folder, gate, lease, reply, say, step, turnOf } from './harness.ts'

const mebibyte = 1024 * 1024

/** Runs a job statement by statement, and tells how much text its largest one brought. */
function measured<T>(sql: ReturnType<typeof openSqlite>, job: Job<T>): { value: T; largest: number; all: number } {
  let largest = 0
  let all = 0
  let next = job.next()
  while (!next.done) {
    const { sql: text, values } = next.value
    const rows = sql.db.prepare(text).all(...values) as Row[]
    const size = rows.reduce((sum, row) => sum + String(row['body'] ?? '').length, 0)
    largest = Math.max(largest, size)
    all += size
    next = job.next(rows)
  }
  return { value: next.value, largest, all }
}

test('gates, their expiry and the end of a thread are read without what items say', async (t) => {
  const path = join(folder(t), 'atrium.db')
  const store = openStore({ path, seal: createSeal('0'.repeat(64)) })
  t.after(() => store.close())
  const { turn } = await store.turns.start(turnOf({ input: [say('x'.repeat(mebibyte))] }))
  const result = (callId: string): Draft => draft({ type: 'result', callId, output: 'r'.repeat(mebibyte) })
  const answered: Draft[] = ['c1', 'c2', 'c3'].flatMap((id) => [
    draft({ type: 'gate', callId: id, kind: 'approval', name: 'act', args: `"${'a'.repeat(mebibyte)}"`, prompt: '?' }),
    decide(id),
    draft({ type: 'attempt', callId: id }),
    result(id),
  ])
  const calls = ['c1', 'c2', 'c3', 'c4'].map((id) => call(id))
  await store.turns.record(turn, lease, step([reply('y'.repeat(mebibyte)), ...calls, ...answered]))
  await store.turns.record(turn, lease, step([gate('c4', 'approval')], { status: 'waiting' }))
  const sql = openSqlite(path)
  t.after(() => sql.close())

  const tail = measured(sql, readTail(turn.threadId))
  assert.equal(tail.value[0]?.item.type, 'message')
  assert.equal(tail.value.at(-1)?.item.type, 'gate')
  assert.ok(tail.all < 16 * 1024, `the tail brought ${tail.all}`)
  assert.ok(measured(sql, readGateHeaders(turn.threadId, 0)).all < 16 * 1024)
  const at = { id: turn.id, thread_id: turn.threadId, first_seq: 1 }
  const gates = measured(sql, openGateRows(at, { limit: 10, maxBytes: mebibyte }))
  assert.deepEqual(
    gates.value.map(({ row }) => JSON.parse(String(row['body'])) as unknown),
    [gate('c4', 'approval').item],
  )
  assert.ok(gates.all < 16 * 1024, `the gates brought ${gates.all}`)
  const waiting = measured(sql, expiredIn({ id: turn.id, thread_id: turn.threadId }, Date.now() + 1))
  assert.deepEqual(waiting.value?.callIds, ['c4'])
  assert.ok(waiting.all < 16 * 1024)
})

test('of many turns that run or wait, a list of gates reads those that it shows', async (t) => {
  const path = join(folder(t), 'atrium.db')
  const store = openStore({ path, seal: createSeal('0'.repeat(64)) })
  t.after(() => store.close())
  await store.turns.start(turnOf({ input: [say('x')] }))
  for (let at = 0; at < 20; at++) {
    const { turn } = await store.turns.start(turnOf({ input: [say('x')] }))
    await store.turns.record(turn, lease, step([call('c'), gate('c', 'approval')], { status: 'waiting' }))
  }
  const sql = openSqlite(path)
  t.after(() => sql.close())
  let turns = 0
  const answer = ({ sql: text, values }: Statement): Row[] => {
    const rows = sql.db.prepare(text).all(...values) as Row[]
    turns += rows.filter((row) => 'status' in row).length
    return rows
  }
  const read: Sql['read'] = (job) => Promise.resolve(drive(job(), answer).result)
  assert.deepEqual([(await openGates({ read }, ada, { limit: 3 })).length, turns], [3, 3])
})

test('the transaction that ends a long turn reads none of its entries', async (t) => {
  const path = join(folder(t), 'atrium.db')
  const store = openStore({ path, seal: createSeal('0'.repeat(64)) })
  t.after(() => store.close())
  const { turn, entries: input } = await store.turns.start(turnOf())
  const { entries } = await store.turns.record(
    turn,
    lease,
    step(Array.from({ length: 24 }, (_, at) => reply(`${at}${'z'.repeat(mebibyte)}`))),
  )
  const sql = openSqlite(path)
  t.after(() => sql.close())
  const { value, all } = measured(sql, beginDigest(turn))
  assert.equal(value, undefined)
  assert.ok(all < 1024, `${all} bytes`)
  const ended = await store.turns.end(ada, turn.id)
  assert.equal(await store.turns.hash(ada, turn.id), digestOf([...input, ...entries]))
  assert.deepEqual([ended.entries.length, entries.length], [0, 24])
})

const headed: readonly (readonly [item: Item, header: Item])[] = [
  [say('words').item, { type: 'message', role: 'user', content: [] }],
  [reply('words').item, { type: 'message', role: 'assistant', content: [] }],
  [
    { type: 'reasoning', text: 'words' },
    { type: 'reasoning', text: '' },
  ],
  [
    { type: 'summary', text: 'words', upTo: 7 },
    { type: 'summary', text: '', upTo: 0 },
  ],
  [call('c-1').item, { type: 'call', callId: 'c-1', name: '', args: '' }],
  [
    { type: 'attempt', callId: 'c_1' },
    { type: 'attempt', callId: 'c_1' },
  ],
  [
    { type: 'result', callId: 'c1', output: 'words' },
    { type: 'result', callId: 'c1', output: '' },
  ],
  [gate('c1', 'input').item, { type: 'gate', callId: 'c1', kind: 'input', name: '', args: '', prompt: '' }],
  [
    { type: 'gate', callId: 'c1', kind: 'approval', held: true, name: 'n', args: '{}', prompt: '?' },
    { type: 'gate', callId: 'c1', kind: 'approval', held: true, name: '', args: '', prompt: '' },
  ],
  [decide('c1', 'deny').item, { type: 'answer', callId: 'c1', decision: 'deny', by: '' }],
  // An id that the beginning does not show is read with the whole item.
  [call('c'.repeat(300)).item, call('c'.repeat(300)).item],
  [call('c:1').item, call('c:1').item],
]

/** Answers reads of a thread with these items. */
function threadOf(items: readonly Item[]): Parameters<typeof drive>[1] {
  const rows = items.map((item, at) => {
    return {
      thread_id: 'h',
      id: `i${at + 1}`,
      turn_id: 't',
      seq: at + 1,
      at: 5,
      asked: null,
      body: JSON.stringify(item),
    }
  })
  return ({ sql, values }) => {
    if (!sql.includes('LIMIT')) return rows.filter(({ seq }) => seq === values[1])
    const [, from = 0, limit] = values.map(Number)
    const found = sql.includes('DESC') ? rows.filter(({ seq }) => seq < from).toReversed() : rows
    return found.slice(0, limit).map((row) => ({ ...row, body: row.body.slice(0, 300) }))
  }
}

test('the header of an item has its kind and its call, and nothing that it says', () => {
  const items = headed.map(([item]) => item)
  const { result } = drive(readHeaders('h', { order: 'asc', from: 0, limit: 99 }), threadOf(items))
  assert.deepEqual(
    result.map(({ item }) => item),
    headed.map(([, header]) => header),
  )
  assert.deepEqual({ ...result[4], item: undefined }, { seq: 5, id: 'i5', turnId: 't', at: 5, item: undefined })
})

test('the end of a thread is read back to before the latest response, however many calls that has', () => {
  for (const calls of [1, 29, 30, 31, 32, 62, 63]) {
    const made = Array.from({ length: calls }, (_, at) => call(`c${at}`).item)
    const items: Item[] = [say('a').item, call('x').item, { type: 'result', callId: 'x', output: '' }, reply('b').item]
    const { result, asked } = drive(readTail('h'), threadOf([...items, ...made]))
    const found = result.map(({ seq }) => seq)
    assert.deepEqual(
      found,
      Array.from({ length: calls + 2 }, (_, at) => at + 3),
      `${calls} calls`,
    )
    const read = asked.reduce((sum, { values }) => sum + Number(values[2]), 0)
    assert.ok(read <= 2 * (calls + 2), `${calls} calls: ${read} rows were read`)
  }
})

test('a message of a person begins the end of a thread, and a thread without one has a bound', () => {
  const seqs = (items: readonly Item[]): number[] => drive(readTail('h'), threadOf(items)).result.map(({ seq }) => seq)
  const attempt: Item = { type: 'attempt', callId: 'c' }
  assert.deepEqual(seqs([say('a').item, attempt, say('b').item, attempt]), [3, 4])
  assert.deepEqual(seqs([attempt, attempt]), [1, 2])
  assert.deepEqual(seqs([]), [])
  for (const [there, read] of [
    [32, 32],
    [33, 33],
    [1_500, 1_022],
  ] as const) {
    const found = seqs(Array.from({ length: there }, () => attempt))
    assert.deepEqual([found.length, found.at(-1)], [read, there])
  }
})
