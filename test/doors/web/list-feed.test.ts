// What the connections of a user are told of changed lists.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ListChange } from '#core/bus.ts'
import { operator } from '#core/ids.ts'
import type { OpenGate } from '#core/turn-store.ts'
import { createFeeds } from '#doors/web/list-feed.ts'
import { silentLog } from '#lib/log.ts'
import { maxGates } from '#turns/gate-answers.ts'
import { until } from '../../until.ts'

/** Feeds of lists that change once, and of threads that are gone. */
function feedsOf(openGates: () => OpenGate[]) {
  const { promise: changed, resolve: change } = Promise.withResolvers<readonly ListChange[]>()
  const { promise: over, resolve: end } = Promise.withResolvers<void>()
  async function* changes() {
    yield await changed
    await over
  }
  const feeds = createFeeds({
    turns: { changes: () => Object.assign(changes(), { close: end }) },
    threads: { get: () => Promise.resolve(undefined) },
    gates: { list: () => Promise.resolve(openGates()) },
    log: silentLog,
  })
  return { feeds, change }
}

test('a gate that more urgent ones push out of a full list is not told as closed: the list is read again', async () => {
  const gate = (id: string) => ({ gate: { callId: id, args: '{}' }, turn: { id, threadId: `of ${id}` } })
  const all = Array.from({ length: maxGates + 1 }, (_, at) => gate(`g${at}`) as unknown as OpenGate)
  let from = 1
  const { feeds, change } = feedsOf(() => all.slice(from, from + maxGates))
  const frames: unknown[] = []
  const listener = { send: (told: readonly Buffer[]) => void frames.push(...told.map(decoded)), recheck: () => {} }
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

test('changes that come together reach each connection in one write, and other work goes on between connections', async () => {
  const { feeds, change } = feedsOf(() => [])
  const order: string[] = []
  const writes: (readonly Buffer[])[] = []
  const following = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      feeds.follow(operator, {
        send(told) {
          if (at === 0) setImmediate(() => order.push('other work'))
          writes.push(told)
          order.push(`connection ${at}`)
          // As long as a write to a hundred sockets may take.
          for (const until = performance.now() + 4; performance.now() < until; );
        },
        recheck: () => {},
      }),
    ),
  )
  change([{ threadId: 'a' }, { threadId: 'b' }, { threadId: 'a' }])
  await until(() => order.length === 21)
  assert.deepEqual(
    writes.map((told) => told.map(decoded)),
    Array.from({ length: 20 }, () => [
      { type: 'thread', id: 'a', removed: true },
      { type: 'thread', id: 'b', removed: true },
    ]),
  )
  assert.equal(new Set(writes.flat()).size, 2, 'each frame is encoded once')
  assert.notEqual(order.at(-1), 'other work')
  for (const each of following) each.stop()
})

function decoded(frame: Buffer): unknown {
  return JSON.parse(frame.toString())
}
