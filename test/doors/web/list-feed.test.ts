// What is told of a list of open gates that is full: nobody knows what was pushed out of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ListChange } from '#core/bus.ts'
import { operator } from '#core/ids.ts'
import type { OpenGate } from '#core/store.ts'
import { createFeeds } from '#doors/web/list-feed.ts'
import { silentLog } from '#lib/log.ts'
import { maxGates } from '#turns/gate-answers.ts'
import type { Turns } from '#turns/turns.ts'
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
  const turns = {
    gates: () => Promise.resolve(all.slice(from, from + maxGates)),
    changes: () => Object.assign(changes(), { close: end }),
    thread: () => Promise.resolve(undefined),
  } as unknown as Turns
  const frames: object[] = []
  const listener = { send: (told: readonly object[]) => void frames.push(...told), recheck: () => {} }
  const feed = await createFeeds({ turns, log: silentLog }).follow(operator, listener)
  from = 0
  change([{ threadId: 'of g1' }])
  await until(() => frames.length >= 2)
  assert.deepEqual(frames, [
    { type: 'thread', id: 'of g1', removed: true },
    { type: 'reload', waiting: maxGates },
  ])
  feed.stop()
})
