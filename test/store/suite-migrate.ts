// Each version of the schema, reached from a database of the version before.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { userId } from '#core/ids.ts'
import { type Item, textMessage } from '#core/item.ts'
import { migrations } from '#store/migrations.ts'
import { catchUp } from '#turns/thread-indexer.ts'
import { createClimb } from './climb.ts'
import { ada, lease } from './harness.ts'
import { climbOwned } from './suite-climb-owned.ts'
import { climbThreads } from './suite-climb-threads.ts'
import { climbTurns } from './suite-climb-turns.ts'
import type { OpenVersion } from './versions.ts'

export function migrateTests(openVersion: OpenVersion): void {
  const climb = createClimb(openVersion, async (old, version) => {
    await old.run(`INSERT INTO users (id, name, created_at) VALUES (?, ?, 1)`, `u${version}`, `ada u${version}`)
    const token = [`token of u${version}`, `u${version}`]
    await old.run(`INSERT INTO tokens (hash, user_id, created_at) VALUES (?, ?, 1)`, ...token)
  })

  climb('a database of any earlier version opens, with what it holds', migrations.length, {
    async check({ accounts }) {
      for (const user of migrations.map((_, index) => `u${index + 1}`)) {
        const found = await accounts.findByToken(`token of ${user}`, 2)
        assert.deepEqual(found, { id: userId(user), name: `ada ${user}`, createdAt: 1 })
      }
    },
  })
  climbThreads(climb)
  climbTurns(climb)
  climbOwned(climb)

  test('a database from before the index over threads gets one, which finds the threads that it has', async (t) => {
    const old = await openVersion(t, 32)
    const body = JSON.stringify(textMessage('user', 'zeppelin'))
    const thread = ['0197a000-0000-7000-8000-000000000000', ada, 'web', 'old']
    await old.run(
      `INSERT INTO threads (id, user_id, door, title, created_at, updated_at, last_seq, last_turn)
       VALUES (?, ?, ?, ?, 1, 1, 1, 'none')`,
      ...thread,
    )
    const item = `INSERT INTO items (thread_id, seq, id, turn_id, at, body) VALUES (?, 1, 'i', 't', 1, ?)`
    await old.run(item, thread[0] ?? '', body)
    const { threadIndex } = await old.upgrade()
    await catchUp(threadIndex)
    assert.deepEqual((await threadIndex.count(ada, [{ term: 'zeppelin' }], 9))?.counts, [1])
  })

  test('the arguments of earlier versions become their text, in the log and in turns that wait', async (t) => {
    const args = { '","args":{': '\u0000', ',"prompt":"': ['\\', '"', '\ud800', 'é', 1.5, {}], '': null }
    const call = { type: 'call', callId: 'c', name: 'a"\\', args }
    const gate = { type: 'gate', callId: 'c', kind: 'approval', name: 'a"\\', args, prompt: 'Run "," `a`? \\' }
    const raw = { type: 'call', callId: 'd', name: 'b', args: '","args":{ no object' }
    const message = { type: 'message', role: 'user', content: [{ type: 'text', text: '"opaque":"\u0000' }] }
    const stays = [raw, { ...gate, args: '[' }, message, { type: 'reasoning', text: 'hm' }]
    const before = [
      call,
      gate,
      { ...call, args: {} },
      { type: 'reasoning', text: 'x","opaque":"', opaque: 'o' },
      ...stays,
    ]
    const old = await openVersion(t, 2)
    await old.run(
      `INSERT INTO threads (id, user_id, door, title, created_at, updated_at, last_seq, last_turn)
       VALUES ('t', 'u', 'web', '', 1, 1, ?, 'n')`,
      before.length,
    )
    for (const [at, item] of before.entries()) {
      await old.run(
        `INSERT INTO items (thread_id, seq, id, turn_id, at, body) VALUES ('t', ?, ?, 'm', 1, ?)`,
        at + 1,
        `i${at}`,
        JSON.stringify(item),
      )
    }
    const drafts = before.map((item, at) => ({ id: `d${at}`, item }))
    await old.run(
      `INSERT INTO turns (id, thread_id, user_id, door, status, input, created_at) VALUES ('n', 't', 'u', 'web', 'queued', ?, 1)`,
      JSON.stringify(drafts.filter(({ item }) => item.type === 'call' || item.type === 'message')),
    )
    const store = await old.upgrade()
    const text = JSON.stringify(args)
    const after = [
      { ...call, args: text },
      { ...gate, args: text },
      { ...call, args: '{}' },
      { type: 'reasoning', text: 'x","opaque":"', seal: 'o' },
      ...stays,
    ]
    const lease = await store.leases.join('p')
    const [started] = (await store.turns.claim(lease, 1)).started
    assert.ok(started)
    const { items } = await store.threads.history(started.turn)
    assert.deepEqual(items.slice(0, before.length), after as Item[])
    assert.deepEqual(
      items.slice(before.length),
      after.filter(({ type }) => type === 'call' || type === 'message'),
    )
  })

  test('the turns of before are kept, each with all that it had, and those that wait are taken', async (t) => {
    const old = await openVersion(t, 11)
    await old.run(
      `INSERT INTO threads (id, user_id, door, title, created_at, updated_at, last_seq, last_turn)
       VALUES ('t', 'ada', 'web', '', 1, 1, 2, 'n1')`,
    )
    const at = Date.now()
    await old.run(
      `INSERT INTO turns (id, thread_id, user_id, door, status, options, idempotency_key, body_hash, created_at, started_at,
                          ended_at, first_seq, last_seq, input_tokens, cached_tokens, output_tokens, reasoning_tokens,
                          cost_usd, model, error, hash)
       VALUES ('n1', 't', 'ada', 'web', 'failed', '{"model":"m1"}', 'k', 'b', ?, 12, 13, 1, 2, 14, 15, 16, 17, 18, 'm2',
               '{"code":"internal","message":"e"}', 'h')`,
      at,
    )
    const input = [{ id: 'i3', item: textMessage('user', 'third') }]
    await old.run(
      `INSERT INTO turns (id, thread_id, user_id, door, status, input, created_at)
       VALUES ('n2', 't', 'ada', 'web', 'queued', ?, 1)`,
      JSON.stringify(input),
    )
    const store = await old.upgrade()
    assert.deepEqual(await store.turns.findByKey(ada, { key: 'k', bodyHash: 'b' }), {
      id: 'n1',
      threadId: 't',
      userId: ada,
      door: 'web',
      status: 'failed',
      options: { model: 'm1' },
      createdAt: at,
      startedAt: 12,
      endedAt: 13,
      firstSeq: 1,
      lastSeq: 2,
      usage: { inputTokens: 14, cachedTokens: 15, outputTokens: 16, reasoningTokens: 17, costUsd: 18, model: 'm2' },
      error: { code: 'internal', message: 'e' },
    })
    assert.equal(await store.turns.hash(ada, 'n1'), 'h')
    const { started } = await store.turns.claim(lease, 9)
    assert.deepEqual(
      started.map(({ turn, entries }) => [turn.id, turn.firstSeq, entries[0]?.item]),
      [['n2', 3, input[0]?.item]],
    )
  })

  climb('a database that is up to date lacks nothing', migrations.length, {
    async check(store) {
      assert.deepEqual(await store.check(), [])
    },
  })

  test('a database that lost something says what', async (t) => {
    const broken = await openVersion(t, migrations.length)
    await broken.run('DROP TABLE tools')
    await broken.run('ALTER TABLE users RENAME COLUMN created_at TO made_at')
    await broken.run('DROP INDEX turns_by_thread')
    assert.deepEqual((await (await broken.upgrade()).check()).toSorted(), [
      'the index turns_by_thread is missing',
      'the table tools is missing',
      'the table users has no column created_at',
    ])
  })
}
