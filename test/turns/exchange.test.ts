// One message in, one reply out, as plain events.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { operator } from '#core/ids.ts'
import { type Entry, type Item, textMessage } from '#core/item.ts'
import { noUsage, type Turn } from '#core/turn.ts'
import { answerChat, type ChatClient, type ChatEvent, sendMessage } from '#turns/exchange.ts'
import type { Watched } from '#turns/watch.ts'
import { operatorClientOf } from '../doors/local/client.ts'
import { ada, rejectsWith } from '../store/harness.ts'
import { createHeldReply, type HouseParts, message, openHouse, until } from './house.ts'

const hi = { door: 'run', message: 'hi' } as const

function openChat(t: TestContext, parts: HouseParts = {}) {
  const house = openHouse(t, parts)
  return { ...house, client: operatorClientOf(house) }
}

/** What is read of a chat; text that arrives in pieces is one. */
function wordsOf(events: readonly ChatEvent[]): string[] {
  const words: string[] = []
  for (const event of events) {
    const last = words.at(-1)
    if (event.type === 'delta' && last?.startsWith('delta ')) words[words.length - 1] = last + event.text
    else if (event.type === 'delta' || event.type === 'message') words.push(`${event.type} ${event.text}`)
    else if (event.type === 'tool') words.push(`tool ${event.name}${event.failed ? ' failed' : ''}`)
    else words.push(event.type === 'end' ? `end ${event.status}: ${event.text}` : event.type)
  }
  return words
}

const withTools: HouseParts = {
  reply: (_, { items }) =>
    items.at(-1)?.type === 'result' ? ['All ', 'done'] : ['Let me see', { name: 'read' }, { name: 'gone' }],
}
const reply = [
  'delta Let me see',
  'message Let me see',
  'tool gone failed',
  'tool read',
  'delta All done',
  'message All done',
  'end completed: All done',
]

test('a reply comes as deltas, messages, tools and an end', async (t) => {
  const { client } = openChat(t, withTools)
  assert.deepEqual(wordsOf(await Array.fromAsync(sendMessage(client, hi))), ['started', ...reply])
})

test('a turn that ended before it was followed is told whole', async (t) => {
  const { client, store } = openChat(t, withTools)
  const events = sendMessage(client, hi)
  assert.equal((await events.next()).value?.type, 'started')
  await until(async () => (await store.turns.list(operator, { limit: 1 })).rows[0]?.status === 'completed')
  assert.deepEqual(wordsOf(await Array.fromAsync(events)), reply)
})

test('a turn that is followed while it writes is told from its beginning', async (t) => {
  const hold = createHeldReply()
  const { client, watchers } = openChat(t, { reply: () => hold.script })
  const events = sendMessage(client, hi)
  assert.equal((await events.next()).value?.type, 'started')
  await hold.told
  const rest = Array.fromAsync(events)
  await until(() => watchers() === 1)
  hold.letGo()
  const whole = ['delta So far, and more', 'message So far, and more', 'end completed: So far, and more']
  assert.deepEqual(wordsOf(await rest), whole)
})

test('a message that waits behind another turn is told without that turn', async (t) => {
  const hold = createHeldReply()
  const { client } = openChat(t, { reply: (text) => (text === 'first' ? hold.script : [`echo ${text}`]) })
  const { threadId } = await client.send({ door: 'run', message: 'first' })
  await hold.told
  const events = sendMessage(client, { ...hi, threadId })
  const started = await events.next()
  assert.equal(started.value?.type === 'started' && started.value.queued, true)
  const rest = Array.fromAsync(events)
  hold.letGo()
  assert.deepEqual(wordsOf(await rest), ['delta echo hi', 'message echo hi', 'end completed: echo hi'])
})

test('a gate is told, and the turn rests', async (t) => {
  const { client } = openChat(t, { reply: () => [{ name: 'write' }] })
  const events = await Array.fromAsync(sendMessage(client, hi))
  assert.deepEqual(
    events.map(({ type }) => type),
    ['started', 'gate', 'end'],
  )
})

test('bad messages and foreign threads are refused before anything is stored', async (t) => {
  const { client, turns } = openChat(t)
  const { turn, events } = await turns.start(message('mine', { user: ada }))
  events.close()
  await rejectsWith(Array.fromAsync(sendMessage(client, { ...hi, message: ' ' })), 'invalid_input')
  await rejectsWith(Array.fromAsync(sendMessage(client, { ...hi, threadId: turn.threadId })), 'not_found')
  assert.equal((await turns.list(operator, { limit: 9 })).rows.length, 0)
})

test('whoever leaves leaves no subscription behind', async (t) => {
  const hold = createHeldReply()
  const { client, watchers } = openChat(t, { reply: () => hold.script })
  for await (const event of sendMessage(client, hi)) if (event.type === 'started') break
  assert.equal(watchers(), 0)
  for await (const event of sendMessage(client, hi)) if (event.type === 'delta') break
  assert.equal(watchers(), 0)
})

test('a gate that is allowed is told no more, and its tool by its name', async (t) => {
  const { client } = openChat(t, {
    reply: (_, { items }) => (items.at(-1)?.type === 'result' ? ['done'] : [{ name: 'write' }]),
  })
  const [started, gate] = await Array.fromAsync(sendMessage(client, hi))
  assert(started?.type === 'started' && gate?.type === 'gate')
  const { threadId } = started
  const answer = { threadId, callId: gate.callId, decision: 'allow' } as const
  const events = await Array.fromAsync(answerChat(client, answer))
  assert.deepEqual(events.at(0)?.type, 'started')
  assert(events.some((event) => event.type === 'tool' && event.name === 'write'))
  assert(!events.some((event) => event.type === 'gate'))
  assert.equal(events.at(-1)?.type, 'end')
})

test('of two gates the answer to the first does not tell the second again', async (t) => {
  const { client } = openChat(t, {
    reply: (_, { items }) =>
      items.at(-1)?.type === 'result' ? ['done'] : [{ name: 'write' }, { name: 'write', args: '{"path":"b"}' }],
  })
  const [started, one, two] = await Array.fromAsync(sendMessage(client, hi))
  assert(started?.type === 'started' && one?.type === 'gate' && two?.type === 'gate')
  const answer = (gate: typeof one) =>
    Array.fromAsync(answerChat(client, { threadId: started.threadId, callId: gate.callId, decision: 'allow' }))
  assert.deepEqual(wordsOf(await answer(one)), ['started', 'tool write', 'end waiting: '])
  const rest = wordsOf(await answer(two))
  assert.deepEqual(rest, ['started', 'tool write', 'delta done', 'message done', 'end completed: done'])
})

/** A client whose turn has these events. */
function clientWith(batches: readonly (readonly Watched[])[]): ChatClient {
  return {
    send: () => Promise.resolve({ threadId: 'h', turnId: 't', queued: false }),
    answer: () => Promise.reject(new Error('not asked')),
    async *follow() {
      yield* batches
    },
  }
}

const entriesOf = (items: readonly Item[]): Watched => ({
  type: 'entries',
  entries: items.map((item, at): Entry => ({ seq: at + 1, id: `i${at}`, turnId: 't', at: 0, item })),
})
const end: Watched = { type: 'turn', turn: { id: 't', status: 'completed', usage: noUsage } as Turn }
const said = (text: string): Item => textMessage('assistant', text)
const called: Item = { type: 'call', callId: 'c', name: 'read', args: '{}' }
const result: Item = { type: 'result', callId: 'c', output: '' }

test('the texts of one response are one message; those of two responses are two', async () => {
  const log = entriesOf([textMessage('user', 'hi'), said('one'), said('two'), called, result, said('three')])
  assert.deepEqual(wordsOf(await Array.fromAsync(sendMessage(clientWith([[log], [end]]), hi))), [
    'started',
    'delta one\n\ntwo',
    'message one\n\ntwo',
    'tool read',
    'delta three',
    'message three',
    'end completed: three',
  ])
})

test('a text that begins behind another one of its response is set apart, once', async () => {
  const delta = (itemId: string, text: string, after?: string): Watched => ({
    type: 'delta',
    turnId: 't',
    itemId,
    ...(after && { after }),
    offset: 0,
    text,
  })
  const batches = [[delta('a', 'one')], [delta('b', 'tw', 'a'), delta('b', 'o', 'a')], [end]]
  const deltas = (await Array.fromAsync(sendMessage(clientWith(batches), hi))).filter(({ type }) => type === 'delta')
  assert.deepEqual(wordsOf(deltas), ['delta one\n\ntwo'])
})
