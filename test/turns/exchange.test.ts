// One message in, one reply out, as plain events.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerChat, sendMessage } from '#turns/exchange.ts'
import { ada, bob, rejectsWith } from '../store/harness.ts'
import { message, openHouse } from './house.ts'

const hi = { user: ada, door: 'run', message: 'hi' } as const

test('a reply comes as deltas, messages, tools and an end', async (t) => {
  const { turns } = openHouse(t, {
    reply: (_, { items }) =>
      items.at(-1)?.type === 'result' ? ['All ', 'done'] : ['Let me see', { name: 'read' }, { name: 'gone' }],
  })
  const events = await Array.fromAsync(sendMessage(turns, hi))
  const words = events.map((event) => {
    if (event.type === 'delta' || event.type === 'message') return `${event.type} ${event.text}`
    if (event.type === 'tool') return `tool ${event.name}${event.failed ? ' failed' : ''}`
    return event.type === 'end' ? `end ${event.status}: ${event.text}` : event.type
  })
  assert.deepEqual(words, [
    'started',
    'delta Let me see',
    'message Let me see',
    'tool gone failed',
    'tool read',
    'delta All ',
    'delta done',
    'message All done',
    'end completed: All done',
  ])
})

test('a gate is told, and the turn rests', async (t) => {
  const { turns } = openHouse(t, { reply: () => [{ name: 'write' }] })
  const events = await Array.fromAsync(sendMessage(turns, hi))
  assert.deepEqual(
    events.map(({ type }) => type),
    ['started', 'gate', 'end'],
  )
})

test('bad messages and foreign threads are refused before anything is stored', async (t) => {
  const { turns } = openHouse(t)
  const { turn, events } = await turns.start(message('mine'))
  events.close()
  await rejectsWith(Array.fromAsync(sendMessage(turns, { ...hi, message: ' ' })), 'invalid_input')
  await rejectsWith(Array.fromAsync(sendMessage(turns, { ...hi, user: bob, threadId: turn.threadId })), 'not_found')
  assert.equal((await turns.list(bob, { limit: 9 })).rows.length, 0)
})

test('whoever leaves right after the start leaves no subscription behind', async (t) => {
  const { turns, watchers } = openHouse(t)
  for await (const event of sendMessage(turns, hi)) if (event.type === 'started') break
  assert.equal(watchers(), 0)
})

test('a gate that is allowed is told no more, and its tool by its name', async (t) => {
  const { turns } = openHouse(t, {
    reply: (_, { items }) => (items.at(-1)?.type === 'result' ? ['done'] : [{ name: 'write' }]),
  })
  const [started, gate] = await Array.fromAsync(sendMessage(turns, hi))
  assert(started?.type === 'started' && gate?.type === 'gate')
  const { threadId } = started
  const answer = { user: hi.user, threadId, callId: gate.callId, seq: gate.seq, decision: 'allow' } as const
  const events = await Array.fromAsync(answerChat(turns, answer))
  assert.deepEqual(events.at(0)?.type, 'started')
  assert(events.some((event) => event.type === 'tool' && event.name === 'write'))
  assert(!events.some((event) => event.type === 'gate'))
  assert.equal(events.at(-1)?.type, 'end')
})
