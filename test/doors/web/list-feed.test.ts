// What the connections of a user are told of changed lists.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ListChange } from '#core/bus.ts'
import { operator } from '#core/ids.ts'
import type { OpenGate } from '#core/turn-store.ts'
import type { Thread } from '#core/turn.ts'
import { createFeeds } from '#doors/web/list-feed.ts'
import { silentLog } from '#lib/log.ts'
import { maxGates } from '#turns/gate-answers.ts'
import { until } from '../../until.ts'

/** Feeds of lists that change once, and of threads that are gone unless there are some. */
function feedsOf(openGates: () => OpenGate[], threads: Readonly<Record<string, Thread>> = {}) {
  const { promise: changed, resolve: change } = Promise.withResolvers<readonly ListChange[]>()
  const { promise: over, resolve: end } = Promise.withResolvers<void>()
  async function* changes() {
    yield await changed
    await over
  }
  const feeds = createFeeds({
    turns: { changes: () => Object.assign(changes(), { close: end }) },
    threads: { get: (_, id) => Promise.resolve(threads[id]) },
    gates: { list: () => Promise.resolve(openGates()) },
    log: silentLog,
  })
  return { feeds, change }
}

const at = Date.UTC(2026, 0, 31)
const gateOf = (id: string) =>
  ({
    gate: { callId: id, args: '{}' },
    turn: { id, threadId: `of ${id}`, userId: operator },
    at,
  }) as unknown as OpenGate
const threadOf = (id: string, over: Partial<Thread> = {}) =>
  ({ id, title: id, createdAt: at, updatedAt: at, lastSeq: 1, state: 'idle', ...over }) as Thread

/** A listener, and what it was told in short. */
function ear() {
  const told: string[] = []
  const short = (frame: Buffer): string => {
    const { type, id, closed, removed, waiting } = decoded(frame) as Record<string, string | undefined>
    return [type, id, closed && 'closed', removed && 'removed', waiting].filter((each) => each !== undefined).join(' ')
  }
  const listener = {
    send: (frames: readonly Buffer[]) => void told.push(...frames.map(short)),
    recheck: () => void told.push('recheck'),
  }
  return { told, listener }
}

test('gates that open and close in a changed thread are told with how many wait, and a closed one is found again', async () => {
  let open = ['a', 'b']
  const threads = { 'of c': threadOf('of c', { state: 'waiting' }), still: threadOf('still', { temporary: true }) }
  const { feeds, change } = feedsOf(() => open.map(gateOf), threads)
  const { told, listener } = ear()
  const feed = await feeds.follow(operator, listener)
  assert.deepEqual([feed.waiting(), feed.threadOf('a'), feed.threadOf('c')], [2, 'of a', undefined])
  open = ['b', 'c', 'd']
  change([{ threadId: 'of c' }, { threadId: 'still' }, { turnId: 't' }])
  await until(() => told.length >= 4)
  assert.deepEqual(told, ['thread of c', 'gate a closed 3', 'gate c 3', 'gate d 3'])
  assert.deepEqual([feed.waiting(), feed.threadOf('a'), feed.threadOf('c')], [3, 'of a', 'of c'])
  feed.stop()
})

test('gates are read again only where a thread has one, or waits', async () => {
  let reads = 0
  const { feeds, change } = feedsOf(
    () => {
      reads++
      return []
    },
    { quiet: threadOf('quiet') },
  )
  const { told, listener } = ear()
  const feed = await feeds.follow(operator, listener)
  change([{ threadId: 'quiet' }])
  await until(() => told.length === 1)
  assert.deepEqual([told, reads], [['thread quiet'], 1])
  feed.stop()
})

for (const [what, changes, told] of [
  ['fifty threads are told one by one', 50, Array.from({ length: 50 }, (_, each) => `thread t${each} removed`)],
  ['more than fifty threads are one reload', 51, ['reload 1']],
] as const) {
  test(what, async () => {
    const { feeds, change } = feedsOf(() => [gateOf('a')])
    const heard = ear()
    const feed = await feeds.follow(operator, heard.listener)
    change(Array.from({ length: changes }, (_, each) => ({ threadId: `t${each}` })))
    await until(() => heard.told.length >= told.length)
    assert.deepEqual(heard.told, told)
    feed.stop()
  })
}

test('a change of everything is one reload, and the right to listen is asked for again', async () => {
  const { feeds, change } = feedsOf(() => [gateOf('a')])
  const { told, listener } = ear()
  const feed = await feeds.follow(operator, listener)
  change([{}, { threadId: 'x' }])
  await until(() => told.length === 2)
  assert.deepEqual(told, ['recheck', 'reload 1'])
  feed.stop()
})

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
