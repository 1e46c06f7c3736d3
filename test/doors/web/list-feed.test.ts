// What is told of a list of open gates that is full: nobody knows what was pushed out of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ListChange } from '#core/bus.ts'
import { operator } from '#core/ids.ts'
import type { OpenGate } from '#core/turn-store.ts'
import { createFeeds } from '#doors/web/list-feed.ts'
import { silentLog } from '#lib/log.ts'
import { maxGates } from '#turns/gate-answers.ts'
import { until } from '../../until.ts'

test('a gate that more urgent ones push out of a full list is not told as closed: the list is read again', async () => {
  const gate = (id: string) => ({ gate: { callId: id, args: '{}' }, turn: { id, threadId: `of ${id}` } })
  const all = Array.from({ length: maxGates + 1 }, (_, at) => gate(`g${at}`) as unknown as OpenGate)
  let from = 1
  const { promise: changed, resolve: change } = Promise.withResolvers<readonly ListChange[]>()
  const { promise: over, resolve: end } = Promise.withResolvers<void>()
  async function* changes() {
    yield await changed
    await over
  }
  const feeds = createFeeds({
    turns: { changes: () => Object.assign(changes(), { close: end }) },
    threads: { get: () => Promise.resolve(undefined) },
    gates: { list: () => Promise.resolve(all.slice(from, from + maxGates)) },
    log: silentLog,
  })
  const frames: object[] = []
  const listener = { send: (told: readonly object[]) => void frames.push(...told), recheck: () => {} }
  const feed = await feeds.follow(operator, listener)
  from = 0
  change([{ threadId: 'of g1' }])
  await until(() => frames.length >= 2)
  assert.deepEqual(frames, [
    { type: 'thread', id: 'of g1', removed: true },
    { type: 'reload', waiting: maxGates },
  ])
  feed.stop()
})
