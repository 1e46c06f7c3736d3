// Threads for doors: a change is published to the lists of its user, and a thread that is not there is not found.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ThreadStore } from '#core/thread-store.ts'
import { createThreads } from '#turns/threads.ts'
import { ada, bob, rejectsWith } from '../store/harness.ts'
import { eventsOf, createHeldReply, message, openHouse, restOf } from './house.ts'

function opened(t: Parameters<typeof openHouse>[0]) {
  const published: unknown[] = []
  const { script, told } = createHeldReply()
  const house = openHouse(t, {
    reply: (text) => (text === 'hold' ? script : [`echo ${text}`]),
    bus: (bus) => ({
      ...bus,
      publishChange: (owner, change) => {
        published.push([owner.userId, change])
        bus.publishChange(owner, change)
      },
    }),
  })
  return { ...house, published, told }
}

test('a new title is published to the lists of its user', async (t) => {
  const { turns, threads, published } = opened(t)
  const { turn, events } = await turns.start(message('hi'))
  await eventsOf(events)
  const { threadId } = turn
  published.length = 0
  await threads.rename(ada, threadId, 'Plans')
  assert.equal((await threads.get(ada, threadId))?.title, 'Plans')
  assert.deepEqual(published, [[ada, { threadId }]])
  await rejectsWith(threads.rename(bob, threadId, 'Mine'), 'not_found')
  assert.equal(published.length, 1)
})

test('a fork is published by its own id; of a foreign thread there is none', async (t) => {
  const { turns, threads, published } = opened(t)
  const { turn, events } = await turns.start(message('hi'))
  await eventsOf(events)
  published.length = 0
  const fork = await threads.fork(ada, turn.threadId, { beforeSeq: 1, door: 'web' })
  assert.notEqual(fork.id, turn.threadId)
  assert.deepEqual(published, [[ada, { threadId: fork.id }]])
  await rejectsWith(threads.fork(bob, turn.threadId, { beforeSeq: 1, door: 'web' }), 'not_found')
})

test('a removed thread is published, its running turn ends, and a second removal finds none', async (t) => {
  const { turns, threads, published, told } = opened(t)
  const { turn, events } = await turns.start(message('hold'))
  await told
  published.length = 0
  assert.equal(await threads.remove(bob, turn.threadId), false)
  assert.deepEqual(published, [])
  assert.equal(await threads.remove(ada, turn.threadId), true)
  assert.deepEqual(published.at(-1), [ada, { threadId: turn.threadId }])
  assert.equal(restOf(await eventsOf(events)), 'cancelled')
  assert.equal(await threads.remove(ada, turn.threadId), false)
})

test('reads go to the store', async () => {
  const asked: unknown[] = []
  const threads = { get: (...args: unknown[]) => Promise.resolve(asked.push(args)) } as unknown as ThreadStore
  await createThreads({ store: { threads, threadIndex: {} as never }, bus: {} as never }).get(ada, 't')
  assert.deepEqual(asked, [[ada, 't']])
})

test('a removed job is published once; of a foreign one nothing is', async (t) => {
  const { turns, published } = opened(t)
  const { turn, events } = await turns.start(message('hi', { door: 'webhook' }))
  await eventsOf(events)
  published.length = 0
  assert.equal(await turns.remove(bob, turn.id), false)
  assert.deepEqual(published, [])
  assert.equal(await turns.remove(ada, turn.id), true)
  assert.deepEqual(published, [[ada, { turnId: turn.id }]])
})
