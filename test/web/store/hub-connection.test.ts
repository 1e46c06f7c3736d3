// The live connection itself: broken, silent, offline, dropped, stopped.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  draw,
  fakeDocument,
  gateway,
  itemFrame,
  messageOf,
  ok,
  refusal,
  serveThread,
  settled,
  socket,
  sockets,
} from './page.ts'
import { batchMs, retryMs, sending, seqs, start, subscribed } from './hub-page.ts'
import { go } from '../../../web/router.ts'
import { offlineSecs } from '../../../web/store/link.ts'
import { endNotice, notice } from '../../../web/store/notices.ts'
import { send } from '../../../web/store/outbox.ts'

test('after a break everything is read again, the thread is followed on, and what was held is sent', async (t) => {
  const { id, given, path } = await start(t)
  const before = socket()
  before.break()
  gateway.on(sending, 'lost')
  await send({ threadId: id, text: 'written in a tunnel', files: [] })
  assert.equal(gateway.of('GET /api/session').length, 1, 'the session may have ended')
  given.lastSeq = 4
  gateway.asked.length = 0
  t.mock.timers.tick(1_000)
  assert.equal(offlineSecs.value, 1)
  assert.equal(sockets.length, 2)
  gateway.on(sending, ok({ thread_id: id, turn_id: 'turn 9' }))
  socket().accept()
  await settled()
  assert.equal(offlineSecs.value, undefined)
  assert.deepEqual(seqs(), [1, 2, 3, 4])
  assert.deepEqual(subscribed(), { type: 'subscribe', thread_id: id, after: 4 })
  assert.equal(gateway.of(sending).length, 1)
  t.mock.timers.tick(batchMs)
  await settled()
  // The list of threads is also read because a message was sent.
  for (const what of ['GET /api/threads', 'GET /api/gates', 'GET /api/status'])
    assert(gateway.of(what).length > 0, what)
  assert(gateway.of(path).length > 0)
  before.tell(itemFrame(id, messageOf(5)))
  draw()
  assert.deepEqual(seqs(), [1, 2, 3, 4], 'the old connection is not listened to')
})

test('the connection is tried again after longer and longer waits, up to ten seconds', async (t) => {
  await start(t)
  t.mock.method(Math, 'random', () => 0.5)
  const waits: number[] = []
  for (let failed = 0; failed < 8; failed++) {
    const count = sockets.length
    socket().break(1001)
    let waited = 0
    for (; sockets.length === count; waited += 100) t.mock.timers.tick(100)
    waits.push(waited)
  }
  assert.deepEqual(waits, [300, 600, 1_200, 2_400, 4_800, 9_600, 10_000, 10_000])
  socket().accept()
  socket().break(1001)
  const count = sockets.length
  t.mock.timers.tick(300)
  assert.equal(sockets.length, count + 1, 'once connected the waits are short again')
  assert.equal(gateway.of('GET /api/session').length, 0, 'a service that ends is no end of the session')
})

test('a silent connection is dropped; one that answers is kept', async (t) => {
  await start(t)
  const first = socket()
  for (let beat = 0; beat < 4; beat++) {
    t.mock.timers.tick(20_000)
    first.tell({ type: 'pong' })
  }
  assert.deepEqual([sockets.length, first.of('ping').length], [1, 4])
  t.mock.timers.tick(20_000)
  assert.equal(first.readyState, 1)
  t.mock.timers.tick(10_000)
  assert.equal(first.readyState, 3)
  t.mock.timers.tick(1_000)
  assert.equal(sockets.length, 2)
})

test('a hidden page, whose timers the browser slows down, keeps its connection', async (t) => {
  await start(t)
  for (let beat = 0; beat < 3; beat++) {
    t.mock.timers.setTime(Date.now() + 60_000)
    t.mock.timers.tick(20_000)
    socket().tell({ type: 'pong' })
  }
  assert.deepEqual([sockets.length, socket().readyState], [1, 1])
})

test('a page that is looked at again after a sleep finds out at once that its connection is dead', async (t) => {
  await start(t)
  const first = socket()
  t.mock.timers.tick(15_000)
  fakeDocument.dispatchEvent(new Event('visibilitychange'))
  t.mock.timers.tick(10_000)
  assert.equal(first.readyState, 3)
})

test('a browser that goes offline and back does not wait', async (t) => {
  await start(t)
  const first = socket()
  dispatchEvent(new Event('online'))
  assert.equal(sockets.length, 1, 'it is connected')
  dispatchEvent(new Event('offline'))
  assert.equal(first.readyState, 3)
  const count = sockets.length
  dispatchEvent(new Event('online'))
  assert.equal(sockets.length, count + 1)
})

test('a session that the gateway ends is looked for', async (t) => {
  await start(t)
  socket().break(4401)
  assert.equal(gateway.of('GET /api/session').length, 1)
})

test('held messages, and a thread that could not be read, are tried again while connected', async (t) => {
  const { id, path } = await start(t)
  gateway.on(sending, 'lost')
  await send({ threadId: id, text: 'later', files: [] })
  gateway.on(sending, ok({ thread_id: id, turn_id: 'turn 9' }))
  t.mock.timers.tick(retryMs)
  await settled()
  assert.equal(gateway.of(sending).length, 2)
  assert.deepEqual(gateway.of(path), [], 'a thread that was read is left alone')

  gateway.on('GET /api/threads/other', 'lost')
  go('/threads/other')
  await settled()
  serveThread('other', { lastSeq: 1 })
  t.mock.timers.tick(retryMs)
  await settled()
  assert.deepEqual(seqs(), [1])
  gateway.on('GET /api/threads/none', refusal(404, 'not_found'))
  go('/threads/none')
  await settled()
  t.mock.timers.tick(retryMs)
  await settled()
  assert.equal(gateway.of('GET /api/threads/none').length, 1, 'one that is not there is not asked for again')
})

test('a hub that was stopped neither listens, tries again nor says that it is offline', async (t) => {
  const { stop } = await start(t)
  socket().break(1001)
  stop()
  t.mock.timers.tick(60_000)
  await settled()
  assert.deepEqual([sockets.length, gateway.asked, offlineSecs.value], [1, [], undefined])
  dispatchEvent(new Event('online'))
  dispatchEvent(new Event('offline'))
  go('/threads/after')
  await settled()
  assert.deepEqual([sockets.length, gateway.asked], [1, []])
})

const noticeText = (): string | undefined => notice.value?.text

test('a page that was dropped because it did not read says so and reconnects; other breaks are quiet', async (t) => {
  await start(t)
  endNotice()
  socket().break(1001)
  assert.equal(noticeText(), undefined)
  const before = sockets.length
  t.mock.timers.tick(1_000)
  socket().accept()
  socket().break(4408)
  assert.match(noticeText() ?? '', /fell behind/)
  t.mock.timers.tick(1_000)
  assert.equal(sockets.length, before + 2)
  endNotice()
})
