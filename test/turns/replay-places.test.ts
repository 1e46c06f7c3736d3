// How many long pages of stored entries the watchers of one user hold at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLocalBus } from '#store/bus-local.ts'
import { type Entry, textMessage } from '#core/item.ts'
import type { ThreadStore } from '#core/thread-store.ts'
import type { Thread } from '#core/turn.ts'
import { createReplayPlaces } from '#turns/replay-places.ts'
import { watchThread } from '#turns/watch.ts'
import { fake } from '../fake.ts'
import { ada, bob } from '../store/harness.ts'
import { turnOver } from './house.ts'

const entry = (text: string): Entry => ({
  seq: 1,
  id: 'i1',
  turnId: 't',
  at: 0,
  item: textMessage('assistant', text),
})

/** Watches of threads with one entry each, whose pages nobody takes before the test does. */
function openWatches(text: string) {
  const read: string[] = []
  const threads = fake<ThreadStore>({
    get: () => Promise.resolve(fake<Thread>({})),
    entries(user, threadId) {
      read.push(`${user === ada ? 'ada' : 'bob'} ${threadId}`)
      return Promise.resolve({ entries: [entry(text)], more: false })
    },
  })
  const parts = { bus: createLocalBus(), threads, takePlace: createReplayPlaces(2) }
  const open = (user: typeof ada, threadId: string) => {
    const watch = watchThread(parts, user, threadId, { seq: 0 })
    const events = watch[Symbol.asyncIterator]()
    return { watch, events, first: events.next() }
  }
  return { read, open }
}

test('long pages of one user wait until earlier ones are taken, those of others do not', async () => {
  const { read, open } = openWatches('a'.repeat(500_000))
  const [one, two] = ['1', '2', '3', '4'].map((id) => open(ada, id))
  open(bob, '1')
  await turnOver()
  assert.deepEqual(read, ['ada 1', 'ada 2', 'bob 1'])
  await one?.first
  void one?.events.next()
  await turnOver()
  assert.deepEqual(read.slice(3), ['ada 3'])
  await two?.first
  await two?.events.return?.()
  await turnOver()
  assert.deepEqual(read.slice(3), ['ada 3', 'ada 4'])
})

test('a watch that is closed while it waits for its page ends, and leaves its place to others', async () => {
  const { read, open } = openWatches('a'.repeat(500_000))
  const [one, , three] = ['1', '2', '3', '4'].map((id) => open(ada, id))
  await turnOver()
  three?.watch.close()
  assert.deepEqual(await three?.first, { done: true, value: undefined })
  await one?.first
  await one?.events.return?.()
  await turnOver()
  assert.deepEqual(read, ['ada 1', 'ada 2', 'ada 4'])
})

test('short pages keep no place', async () => {
  const { read, open } = openWatches('a')
  for (const id of ['1', '2', '3', '4']) open(ada, id)
  await turnOver()
  assert.equal(read.length, 4)
})

test('a user who gives one place back has the others still counted', async () => {
  const take = createReplayPlaces(2)
  const { signal } = new AbortController()
  const [giveBack] = [await take(ada, signal), await take(ada, signal)]
  giveBack()
  let taken = 0
  for (const _ of [1, 2]) void take(ada, signal).then(() => taken++)
  await turnOver()
  assert.equal(taken, 1)
})
