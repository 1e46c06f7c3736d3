// Watchers and followers between processes: who is announced, what each of them still lacks, and when they are forgotten.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event } from '#core/event.ts'
import { until } from '../until.ts'
import { ada } from './harness.ts'
import { announceMs, hear, kinds, openThree, settled } from './three-buses.ts'

test('a process that watches as well reads nothing when another one begins to', async (t) => {
  const three = await openThree(t)
  const { here, there, turn, watch } = three
  const heard = watch(here, { seq: 0, turn, here: true })
  watch(there, { seq: 0, turn })
  await settled(three)
  assert.deepEqual(heard, [])
})

test('a new follower is told that all may have changed, and one that is told already nothing more', async (t) => {
  const { here, there, follow, taken } = await openThree(t)
  const first = follow(here)
  const second = follow(there)
  assert.deepEqual(taken(), ['follow', 'change', 'change', 'follow', 'change'])
  await until(() => first.length >= 2 && second.length > 0)
  assert.deepEqual([first, second], [[{}, {}], [{}]])
})

test('a watcher that has nothing yet hears all that is stored', async (t) => {
  const { there, turn, pass } = await openThree(t)
  const heard = hear<Event>(there.subscribe(turn.threadId))
  pass(announceMs)
  await until(() => kinds(heard).includes('running'))
  assert.deepEqual(kinds(heard), ['entries', 'running'])
})

test('a watcher whose announcements are lost is told nothing after twelve seconds', async (t) => {
  const { here, there, turn, line, pass, taken, watch } = await openThree(t)
  watch(there, { seq: 1, turn })
  line.lost = true
  const told = (): string[] => taken().filter((type) => type === 'progress')
  const progress = { type: 'progress', turnId: turn.id, callId: 'c', progress: 1 } as const
  pass(3 * announceMs)
  here.publish(turn.threadId, [progress])
  assert.deepEqual(told(), ['progress'])
  pass(1)
  here.publish(turn.threadId, [progress])
  assert.deepEqual(told(), [])
})

test('a bus that is closed ends its link and what is heard from it', async (t) => {
  const { here, turn, line } = await openThree(t)
  const watcher = here.subscribe(turn.threadId, { seq: 1, here: true })
  const changes = here.subscribeChanges(ada)
  await here.close()
  assert.deepEqual([await Array.fromAsync(watcher), await Array.fromAsync(changes), line.closed], [[], [], 1])
})

test('a watcher that has less than another one is brought up to it', async (t) => {
  const { there, turn, pass, watch } = await openThree(t)
  watch(there, { seq: 1, turn })
  const heard = watch(there, { seq: 0, turn })
  watch(there, { seq: 1, turn })
  pass(announceMs)
  await until(() => kinds(heard).includes('running'))
  assert.deepEqual(kinds(heard), ['entries', 'running'])
})

test('the end of a turn is awaited as long as one of its watchers is there', async (t) => {
  const three = await openThree(t)
  const { there, store, turn, pass, watch } = three
  const [one, two] = [0, 1].map(() => there.subscribe(turn.threadId, { seq: 1, turn }))
  const heard = watch(there, { seq: 1 })
  one?.close()
  await store.threads.remove(ada, turn.threadId)
  pass(announceMs)
  await until(() => kinds(heard).includes('cancelled'))
  two?.close()
  heard.length = 0
  pass(announceMs)
  await settled(three)
  assert.deepEqual(heard, [])
})
