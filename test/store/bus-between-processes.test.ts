// The two halves of the bus between processes, without a database: what is sent, to whom, and what becomes of it there.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { userId } from '#core/ids.ts'
import type { Delta, Event } from '#core/event.ts'
import { type Entry, textMessage } from '#core/item.ts'
import { noUsage, type Turn } from '#core/turn.ts'
import { silentLog } from '#lib/log.ts'
import { createInbound } from '#store/bus-inbound.ts'
import { createLocalBus } from '#store/bus-local.ts'
import { type Message, pieces } from '#store/bus-message.ts'
import { createOutbound } from '#store/bus-outbound.ts'
import { createTopic, isOutdated, updateNewest } from '#store/bus-topic.ts'
import type { Sql } from '#store/sql.ts'

const threadId = 'thread'
const turn: Turn = {
  id: 'turn',
  threadId,
  userId: userId('ada'),
  door: 'web',
  status: 'running',
  options: {},
  createdAt: 0,
  usage: noUsage,
}
const delta = (text: string, offset = 0, itemId = 'item'): Delta => ({
  type: 'delta',
  turnId: 'turn',
  itemId,
  offset,
  text,
})
const entry = (seq: number, id = `item ${seq}`): Entry => ({
  seq,
  id,
  turnId: 'turn',
  at: 0,
  item: textMessage('assistant', `text ${seq}`),
})
const entries = (...of: readonly Entry[]): Event => ({ type: 'entries', entries: of })
const ending: Event = { type: 'turn', turn: { ...turn, status: 'completed' } }

const forgetMs = 12_000

function outbound(t: TestContext) {
  t.mock.timers.enable({ apis: ['Date', 'setTimeout'], now: 1_000_000 })
  t.mock.method(performance, 'now', () => Date.now())
  const sent: Message[] = []
  const local = createLocalBus()
  const half = createOutbound({ local, send: (message) => void sent.push(message), forgetMs })
  const publish = (...events: readonly Event[]): void => {
    local.publish(threadId, events)
    half.publish(threadId, events)
  }
  return { half, local, sent, publish }
}

test('nothing is sent of a thread that nobody watches elsewhere', (t) => {
  const { half, sent, publish } = outbound(t)
  assert.equal(half.publishedAt(threadId), -Infinity)
  publish(delta('Hello'), entries(entry(1)), ending)
  t.mock.timers.tick(1_000)
  assert.deepEqual([sent, half.publishedAt(threadId)], [[], 1_000_000])
})

test('text is sent after a moment in one message, what was stored at once and by its ids alone', (t) => {
  const { half, sent, publish } = outbound(t)
  half.watchedElsewhere(threadId)
  assert.deepEqual(sent, [], 'nothing was published here yet')
  publish(delta('Hel'))
  publish(delta('lo', 3))
  assert.deepEqual(sent, [])
  t.mock.timers.tick(100)
  assert.deepEqual(sent, [{ type: 'text', threadId, delta: delta('Hello') }])
  publish(delta(', you', 5))
  publish(entries(entry(1, 'item')))
  publish(ending)
  t.mock.timers.tick(100)
  assert.deepEqual(sent.slice(1), [
    { type: 'news', threadId },
    { type: 'news', threadId, turnId: 'turn' },
  ])
})

test('progress of a call is sent at once, and is no news', (t) => {
  const { half, sent, publish } = outbound(t)
  const progress = { type: 'progress', turnId: 'turn', callId: 'c', progress: 1 } as const
  publish(progress)
  half.watchedElsewhere(threadId)
  sent.length = 0
  publish(delta('Hel'))
  publish(progress)
  assert.deepEqual(sent, [{ type: 'progress', threadId, progress }])
  t.mock.timers.tick(100)
  assert.deepEqual(sent.slice(1), [{ type: 'text', threadId, delta: delta('Hel') }])
})

test('the text of another item takes the place of what was not sent yet', (t) => {
  const { half, sent, publish } = outbound(t)
  half.watchedElsewhere(threadId)
  publish(delta('given up'), delta('again', 0, 'item 2'))
  t.mock.timers.tick(100)
  assert.deepEqual(sent, [{ type: 'text', threadId, delta: delta('again', 0, 'item 2') }])
})

test('a watcher that comes later is sent the text so far; one that is not announced again is forgotten', (t) => {
  const { half, sent, publish } = outbound(t)
  publish(delta('Hello'))
  half.watchedElsewhere(threadId)
  assert.deepEqual(sent, [
    { type: 'news', threadId },
    { type: 'text', threadId, delta: delta('Hello') },
  ])
  t.mock.timers.tick(forgetMs)
  publish(ending)
  assert.equal(sent.length, 3, 'up to the last moment')
  t.mock.timers.tick(1)
  publish(ending)
  assert.equal(sent.length, 3)
})

test('after a sweep only what was published lately answers a watcher', (t) => {
  const { half, sent, publish } = outbound(t)
  publish(ending)
  t.mock.timers.tick(forgetMs)
  half.sweep(Date.now())
  assert.equal(half.publishedAt(threadId), 1_000_000)
  half.watchedElsewhere(threadId)
  assert.deepEqual(sent, [{ type: 'news', threadId }])
  half.sweep(Date.now() + 1)
  half.watchedElsewhere(threadId)
  assert.deepEqual([sent.length, half.publishedAt(threadId)], [1, -Infinity])
})

test('changes of lists go to followers alone, and a new one is told to read everything', (t) => {
  const { half, sent } = outbound(t)
  half.publishChange(['ada'], { threadId })
  half.followedElsewhere('ada')
  assert.deepEqual(sent.splice(0), [{ type: 'change', user: 'ada', change: {} }])
  half.publishChange(['ada', 'bob'], { threadId })
  assert.deepEqual(sent.splice(0), [{ type: 'change', user: 'ada', change: { threadId } }])
  half.followedElsewhere('ada')
  assert.deepEqual(sent, [], 'it has read everything before')
  t.mock.timers.tick(forgetMs)
  half.sweep(Date.now())
  half.publishChange(['ada'], {})
  assert.equal(sent.splice(0).length, 1)
  t.mock.timers.tick(1)
  half.publishChange(['ada'], {})
  assert.deepEqual(sent, [])
  half.followedElsewhere('ada')
  assert.equal(sent.length, 1, 'changes in between were not sent')
})

/** `news` is what the store has, in the order of the reads. */
function inbound(t: TestContext, news: { events: Event[]; seq: number }[] = []) {
  t.mock.timers.enable({ apis: ['Date'], now: 1_000_000 })
  t.mock.method(performance, 'now', () => Date.now())
  const sent: Message[] = []
  const local = createLocalBus()
  let reads = 0
  const sql = {
    read() {
      const found = news[reads++]
      return found ? Promise.resolve(found) : Promise.reject(new Error('away'))
    },
  } as unknown as Sql
  const half = createInbound({ local, sql, send: (message) => void sent.push(message), log: silentLog })
  const heard: Event[] = []
  const settled = async (): Promise<void> => {
    for (let round = 0; round < 5; round++) await new Promise(setImmediate)
  }
  const listen = (): void => {
    void (async () => {
      for await (const events of local.subscribe(threadId)) heard.push(...events)
    })()
  }
  t.after(() => local.close())
  return { half, local, sent, heard, listen, settled, reads: () => reads }
}

test('text from elsewhere is heard from where it was known: nothing twice', async (t) => {
  const { half, heard, listen, settled, sent } = inbound(t)
  half.enter(threadId, { seq: 0 })
  listen()
  half.text(threadId, delta('Hello'))
  half.text(threadId, delta('lo, you', 3))
  half.text(threadId, delta('Hello'))
  half.text('another thread', delta('not here'))
  await settled()
  assert.deepEqual(heard, [delta('Hello'), delta(', you', 5)])
  assert.deepEqual(sent, [])
})

test('after a gap the text is asked for again, once in a second', async (t) => {
  const { half, heard, listen, settled, sent } = inbound(t)
  half.enter(threadId, { seq: 0 })
  listen()
  half.text(threadId, delta('you', 7))
  half.text(threadId, delta('you', 7))
  await settled()
  assert.deepEqual([heard, sent], [[], [{ type: 'watch', threadId }]])
  t.mock.timers.tick(1_001)
  half.text(threadId, delta('you', 7))
  await settled()
  assert.equal(sent.length, 2)
})

test('news are read once for what comes together, and go on from the last entry', async (t) => {
  const first = { events: [entries(entry(1), entry(2))], seq: 2 }
  const { half, heard, listen, settled, reads } = inbound(t, [first, { events: [ending], seq: 2 }])
  half.read(threadId)
  await settled()
  assert.equal(reads(), 0, 'nobody watches it')
  half.enter(threadId, { seq: 0, turn })
  listen()
  half.read(threadId)
  half.read(threadId, 'turn')
  await settled()
  assert.deepEqual([reads(), heard], [1, first.events])
  half.read(threadId)
  await settled()
  assert.deepEqual(heard, [...first.events, ending])
  half.read(threadId)
  await settled()
  assert.equal(reads(), 3, 'a store that is away ends nothing')
})

test('text of an item that is stored, or was begun anew, is not heard any more', async (t) => {
  const { half, heard, listen, settled } = inbound(t, [{ events: [entries(entry(1, 'item 1'))], seq: 1 }])
  half.enter(threadId, { seq: 0 })
  listen()
  half.read(threadId)
  half.text(threadId, delta('late', 0, 'item 1'))
  half.text(threadId, delta('next', 0, 'item 3'))
  half.text(threadId, delta('given up', 0, 'item 2'))
  await settled()
  assert.deepEqual(heard.slice(1), [delta('next', 0, 'item 3')])
  half.publishedHere(threadId, [entries(entry(2, 'item 3'))])
  half.text(threadId, delta('next and', 0, 'item 3'))
  await settled()
  assert.equal(heard.length, 2)
})

test('a thread is watched until the last watcher leaves; then a text from elsewhere is forgotten', async (t) => {
  const { half, local, settled } = inbound(t)
  const leave = [half.enter(threadId, { seq: 5, turn }), half.enter(threadId, { seq: 3, turn })]
  half.text(threadId, delta('Hello'))
  await settled()
  leave[0]?.()
  assert.deepEqual([[...half.watched()], local.partialOf(threadId)?.text], [[threadId], 'Hello'])
  leave[1]?.()
  assert.deepEqual([[...half.watched()], local.partialOf(threadId)], [[], undefined])
  const again = half.enter(threadId, { seq: 0 })
  local.publish(threadId, [delta('ours')])
  half.publishedHere(threadId, [delta('ours')])
  again()
  assert.equal(local.partialOf(threadId)?.text, 'ours', 'a text of this process goes on')
})

test('a text is cut into pieces of 1,000 characters, never within a pair', () => {
  const text = `${'a'.repeat(999)}😀${'b'.repeat(1_000)}`
  const cut = pieces(delta(text, 5))
  assert.deepEqual(
    cut.map((piece) => [piece.offset, piece.text.length]),
    [
      [5, 999],
      [1_004, 1_000],
      [2_004, 2],
    ],
  )
  assert.equal(cut.map((piece) => piece.text).join(''), text)
  assert.deepEqual(pieces(delta('')), [])
})

const newest: readonly [what: string, events: readonly Event[], of: Delta, outdated: boolean][] = [
  ['the first text', [], delta('x', 0, 'b'), false],
  ['more of a text', [delta('x', 0, 'b')], delta('y', 1, 'b'), false],
  ['a later text', [delta('x', 0, 'b')], delta('y', 0, 'c'), false],
  ['an earlier text', [delta('x', 0, 'b')], delta('y', 0, 'a'), true],
  ['a text that is stored', [delta('x', 0, 'b'), entries(entry(1, 'b'))], delta('y', 1, 'b'), true],
  ['a text after a stored one', [entries(entry(1, 'b'))], delta('y', 0, 'c'), false],
  ['an earlier text of another turn', [delta('x', 0, 'b')], { ...delta('y', 0, 'a'), turnId: 'other' }, false],
  [
    "a text after a user's message",
    [delta('x', 0, 'b'), entries({ ...entry(1, 'c'), item: textMessage('user', 'hi') })],
    delta('y', 1, 'b'),
    false,
  ],
]
for (const [what, events, of, outdated] of newest) {
  test(`${what} is ${outdated ? 'outdated' : 'new'}`, () => {
    const topic = createTopic(0)
    updateNewest(topic, events)
    assert.equal(isOutdated(topic, of), outdated)
  })
}
