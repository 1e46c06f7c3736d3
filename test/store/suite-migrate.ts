// Each version of the schema, reached from a database of the version before.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operator, userId } from '#core/ids.ts'
import { type Item, textMessage } from '#core/item.ts'
import { noUsage } from '#core/turn.ts'
import { createSeal } from '#lib/seal.ts'
import { migrations } from '#store/migrations.ts'
import { catchUp } from '#turns/thread-indexer.ts'
import { newServer } from './suite-mcp.ts'
import { newSkill } from './suite-skills.ts'
import { ada, decide, lease, turnAtApproval, turnOf } from './harness.ts'
import { document } from './suite-documents.ts'
import type { OpenVersion } from './versions.ts'

export function migrateTests(openVersion: OpenVersion): void {
  test('a database of any earlier version opens, with what it holds', async (t) => {
    const old = await openVersion(t, 1)
    const users = migrations.map((_, index) => `u${index + 1}`)
    for (const [index, user] of users.entries()) {
      await old.migrate(index + 1)
      await old.run(`INSERT INTO users (id, name, created_at) VALUES (?, ?, 1)`, user, `ada ${user}`)
      await old.run(`INSERT INTO tokens (hash, user_id, created_at) VALUES (?, ?, 1)`, `token of ${user}`, user)
    }
    const store = await old.upgrade()
    for (const user of users) {
      const found = await store.accounts.findByToken(`token of ${user}`, 2)
      assert.deepEqual(found, { id: userId(user), name: `ada ${user}`, createdAt: 1 })
    }
  })

  test('a database from before documents takes and finds them', async (t) => {
    const store = await (await openVersion(t, 1)).upgrade()
    await store.documents.put(ada, [document('a', 'hello')])
    assert.deepEqual((await store.documents.count(ada, [{ term: 'hello' }], 9))?.counts, [1])
  })

  test('a database from before missions takes them, and counts what they store', async (t) => {
    const store = await (await openVersion(t, 22)).upgrade()
    const mission = {
      title: 'a',
      prompt: 'b',
      schedule: '@daily',
      zone: 'UTC',
      missed: 'once',
      from: 0,
      nextAt: 5,
    } as const
    const { id } = await store.missions.add(ada, mission, 100)
    assert.ok((await store.storage.used(ada)).bytes > 0)
    await store.missions.remove(ada, id)
    assert.deepEqual(await store.storage.used(ada), { bytes: 0 })
  })

  test('a database from before chat channels takes them', async (t) => {
    const { channels } = await (await openVersion(t, 30)).upgrade()
    await channels.connect({ channel: 'telegram', account: '1', name: '@bot' })
    assert.deepEqual(await channels.posts('telegram'), [])
  })

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

  test('threads from before they could be archived stay in the list', async (t) => {
    const old = await openVersion(t, 34)
    await old.run(
      `INSERT INTO threads (id, user_id, door, title, created_at, updated_at, last_seq, last_turn)
       VALUES ('t', ?, 'web', 'old', 1, 1, 0, 'a')`,
      ada,
    )
    const { threads } = await old.upgrade()
    assert.deepEqual(
      (await threads.list(ada, { limit: 9 })).rows.map(({ title }) => title),
      ['old'],
    )
    await threads.shelve(ada, 't', { archived: true })
    assert.deepEqual((await threads.list(ada, { limit: 9 })).rows, [])
  })

  test('threads from before variants have none, and can have them', async (t) => {
    const old = await openVersion(t, 37)
    await old.run(
      `INSERT INTO threads (id, user_id, door, title, created_at, updated_at, last_seq, last_turn)
       VALUES ('t', ?, 'web', 'old', 1, 1, 0, 'a')`,
      ada,
    )
    const body = JSON.stringify({ type: 'message', role: 'user', content: [] })
    await old.run(`INSERT INTO items (thread_id, seq, id, turn_id, at, body) VALUES ('t', 1, 'i', 'a', 1, ?)`, body)
    const { threads, turns } = await old.upgrade()
    assert.equal((await threads.get(ada, 't'))?.family, undefined)
    const { turn } = await turns.start(turnOf({ forks: { threadId: 't', beforeSeq: 1, variant: true } }))
    assert.deepEqual(
      (await threads.list(ada, { limit: 9 })).rows.map(({ id, family }) => [id, family]),
      [[turn.threadId, 't']],
    )
  })

  test('a database from before versions of documents keeps them from the next write on', async (t) => {
    const { documents } = await (await openVersion(t, 35)).upgrade()
    for (const text of ['one', 'two']) await documents.put(ada, [document('a', text)])
    assert.equal((await documents.version(ada, 'a', 1))?.content, 'one')
  })

  test('a database from before MCP servers takes them', async (t) => {
    const { mcp } = await (await openVersion(t, 28)).upgrade()
    assert.deepEqual(await mcp.list(), [])
    await mcp.add(newServer('files'))
    assert.equal((await mcp.list())[0]?.tools.length, 2)
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

  test('what turns have used before usage was kept is counted by their days', async (t) => {
    const old = await openVersion(t, 4)
    const turn = (id: string, user: string, at: number, tokens: number) =>
      old.run(
        `INSERT INTO turns (id, thread_id, user_id, door, status, created_at, input_tokens, cost_usd)
         VALUES (?, ?, ?, 'web', 'done', ?, ?, 0.25)`,
        id,
        id,
        user,
        at,
        tokens,
      )
    const now = Date.now()
    await turn('a', 'ada', now, 5)
    await turn('b', 'ada', now, 6)
    await turn('c', 'bob', now - 86_400_000, 7)
    await turn('d', 'bob', now, 0)
    const store = await old.upgrade()
    assert.deepEqual(
      (await store.usage.list(undefined, 3)).map(({ user, turns, inputTokens, costUsd }) => [
        user,
        turns,
        inputTokens,
        costUsd,
      ]),
      [
        ['ada', 2, 11, 0.5],
        ['bob', 1, 7, 0.25],
      ],
    )
  })

  test('what turns have cost is kept when a cost may be unknown', async (t) => {
    const old = await openVersion(t, 5)
    for (const [id, usd] of [
      ['a', 0],
      ['b', 0.25],
    ] as const) {
      await old.run(
        `INSERT INTO turns (id, thread_id, user_id, door, status, created_at, cost_usd) VALUES (?, ?, ?, 'web', 'done', 1, ?)`,
        id,
        id,
        ada,
        usd,
      )
    }
    const { rows } = await (await old.upgrade()).turns.list(ada, { limit: 9 })
    const costs = Object.fromEntries(rows.map(({ id, usage }) => [id, usage.costUsd]))
    assert.deepEqual(costs, { a: 0, b: 0.25 })
  })

  test('a database from before grants takes and lists them', async (t) => {
    const store = await (await openVersion(t, 6)).upgrade()
    const turn = await turnAtApproval(store)
    await store.turns.answer(ada, turn.threadId, decide('a1'), { tool: 'act' })
    assert.deepEqual(
      (await store.grants.list(ada)).map(({ tool }) => tool),
      ['act'],
    )
  })

  test('the items of before are kept, in their order', async (t) => {
    const old = await openVersion(t, 7)
    await old.run(
      `INSERT INTO threads (id, user_id, door, title, created_at, updated_at, last_seq, last_turn)
       VALUES ('t', 'ada', 'web', '', 1, 1, 2, 'n')`,
    )
    for (const [seq, text] of [
      [2, 'later'],
      [1, 'first'],
    ] as const) {
      const body = { type: 'message', role: 'user', content: [{ type: 'text', text }] }
      await old.run(
        `INSERT INTO items (thread_id, seq, id, turn_id, at, body, asked) VALUES ('t', ?, ?, 'n', 7, ?, NULL)`,
        seq,
        `i${seq}`,
        JSON.stringify(body),
      )
    }
    const store = await old.upgrade()
    const { entries } = await store.threads.entries(ada, 't', { after: 0, limit: 9 })
    assert.deepEqual(
      entries.map(({ seq, id, at, item }) => [seq, id, at, item.type === 'message' && item.content[0]]),
      [
        [1, 'i1', 7, { type: 'text', text: 'first' }],
        [2, 'i2', 7, { type: 'text', text: 'later' }],
      ],
    )
    assert.equal((await store.threads.findItems(ada, [{ threadId: 't', itemId: 'i2' }])).length, 1)
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

  test('the documents of a database from before vectors are all without one', async (t) => {
    const old = await openVersion(t, 8)
    await old.run(
      `INSERT INTO document_owners (user_id, number, documents, bytes, chunks, terms) VALUES ('ada', 1, 1, 1, 1, 1)`,
    )
    const [terms, value] = old.backend === 'postgres' ? [', terms', ", ''"] : ['', '']
    await old.run(
      `INSERT INTO chunks (user_id, path, at, lap, size, text${terms}) VALUES ('ada', 'a', 0, 0, 1, 'dog'${value})`,
    )
    const { vectors } = await old.upgrade()
    const { chunks } = await vectors.pending('m', { after: 0, limit: 9 })
    assert.deepEqual(
      chunks.map(({ path, text }) => [path, text]),
      [['a', 'dog']],
    )
    await vectors.save(
      'm',
      chunks.map((chunk) => ({ chunk, vector: Float32Array.from([1, 0]) })),
    )
    assert.deepEqual((await vectors.pending('m', { after: 0, limit: 9 })).chunks, [])
    assert.deepEqual((await vectors.pending('n', { after: 0, limit: 9 })).chunks, chunks)
  })

  test('usage of an unknown price from before such calls were counted is one of at least one call', async (t) => {
    const old = await openVersion(t, 19)
    const today = Math.floor(Date.now() / 86_400_000)
    for (const [model, cost] of [
      ['', null],
      ['a', 0.5],
      ['b', null],
    ] as const) {
      await old.run(
        `INSERT INTO usage (user_id, day, model, slot, turns, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost_usd)
         VALUES ('ada', ?, ?, 0, 1, 1, 1, 1, 1, ?)`,
        today,
        model,
        cost,
      )
    }
    const { turns, usage } = await old.upgrade()
    assert.deepEqual((await turns.count(ada)).costToday, { costUsd: 0.5, unpricedCalls: 1 })
    await usage.add(ada, 'web', { model: 'b', usage: { ...noUsage, costUsd: null }, ms: 1 })
    const [, ofB] = await usage.list(ada, 1)
    assert.deepEqual([ofB?.model, ofB?.costUsd, ofB?.unpricedCalls], ['b', null, 2])
  })

  test('a database from before sessions takes them, and its tokens open them', async (t) => {
    const old = await openVersion(t, 10)
    await old.run(`INSERT INTO users (id, name, created_at) VALUES ('ada', 'ada', 1)`)
    await old.run(`INSERT INTO tokens (hash, user_id, created_at) VALUES ('h', 'ada', 1)`)
    const { sessions } = await old.upgrade()
    await sessions.open({ hash: 's', user: ada, token: 'h', endsAt: Date.now() + 60_000 })
    assert.equal((await sessions.find('s', 60_000))?.name, 'ada')
  })

  test('a database from before issuers takes people of theirs, beside those it has', async (t) => {
    const old = await openVersion(t, 12)
    await old.run(`INSERT INTO users (id, name, created_at) VALUES ('u1', 'ann', 1)`)
    const { identities, accounts } = await old.upgrade()
    const made = await identities.enrol({ issuer: 'https://login.example.com', subject: 'ann' }, ['ann', 'ann 2'])
    assert.equal(made.name, 'ann 2')
    assert.equal((await accounts.listUsers()).length, 2)
  })

  test('a database from before answers had times and uses were counted takes both; what was before has none', async (t) => {
    const old = await openVersion(t, 13)
    await old.run(
      `INSERT INTO grants (id, user_id, door, tool, target, granted_by, created_at) VALUES ('a', 'ada', 'web', 'act', '', 'ada', 1)`,
    )
    const store = await old.upgrade()
    assert.equal((await store.grants.list(ada))[0]?.uses, 0)
    await store.grants.used('a')
    assert.equal((await store.grants.list(ada))[0]?.uses, 1)
    const turn = await turnAtApproval(store)
    assert.deepEqual(await store.turns.answeredGates(ada, { since: 0, limit: 9 }), [])
    await store.turns.answer(ada, turn.threadId, decide('a1'))
    assert.equal((await store.turns.answeredGates(ada, { since: 0, limit: 9 })).length, 1)
  })

  test('grants from before some stood for clean prompts alone stand for all, as they did', async (t) => {
    const old = await openVersion(t, 14)
    await old.run(
      `INSERT INTO grants (id, user_id, door, tool, target, granted_by, created_at) VALUES ('a', 'ada', 'web', 'act', '', 'ada', 1)`,
    )
    assert.equal((await (await old.upgrade()).grants.list(ada))[0]?.clean, undefined)
  })

  test('documents from before their threads were kept have none, and get one by the next write', async (t) => {
    const old = await openVersion(t, 15)
    await old.run(
      `INSERT INTO document_owners (user_id, number, documents, bytes, chunks, terms) VALUES ('ada', 1, 1, 5, 0, 0)`,
    )
    await old.run(
      `INSERT INTO documents (user_id, path, bytes, author, untrusted, revision, chunks, terms, created_at, updated_at)
       VALUES ('ada', 'a', 5, 'agent', 0, 1, 0, 0, 1, 1)`,
    )
    const { documents } = await old.upgrade()
    assert.equal((await documents.get(ada, 'a'))?.threadId, undefined)
    await documents.put(ada, [document('a', 'later', { author: 'agent', threadId: 't' })])
    assert.equal((await documents.get(ada, 'a'))?.threadId, 't')
  })

  test('the operator reaches what the webhook channel made before reach was a column, and nothing else of others', async (t) => {
    const old = await openVersion(t, 16)
    const at = Date.now()
    for (const [id, user, door] of [
      ['a', 'webhook:bot', 'webhook'],
      ['b', 'ada', 'web'],
    ] as const) {
      await old.run(
        `INSERT INTO threads (id, user_id, door, title, created_at, updated_at, last_seq, last_turn) VALUES (?, ?, ?, '', 1, 1, 0, ?)`,
        id,
        user,
        door,
        id,
      )
      await old.run(
        `INSERT INTO turns (id, thread_id, user_id, door, status, created_at, answered_at) VALUES (?, ?, ?, ?, 'failed', ?, ?)`,
        id,
        id,
        user,
        door,
        at,
        at,
      )
      await old.run(
        `INSERT INTO grants (id, user_id, door, tool, target, granted_by, created_at) VALUES (?, ?, ?, 'act', '', 'ada', 1)`,
        id,
        user,
        door,
      )
    }
    const store = await old.upgrade()
    const ids = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id)
    assert.deepEqual(ids((await store.threads.list(operator, { limit: 9 })).rows), ['a'])
    assert.deepEqual(ids((await store.turns.list(operator, { limit: 9, status: 'failed' })).rows), ['a'])
    assert.deepEqual(ids(await store.grants.list(operator)), ['a'])
    assert.equal(await store.turns.get(operator, 'b'), undefined)
  })

  test('a thread from before bodies were shared is forked and erased', async (t) => {
    const old = await openVersion(t, 17)
    const body = JSON.stringify(textMessage('user', 'long '.repeat(1_000)))
    await old.run(
      `INSERT INTO threads (id, user_id, door, title, created_at, updated_at, last_seq, last_turn)
       VALUES ('t', 'ada', 'web', '', 1, 1, 2, 't')`,
    )
    for (const seq of [1, 2]) {
      await old.run(
        `INSERT INTO items (thread_id, seq, id, turn_id, at, body) VALUES ('t', ?, ?, 'n', 1, ?)`,
        seq,
        `i${seq}`,
        body,
      )
    }
    const { threads } = await old.upgrade()
    const fork = await threads.fork(ada, 't', { beforeSeq: 2, door: 'web' })
    assert.ok(fork)
    await threads.remove(ada, 't')
    const { entries } = await threads.entries(ada, fork.id, { after: 0, limit: 9 })
    assert.deepEqual(
      entries.map(({ item }) => JSON.stringify(item)),
      [body],
    )
  })

  test('what was stored before it was counted counts', async (t) => {
    const old = await openVersion(t, 18)
    await old.run(
      `INSERT INTO threads (id, user_id, door, title, created_at, updated_at, last_seq, last_turn)
       VALUES ('t', 'ada', 'web', '', 1, 1, 2, 'n'), ('u', 'ada', 'web', '', 1, 1, 0, 'u'), ('v', 'bob', 'web', '', 1, 1, 0, 'v')`,
    )
    await old.run(
      `INSERT INTO items (thread_id, seq, id, turn_id, at, body, shared) VALUES ('t', 1, 'i', 'n', 1, '"ü"', NULL),
       ('t', 2, 'j', 'n', 1, '"xx', 'x:1')`,
    )
    await old.run(`INSERT INTO shared_bodies (id, user_id, refs, bytes, body) VALUES ('x:1', 'ada', 1, 1000, '')`)
    await old.run(
      `INSERT INTO turns (id, thread_id, user_id, door, status, created_at, options, input)
       VALUES ('n', 't', 'ada', 'web', 'done', 1, '{}', NULL), ('o', 't', 'ada', 'web', 'queued', 1, NULL, '[]')`,
    )
    await old.run(
      `INSERT INTO document_owners (user_id, number, documents, bytes, chunks, terms) VALUES ('ada', 1, 1, 7, 0, 0)`,
    )
    const { storage, threads } = await old.upgrade()
    assert.deepEqual(await storage.used(ada), { bytes: 4 + 1_000 + 2 + 2 + 4 * 500 + 7 })
    await threads.remove(ada, 't')
    assert.deepEqual(await storage.used(ada), { bytes: 7 })
  })

  test('a thread from before replay chains is forked and erased, and gets points from then on', async (t) => {
    const old = await openVersion(t, 20)
    await old.run(
      `INSERT INTO threads (id, user_id, door, title, created_at, updated_at, last_seq, last_turn)
       VALUES ('t', 'ada', 'web', '', 1, 1, 0, 't')`,
    )
    const { threads } = await old.upgrade()
    await threads.addChainPoint(ada, { threadId: 't', turnId: 'n', hash: 'h' })
    const fork = await threads.fork(ada, 't', { beforeSeq: 1, door: 'web' })
    assert.equal((await threads.findByChain(ada, ['h']))?.threadId, fork && (fork.id > 't' ? fork.id : 't'))
    await threads.remove(ada, 't')
    assert.equal((await threads.findByChain(ada, ['h']))?.threadId, fork?.id)
  })

  test('the points of a thread from before are found: the latest one goes on, an earlier one forks', async (t) => {
    const old = await openVersion(t, 25)
    await old.run(
      `INSERT INTO threads (id, user_id, door, title, created_at, updated_at, last_seq, last_turn)
       VALUES ('t', 'ada', 'responses', '', 1, 1, 4, 'n')`,
    )
    const hash = (letter: string) => letter.repeat(43)
    await old.run(
      `INSERT INTO chain_points (thread_id, turn_id, hash, user_id, seq, latest)
       VALUES ('t', 'm', '${hash('a')}', 'ada', 2, 0), ('t', 'n', '${hash('b')}', 'ada', 4, 1)`,
    )
    const { threads } = await old.upgrade()
    const find = async (letter: string) => {
      const found = await threads.findByChain(ada, [hash(letter)])
      return found && [found.turnId, found.seq, found.latest]
    }
    assert.deepEqual(await find('a'), ['m', 2, false])
    assert.deepEqual(await find('b'), ['n', 4, true])
  })

  test('a turn from before that waits is found by its body', async (t) => {
    const old = await openVersion(t, 23)
    await old.run(
      `INSERT INTO threads (id, user_id, door, title, created_at, updated_at, last_seq, last_turn)
       VALUES ('t', 'ada', 'responses', '', 1, 1, 0, 'n')`,
    )
    await old.run(
      `INSERT INTO turns (id, thread_id, user_id, door, status, created_at, idempotency_key, body_hash)
       VALUES ('n', 't', 'ada', 'responses', 'waiting', 1, 'k', 'b')`,
    )
    const { turns } = await old.upgrade()
    assert.equal((await turns.findWaiting(ada, 'responses', 'b'))?.id, 'n')
  })

  test('items from before their index left out the first of each thread are all found by id', async (t) => {
    const old = await openVersion(t, 24)
    await old.run(
      `INSERT INTO threads (id, user_id, door, title, created_at, updated_at, last_seq, last_turn)
       VALUES ('t', 'ada', 'web', '', 1, 1, 40, 'n')`,
    )
    const body = JSON.stringify({ type: 'message', role: 'user', content: [] })
    for (let seq = 1; seq <= 40; seq++) {
      await old.run(
        `INSERT INTO items (thread_id, seq, id, turn_id, at, body) VALUES ('t', ?, ?, 'n', 7, ?)`,
        seq,
        `i${seq}`,
        body,
      )
    }
    const { threads } = await old.upgrade()
    const refs = Array.from({ length: 41 }, (_, at) => ({ threadId: 't', itemId: `i${at + 1}` }))
    const found = await threads.findItems(ada, refs)
    assert.deepEqual(
      found.map(({ seq }) => seq),
      refs.slice(0, 40).map((_, at) => at + 1),
    )
  })

  test('a replica of the version before goes on: the operator reaches what it stores for the webhook channel', async (t) => {
    const old = await openVersion(t, 16)
    if (old.backend === 'sqlite') return t.skip('one process has the file')
    const store = await old.upgrade()
    await old.run(
      `INSERT INTO threads (id, user_id, door, title, created_at, updated_at, last_seq, last_turn)
       VALUES ('a', 'webhook:bot', 'webhook', '', 1, 1, 0, 'a'), ('b', 'ada', 'web', '', 1, 1, 0, 'b')`,
    )
    assert.deepEqual(
      (await store.threads.list(operator, { limit: 9 })).rows.map(({ id }) => id),
      ['a'],
    )
  })

  test('a database that is up to date lacks nothing, and one that lost something says what', async (t) => {
    const old = await openVersion(t, migrations.length)
    const store = await old.upgrade()
    assert.deepEqual(await store.check(), [])
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

  test('skills of a database from before them count towards what is stored', async (t) => {
    const old = await openVersion(t, 20)
    await old.run(
      `INSERT INTO document_owners (user_id, number, documents, bytes, chunks, terms) VALUES ('ada', 1, 1, 7, 0, 0)`,
    )
    const { skills, storage } = await old.upgrade()
    assert.deepEqual(await skills.list(ada), [])
    await skills.put(ada, newSkill('pdf', { 'SKILL.md': 'one' }))
    assert.deepEqual(await storage.used(ada), { bytes: 7 + 3 + 2 * 500 })
  })

  test('threads from before a model could be chosen use the usual one, and take a choice', async (t) => {
    const old = await openVersion(t, 34)
    await old.run(
      `INSERT INTO threads (id, user_id, door, title, created_at, updated_at, last_seq, last_turn)
       VALUES ('a', 'ada', 'web', '', 1, 1, 0, 'a')`,
    )
    const { threads } = await old.upgrade()
    assert.equal((await threads.get(ada, 'a'))?.model, undefined)
    await threads.setModel(ada, 'a', 'ollama/qwen3')
    assert.equal((await threads.get(ada, 'a'))?.model, 'ollama/qwen3')
  })

  test('secrets from before they had owners are the operator\u2019s', async (t) => {
    const old = await openVersion(t, 9)
    const sealed = createSeal('0'.repeat(64)).seal('tool/a/key', 'hush')
    await old.run(`INSERT INTO secrets (name, sealed, updated_at) VALUES ('tool/a/key', ?, 5)`, sealed)
    const store = await old.upgrade()
    assert.equal(await store.secrets.get('tool/a/key'), 'hush')
    assert.deepEqual(await store.secrets.list(), [{ name: 'tool/a/key', updatedAt: 5 }])
    assert.deepEqual(await store.secrets.list(ada), [])
  })
}
