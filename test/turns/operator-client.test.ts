// The operator's client over a house without doors: what it sends, lists, follows and refuses.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { AppError } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import { textMessage } from '#core/item.ts'
import type { Tool } from '#core/tool.ts'
import { createDocuments } from '#memory/documents.ts'
import { createOperatorClient, type OperatorClient, type OperatorParts } from '#turns/operator-client.ts'
import type { Watched } from '#turns/watch.ts'
import { tool } from '../agent/tools.ts'
import { rejectsWith } from '../store/harness.ts'
import { createHeldReply, type House, type HouseParts, openHouse, until } from './house.ts'

type Opened = House & { readonly client: OperatorClient }

function opened(t: TestContext, parts: HouseParts = {}, over: Partial<OperatorParts> = {}): Opened {
  const house = openHouse(t, parts)
  return { ...house, client: createOperatorClient({ ...partsOf(house), ...over }) }
}

function partsOf(house: House): OperatorParts {
  return {
    ...house,
    documents: createDocuments({ store: house.store.documents }),
    models: { list: () => Promise.resolve([]) },
    tools: () => [],
    policy: () => ({}),
    skills: () => Promise.reject(new Error('not asked')),
    missions: () => Promise.reject(new Error('not asked')),
    notifications: () => Promise.reject(new Error('not asked')),
    status: () => Promise.reject(new Error('not asked')),
    login: () => Promise.reject(new Error('not asked')),
  }
}

const always = new AbortController().signal

function kinds(batches: readonly (readonly Watched[])[]): string[] {
  return batches.map((batch) =>
    batch.map((event) => (event.type === 'turn' ? `turn ${event.turn.status}` : event.type)).join(' '),
  )
}

test('a message makes a thread, and another one goes on in it; files go with their message', async (t) => {
  const { client, turns, store } = opened(t)
  const first = await client.send({ door: 'terminal', message: 'hi' })
  await Array.fromAsync(client.follow(first.turnId, always))
  assert.equal(first.queued, false)
  const files = [{ type: 'file' as const, name: 'a.txt', text: 'A' }]
  const second = await client.send({ door: 'run', message: 'go on', threadId: first.threadId, files })
  await Array.fromAsync(client.follow(second.turnId, always))
  assert.equal(second.threadId, first.threadId)
  const { entries } = await store.threads.entries(operator, first.threadId, { after: 2, limit: 1 })
  assert.deepEqual(entries[0]?.item, textMessage('user', 'go on', files))
  assert.equal((await turns.get(operator, second.turnId))?.door, 'run')
  await rejectsWith(client.send({ door: 'terminal', message: ' ' }), 'invalid_input')
})

test('a command of the operator is a call that waits for its approval; a queued one is changed with its message', async (t) => {
  const { script, told, letGo } = createHeldReply()
  const tools = [tool('workspace_shell', { effects: 'danger' })]
  const reply = (text: string) => (text === 'first' ? script : [`echo ${text}`])
  const { client, store } = opened(t, { tools, reply }, { tools: () => tools })
  const first = await client.send({ door: 'terminal', message: 'first' })
  await told
  const { threadId } = first
  const second = await client.send({ door: 'terminal', message: '!ls', threadId, command: 'ls' })
  await client.editQueued(second.turnId, '!ls -la')
  letGo()
  await Array.fromAsync(client.follow(second.turnId, always))
  const gate = (await client.gates())[0]?.gate
  assert.deepEqual([gate?.kind, gate?.name, gate?.args], ['approval', 'workspace_shell', '{"command":"ls -la"}'])
  await client.answer(threadId, { callId: gate?.callId ?? '', decision: 'allow' })
  await Array.fromAsync(client.follow(second.turnId, always))
  const { entries } = await store.threads.entries(operator, threadId, { after: 2, limit: 20 })
  assert.deepEqual(
    entries.map(({ item }) => (item.type === 'result' ? item.output : item.type)),
    ['message', 'call', 'gate', 'answer', 'attempt', 'workspace_shell ran', 'message'],
  )
})

test('without the shell a command is refused, and nothing is stored', async (t) => {
  const { client } = opened(t)
  await rejectsWith(client.send({ door: 'terminal', message: '!ls', command: 'ls' }), 'invalid_input')
  assert.deepEqual(await client.threads(), [])
})

test('a turn that rests already is followed whole, in three batches', async (t) => {
  const { client } = opened(t)
  const { turnId } = await client.send({ door: 'terminal', message: 'hi' })
  await Array.fromAsync(client.follow(turnId, always))
  const batches = await Array.fromAsync(client.follow(turnId, always))
  assert.deepEqual(kinds(batches), ['', 'entries', 'turn completed'])
  const [, told] = batches
  assert.equal(told?.[0]?.type === 'entries' && told[0].entries.length, 2)
})

test('a turn that waits in the queue is followed from its own first entry, without the turn before it', async (t) => {
  const { script, told, letGo } = createHeldReply()
  const { client } = opened(t, { reply: (text) => (text === 'first' ? script : [`echo ${text}`]) })
  const first = await client.send({ door: 'terminal', message: 'first' })
  await told
  const second = await client.send({ door: 'terminal', message: 'second', threadId: first.threadId })
  assert.equal(second.queued, true)
  const follow = client.follow(second.turnId, always)[Symbol.asyncIterator]()
  assert.deepEqual((await follow.next()).value, [])
  letGo()
  const batches: (readonly Watched[])[] = []
  for (let next = await follow.next(); !next.done; next = await follow.next()) batches.push(next.value)
  const events = batches.flat()
  assert.equal(events.at(-1)?.type, 'turn')
  const entries = events.flatMap((event) => (event.type === 'entries' ? event.entries : []))
  assert.deepEqual(
    entries.map(({ turnId, item }) => [turnId, item.type]),
    [
      [second.turnId, 'message'],
      [second.turnId, 'message'],
    ],
  )
  assert.ok(events.every((event) => event.type !== 'delta' || event.turnId === second.turnId))
})

test('a queued turn that begins while its thread is read is followed from its own first entry', async (t) => {
  const { script, told, letGo } = createHeldReply()
  const house = opened(t, { reply: (text) => (text === 'first' ? script : [`echo ${text}`]) })
  const first = await house.client.send({ door: 'terminal', message: 'first' })
  await told
  const { turnId } = await house.client.send({ door: 'terminal', message: 'second', threadId: first.threadId })
  const begun = async () => (await house.turns.get(operator, turnId))?.firstSeq !== undefined
  const client = createOperatorClient({
    ...partsOf(house),
    threads: {
      ...house.threads,
      async get(...args) {
        const thread = await house.threads.get(...args)
        letGo()
        await until(begun)
        return thread
      },
    },
  })
  const events = (await Array.fromAsync(client.follow(turnId, always))).flat()
  const entries = events.flatMap((event) => (event.type === 'entries' ? event.entries : []))
  assert.deepEqual(
    entries.map((entry) => entry.turnId),
    [turnId, turnId],
  )
})

test('a stream ends with its signal, before and after its first batch', async (t) => {
  const { script, told, letGo } = createHeldReply()
  const { client, watchers } = opened(t, { reply: () => script })
  const { threadId, turnId } = await client.send({ door: 'terminal', message: 'hi' })
  await told
  for (const open of [
    (signal: AbortSignal) => client.watch(threadId, 0, signal),
    (signal: AbortSignal) => client.follow(turnId, signal),
    (signal: AbortSignal) => client.changes(signal),
  ]) {
    const leaving = new AbortController()
    const batches: unknown[] = []
    for await (const batch of open(leaving.signal)) {
      batches.push(batch)
      leaving.abort()
    }
    assert.deepEqual(batches[0], [])
  }
  assert.equal(watchers(), 0)
  letGo()
})

test('a watch begins behind the entry it is given', async (t) => {
  const { client } = opened(t)
  const { threadId, turnId } = await client.send({ door: 'terminal', message: 'hi' })
  await Array.fromAsync(client.follow(turnId, always))
  const leaving = new AbortController()
  for await (const batch of client.watch(threadId, 1, leaving.signal)) {
    if (batch.length === 0) continue
    assert.deepEqual(batch[0]?.type === 'entries' && batch[0].entries.map(({ seq }) => seq), [2])
    leaving.abort()
  }
})

test('what is not there is not found', async (t) => {
  const { client } = opened(t)
  await rejectsWith(Array.fromAsync(client.follow('none', always)), 'not_found')
  await rejectsWith(Array.fromAsync(client.watch('none', 0, always)), 'not_found')
  assert.equal(await client.thread('none'), undefined)
  assert.equal(await client.receipt('none'), undefined)
})

test('a watcher that fell behind gets an error after which it can begin anew; a code of ours stays', async (t) => {
  const faults = [new Error('too far behind'), new AppError('not_found', 'gone')]
  for (const [at, code] of ['shutting_down', 'not_found'].entries()) {
    const { client } = opened(t, {
      bus: (bus) => ({
        ...bus,
        subscribeChanges: () => ({
          close: () => {},
          // oxlint-disable-next-line require-yield -- it fails before
          async *[Symbol.asyncIterator]() {
            throw faults[at] as Error
          },
        }),
      }),
    })
    await assert.rejects(Array.fromAsync(client.changes(always)), { code })
  }
})

test('a thread has its turns, each once, and those of no other thread', async (t) => {
  const { script, told, letGo } = createHeldReply()
  const { client } = opened(t, { reply: (text) => (text === 'hold' ? script : ['ok']) })
  const foreign = await client.send({ door: 'terminal', message: 'hi' })
  await Array.fromAsync(client.follow(foreign.turnId, always))
  const first = await client.send({ door: 'terminal', message: 'hold' })
  await told
  const second = await client.send({ door: 'terminal', message: 'next', threadId: first.threadId })
  const thread = await client.thread(first.threadId)
  assert.deepEqual(
    new Map(thread?.turns.map(({ id, status }) => [id, status])),
    new Map([
      [second.turnId, 'queued'],
      [first.turnId, 'running'],
    ]),
  )
  assert.equal(thread?.turns.length, 2)
  assert.deepEqual(
    (await client.threads()).map(({ id }) => id),
    [first.threadId, foreign.threadId],
  )
  await client.cancel(second.turnId)
  assert.equal((await client.thread(first.threadId))?.turns.find(({ id }) => id === second.turnId)?.status, 'cancelled')
  letGo()
  await Array.fromAsync(client.follow(first.turnId, always))
})

test('an answer is the operator’s own, and its turn comes without its options', async (t) => {
  const { client, turns } = opened(t, {
    reply: (_, { items }) => (items.at(-1)?.type === 'result' ? ['ok'] : [{ name: 'write' }]),
  })
  const { threadId, turnId } = await client.send({ door: 'terminal', message: 'hi' })
  await Array.fromAsync(client.follow(turnId, always))
  const [open] = await client.gates()
  const turn = await client.answer(threadId, { callId: open?.gate.callId ?? '', decision: 'allow' })
  assert.deepEqual([turn.id, 'options' in turn], [turnId, false])
  await until(async () => (await turns.get(operator, turnId))?.status === 'completed')
  const receipt = await client.receipt(turnId)
  assert.deepEqual(
    receipt?.approvals.map(({ by, decision }) => [by, decision]),
    [['operator', 'allow']],
  )
})

test('tools are listed with their verdicts and what they do', async (t) => {
  const listed: readonly Tool[] = [
    tool('read'),
    tool('write', { effects: 'write', about: { brief: 'Writes files.', may: [], cannot: [] } }),
    tool('either', { effects: () => 'read' }),
    tool('find', { about: { brief: 'Look at files', may: ['Find files'], cannot: [] } }),
  ]
  const { client } = opened(t, {}, { tools: () => listed, policy: () => ({ write: { tainted: 'deny' } }) })
  const allow = { clean: 'allow', tainted: 'allow' }
  assert.deepEqual(await client.tools(), [
    { name: 'read', description: 'read', effects: 'read', verdict: allow },
    { name: 'write', description: 'Writes files.', effects: 'write', verdict: { clean: 'ask', tainted: 'deny' } },
    { name: 'either', description: 'either', effects: 'varies', verdict: allow },
    { name: 'find', description: 'Find files', effects: 'read', verdict: allow },
  ])
})

test('memory lists documents by their size, or finds them by their words', async (t) => {
  const { client, store } = opened(t)
  const documents = createDocuments({ store: store.documents })
  await documents.write(operator, [
    { path: 'a.md', content: 'soup recipes', author: 'user' },
    { path: 'b.md', content: 'bread', author: 'user' },
  ])
  const shown = async (query: string) => (await client.memory(query)).map(({ path, words }) => [path, words])
  assert.deepEqual(await shown(' '), [
    ['a.md', '12 bytes'],
    ['b.md', '5 bytes'],
  ])
  assert.deepEqual(await shown('soup'), [['a.md', 'soup recipes']])
})

test('clients that pause, as long as they like, keep no other watcher of the operator waiting', async (t) => {
  const { client, turns } = opened(t)
  const { threadId, turnId } = await client.send({ door: 'terminal', message: 'a'.repeat(500_000) })
  await Array.fromAsync(client.follow(turnId, always))
  const ends = new AbortController()
  for (let paused = 0; paused < 4; paused++) {
    const events = client.watch(threadId, 0, ends.signal)[Symbol.asyncIterator]()
    await events.next()
    assert.deepEqual(kinds([(await events.next()).value ?? []]), ['entries'])
  }
  const watch = turns.watch(operator, threadId, 0)
  const { value } = await watch[Symbol.asyncIterator]().next()
  assert.deepEqual(kinds([value ?? []]), ['entries'])
  watch.close()
  ends.abort()
})
