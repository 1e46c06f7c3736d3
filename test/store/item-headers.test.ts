// What a look at gates and open calls brings over from the database: heads, however much the items say.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Draft } from '#core/item.ts'
import { createSeal } from '#lib/seal.ts'
import { digestOfTurn } from '#store/turn-digest.ts'
import { openGates, waitingSince } from '#store/gate-store.ts'
import { readGateHeaders, readTail } from '#store/item-headers.ts'
import { openStore } from '#store/open-store.ts'
import type { Job, Row } from '#store/sql.ts'
import { openSqlite } from '#store/sqlite.ts'
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
  const gates = measured(sql, openGates(ada, { limit: 10 }))
  assert.deepEqual(
    gates.value.map((each) => each.gate),
    [gate('c4', 'approval').item],
  )
  assert.ok(gates.all < 16 * 1024, `the gates brought ${gates.all}`)
  const waiting = measured(sql, waitingSince(Date.now() + 1))
  assert.deepEqual(
    waiting.value.map(({ callIds }) => callIds),
    [['c4']],
  )
  assert.ok(waiting.all < 16 * 1024)
})

test('the digest of a long turn is taken a part at a time', async (t) => {
  const path = join(folder(t), 'atrium.db')
  const store = openStore({ path, seal: createSeal('0'.repeat(64)) })
  t.after(() => store.close())
  const { turn } = await store.turns.start(turnOf())
  const { entries } = await store.turns.record(
    turn,
    lease,
    step(Array.from({ length: 24 }, (_, at) => reply(`${at}${'z'.repeat(mebibyte)}`))),
  )
  const sql = openSqlite(path)
  t.after(() => sql.close())
  const { value, largest, all } = measured(sql, digestOfTurn(turn, []))
  assert.ok(all > 24 * mebibyte && largest <= 8 * mebibyte, `${largest} at once`)
  const ended = await store.turns.end(ada, turn.id)
  assert.equal(await store.turns.hash(ada, turn.id), value)
  assert.deepEqual([ended.entries.length, entries.length], [0, 24])
})
