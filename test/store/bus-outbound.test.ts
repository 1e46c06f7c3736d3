// What a process sends to the others: only what they watch and follow, text in few messages, nothing after its end.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Event } from '#core/event.ts'
import { noUsage, type Turn } from '#core/turn.ts'
import { createLocalBus } from '#store/bus-local.ts'
import type { Message } from '#store/bus-message.ts'
import { createOutbound } from '#store/bus-outbound.ts'
import { ada } from './harness.ts'

const forgetMs = 10_000
const flushMs = 100

function openOutbound(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 })
  const monotonic = t.mock.method(performance, 'now', () => Date.now())
  const local = createLocalBus()
  const sent: Message[] = []
  const outbound = createOutbound({ local, send: (message) => sent.push(message), forgetMs })
  t.after(() => outbound.close())
  const publish = (threadId: string, ...events: Event[]): void => {
    local.publish(threadId, events)
    outbound.publish(threadId, events)
  }
  const pass = (ms: number): void => t.mock.timers.tick(ms)
  /** What was sent since the last call. */
  const taken = (): Message[] => sent.splice(0)
  return { outbound, publish, pass, taken, monotonic }
}

function delta(offset: number, text: string, itemId = 'i'): Extract<Event, { type: 'delta' }> {
  return { type: 'delta', turnId: 't', itemId, offset, text }
}

function thought(offset: number, text: string, itemId = 'r'): Extract<Event, { type: 'thought' }> {
  return { type: 'thought', turnId: 't', itemId, offset, text }
}

const progress = { type: 'progress', turnId: 't', callId: 'c', progress: 1 } as const
const entries: Event = {
  type: 'entries',
  entries: [{ seq: 1, id: 'i', turnId: 't', at: 0, item: { type: 'attempt', callId: 'c' } }],
}
const turn: Turn = {
  id: 't',
  threadId: 'a',
  userId: ada,
  door: 'web',
  status: 'completed',
  options: {},
  createdAt: 0,
  usage: noUsage,
}
const ended: Event = { type: 'turn', turn }
const news: Message = { type: 'news', threadId: 'a' }

test('nothing is sent of a thread that no other process watches', (t) => {
  const { outbound, publish, pass, taken } = openOutbound(t)
  outbound.watchedElsewhere('b')
  publish('a', delta(0, 'x'), thought(0, 'y'), progress, entries, ended)
  pass(flushMs)
  assert.deepEqual(taken(), [])
})

test('text and reasoning are collected for a moment and sent in one message each', (t) => {
  const { outbound, publish, pass, taken } = openOutbound(t)
  outbound.watchedElsewhere('a')
  for (const each of [thought(0, 'hm'), thought(2, 'm'), delta(0, 'ab'), delta(2, 'c')]) publish('a', each)
  assert.deepEqual(taken(), [])
  pass(flushMs)
  assert.deepEqual(taken(), [
    { type: 'thought', threadId: 'a', thought: thought(0, 'hmm') },
    { type: 'text', threadId: 'a', delta: delta(0, 'abc') },
  ])
  pass(flushMs)
  assert.deepEqual(taken(), [])
  publish('a', delta(3, 'd'))
  pass(flushMs)
  assert.deepEqual(taken(), [{ type: 'text', threadId: 'a', delta: delta(3, 'd') }])
  publish('a', thought(3, '!'))
  pass(flushMs)
  assert.deepEqual(taken(), [{ type: 'thought', threadId: 'a', thought: thought(3, '!') }])
})

test('the text of the next item takes the place of one that was not sent', (t) => {
  const { outbound, publish, pass, taken } = openOutbound(t)
  outbound.watchedElsewhere('a')
  publish('a', delta(0, 'given up'), thought(0, 'given up'))
  publish('a', delta(0, 'next', 'j'), thought(0, 'next', 's'))
  pass(flushMs)
  assert.deepEqual(taken(), [
    { type: 'thought', threadId: 'a', thought: thought(0, 'next', 's') },
    { type: 'text', threadId: 'a', delta: delta(0, 'next', 'j') },
  ])
})

test('progress is sent at once, as it is', (t) => {
  const { outbound, publish, pass, taken } = openOutbound(t)
  outbound.watchedElsewhere('a')
  publish('a', progress)
  assert.deepEqual(taken(), [{ type: 'progress', threadId: 'a', progress }])
  pass(flushMs)
  assert.deepEqual(taken(), [])
})

for (const [what, event, message] of [
  ['stored entries', entries, news],
  ['the end of a turn', ended, { ...news, turnId: 't' }],
] as const) {
  test(`a hint to read it stands for ${what} and for the text collected before`, (t) => {
    const { outbound, publish, pass, taken } = openOutbound(t)
    outbound.watchedElsewhere('a')
    publish('a', delta(0, 'x'), thought(0, 'y'))
    publish('a', event)
    assert.deepEqual(taken(), [message])
    pass(flushMs)
    assert.deepEqual(taken(), [])
  })
}

test('a message that is queued behind a turn does not stand for the text collected of that turn', (t) => {
  const { outbound, publish, pass, taken } = openOutbound(t)
  outbound.watchedElsewhere('a')
  publish('a', delta(0, 'x'), thought(0, 'y'))
  publish('a', { type: 'turn', turn: { ...turn, id: 'next', status: 'queued' } })
  assert.deepEqual(taken(), [{ ...news, turnId: 'next' }])
  pass(flushMs)
  assert.deepEqual(taken(), [
    { type: 'thought', threadId: 'a', thought: thought(0, 'y') },
    { type: 'text', threadId: 'a', delta: delta(0, 'x') },
  ])
})

test('a new watcher gets a hint and the whole text being written, from the process that writes it', (t) => {
  const { outbound, publish, taken } = openOutbound(t)
  outbound.watchedElsewhere('a')
  assert.deepEqual(taken(), [], 'another process writes it')
  publish('a', entries)
  taken()
  outbound.watchedElsewhere('a')
  assert.deepEqual(taken(), [news])
  publish('a', delta(0, 'x'.repeat(999)), delta(999, 'yz'))
  outbound.watchedElsewhere('a')
  assert.deepEqual(taken(), [
    news,
    { type: 'text', threadId: 'a', delta: delta(0, `${'x'.repeat(999)}y`) },
    { type: 'text', threadId: 'a', delta: delta(1_000, 'z') },
  ])
})

test('a watcher is forgotten when it is not announced again in time', (t) => {
  const { outbound, publish, pass, taken } = openOutbound(t)
  outbound.watchedElsewhere('a')
  pass(forgetMs)
  publish('a', entries)
  assert.deepEqual(taken(), [news])
  pass(1)
  publish('a', entries)
  assert.deepEqual(taken(), [])
})

test('a list is told to a process that follows it, and anew to one that may have missed something', (t) => {
  const { outbound, pass, taken } = openOutbound(t)
  const change = { threadId: 'a' }
  outbound.publishChange([ada], change)
  assert.deepEqual(taken(), [])
  outbound.followedElsewhere(ada)
  assert.deepEqual(taken(), [{ type: 'change', user: ada, change: {} }])
  outbound.followedElsewhere(ada)
  assert.deepEqual(taken(), [], 'nothing was missed')
  outbound.publishChange(['bob', ada], change)
  assert.deepEqual(taken(), [{ type: 'change', user: ada, change }])
  pass(forgetMs)
  outbound.publishChange([ada], change)
  assert.deepEqual(taken(), [{ type: 'change', user: ada, change }])
  pass(1)
  outbound.publishChange([ada], change)
  assert.deepEqual(taken(), [])
  outbound.followedElsewhere(ada)
  assert.deepEqual(taken(), [{ type: 'change', user: ada, change: {} }])
})

test('a sweep keeps who watches, who follows and what was published lately, and forgets the rest', (t) => {
  const { outbound, publish, pass, taken } = openOutbound(t)
  outbound.watchedElsewhere('a')
  outbound.followedElsewhere(ada)
  publish('a', entries)
  const publishedAt = outbound.publishedAt('a')
  assert.equal(publishedAt, Date.now())
  taken()
  pass(forgetMs)
  outbound.sweep(Date.now())
  assert.equal(outbound.publishedAt('a'), publishedAt)
  outbound.publishChange([ada], {})
  publish('a', entries)
  assert.equal(taken().length, 2)
  pass(forgetMs + 1)
  outbound.sweep(Date.now())
  assert.equal(outbound.publishedAt('a'), -Infinity)
  outbound.watchedElsewhere('a')
  assert.deepEqual(taken(), [], 'whoever publishes to it now answers')
})

test('watchers and followers are forgotten in time, also if the clock was set back', (t) => {
  const { outbound, publish, taken, monotonic } = openOutbound(t)
  let passed = 0
  // Not mocked a second time: node:test would put back the first mock, for all later tests of the process.
  monotonic.mock.mockImplementation(() => passed)
  outbound.watchedElsewhere('a')
  outbound.followedElsewhere(ada)
  taken()
  t.mock.timers.setTime(0)
  passed += forgetMs + 1
  publish('a', entries)
  outbound.publishChange([ada], {})
  assert.deepEqual(taken(), [])
})

test('text that was collected before the end is not sent after it', (t) => {
  const { outbound, publish, pass, taken } = openOutbound(t)
  outbound.watchedElsewhere('a')
  publish('a', delta(0, 'x'))
  outbound.close()
  pass(flushMs)
  assert.deepEqual(taken(), [])
})
