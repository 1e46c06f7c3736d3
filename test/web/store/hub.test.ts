// The live connection and what it feeds: the open thread, the lists, what waits to be sent.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import {
  type Answer,
  draw,
  fakeDocument,
  freshPage,
  gateway,
  itemFrame,
  messageOf,
  ok,
  refusal,
  serveThread,
  settled,
  socket,
  sockets,
  threadOf,
  turnFrame,
} from './page.ts'
import { go } from '../../../web/router.ts'
import { gates } from '../../../web/store/gates.ts'
import { openConversation, runningTurn, startHub } from '../../../web/store/hub.ts'
import { offlineSecs } from '../../../web/store/link.ts'
import { setStorageUser } from '../../../web/store/local-storage.ts'
import { endNotice, notice } from '../../../web/store/notices.ts'
import { outgoingTo, restoreOutbox, send } from '../../../web/store/outbox.ts'
import { threadList } from '../../../web/store/threads.ts'

const batchMs = 150
const retryMs = 5_000
const sending = 'POST /api/chat/send'
let tests = 0

/** The page at a thread of its own, connected. */
async function start(t: TestContext, lastSeq = 2) {
  freshPage(t)
  setStorageUser(`user ${++tests}`)
  restoreOutbox()
  threadList.data.value = undefined
  gates.data.value = undefined
  const id = `t${tests}`
  const given = { lastSeq, queued: [] as unknown[] }
  serveThread(id, given)
  gateway.on('GET /api/threads', ok({ threads: [threadOf(id)], next_cursor: null }))
  gateway.on('GET /api/gates', ok({ gates: [] }))
  gateway.on('GET /api/status', ok({}))
  gateway.on('GET /api/session', ok({ user: 'ada', operator: true }))
  go(`/threads/${id}`)
  const stop = startHub()
  t.after(() => {
    stop()
    draw()
    go('/')
  })
  await settled()
  socket().accept()
  draw()
  await settled()
  t.mock.timers.tick(batchMs)
  await settled()
  gateway.asked.length = 0
  const path = `GET /api/threads/${id}`
  return { id, given, path, stop }
}

const seqs = () => (openConversation.value?.turns.value ?? []).map(({ id }) => Number(id.slice('turn '.length)))
const subscribed = () => socket().of('subscribe').at(-1)

async function tell(...frames: readonly object[]): Promise<void> {
  socket().tell(...frames)
  draw()
  await settled()
}

test('the open thread is read, then followed from its last item', async (t) => {
  const { id } = await start(t)
  assert.equal(socket().url, 'ws://atrium.test/api/chat/ws')
  assert.deepEqual(subscribed(), { type: 'subscribe', thread_id: id, after: 2 })
  await tell(itemFrame(id, messageOf(3)), itemFrame('another', messageOf(4)))
  assert.deepEqual(seqs(), [1, 2, 3])
  assert.deepEqual(gateway.of('GET /api/threads/*'), [], 'nothing was missing')
})

test('a gap in a live thread is read again, once for all that came together', async (t) => {
  const { id, given, path } = await start(t)
  given.lastSeq = 6
  await tell(itemFrame(id, messageOf(5)), itemFrame(id, messageOf(6)))
  assert.deepEqual(seqs(), [1, 2, 3, 4, 5, 6])
  assert.deepEqual(subscribed(), { type: 'subscribe', thread_id: id, after: 6 })
  assert.deepEqual(
    gateway.of(path).map(({ query }) => query.get('after')),
    ['0', '2'],
  )
})

test('frames are applied with the next picture, and by a timer where nobody looks', async (t) => {
  const { id } = await start(t)
  socket().tell(itemFrame(id, messageOf(3)))
  assert.deepEqual(seqs(), [1, 2])
  socket().tell(itemFrame(id, messageOf(4)))
  draw()
  assert.deepEqual(seqs(), [1, 2, 3, 4])
  fakeDocument.hidden = true
  socket().tell(itemFrame(id, messageOf(5)))
  draw()
  assert.deepEqual(seqs(), [1, 2, 3, 4])
  t.mock.timers.tick(batchMs)
  assert.deepEqual(seqs(), [1, 2, 3, 4, 5])
})

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
  t.mock.timers.tick(60_000)
  assert.equal(first.readyState, 3)
  t.mock.timers.tick(1_000)
  assert.equal(sockets.length, 2)
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

test('another thread is followed in place of the one before, which is there at once when it comes back', async (t) => {
  const { id } = await start(t)
  const before = openConversation.value
  serveThread('other', { lastSeq: 1 })
  go('/threads/other')
  assert.deepEqual(socket().of('unsubscribe').at(-1), { type: 'unsubscribe', thread_id: id })
  go('/jobs')
  await settled()
  assert.equal(openConversation.value, undefined)
  assert.notEqual((subscribed() as { thread_id: string }).thread_id, 'other', 'it was left before it was read')
  go(`/threads/${id}`)
  assert.equal(openConversation.value, before)
  assert.deepEqual(seqs(), [1, 2])
})

test('eight threads are kept, those that were open last', async (t) => {
  const { id } = await start(t)
  const first = openConversation.value
  for (let at = 0; at < 7; at++) go(`/threads/many ${at}`)
  go(`/threads/${id}`)
  assert.equal(openConversation.value, first)
  go('/threads/many 0')
  const many = openConversation.value
  for (let at = 10; at < 17; at++) go(`/threads/many ${at}`)
  go('/threads/many 0')
  assert.equal(openConversation.value, many)
  go(`/threads/${id}`)
  assert.notEqual(openConversation.value, first)
  await settled()
})

test('a message leaves the outbox when its turn is in the thread, whichever comes first', async (t) => {
  const { id } = await start(t)
  gateway.on(sending, ok({ thread_id: id, turn_id: 'turn 3' }))
  await send({ threadId: id, text: 'message 3', files: [] })
  assert.equal(outgoingTo(id).length, 1)
  await tell(itemFrame(id, messageOf(3)))
  assert.deepEqual(outgoingTo(id), [])
  const { promise, resolve } = Promise.withResolvers<Answer>()
  gateway.on(sending, () => promise)
  const sent = send({ threadId: id, text: 'message 4', files: [] })
  await tell(itemFrame(id, messageOf(4)))
  resolve(ok({ thread_id: id, turn_id: 'turn 4' }))
  await sent
  assert.deepEqual(outgoingTo(id), [])
})

test('a queued message whose turn was stopped leaves the outbox', async (t) => {
  const { id } = await start(t)
  gateway.on(sending, ok({ thread_id: id, turn_id: 'queued' }))
  await tell(turnFrame(id, 'turn 2', 'running'))
  await send({ threadId: id, text: 'never said', files: [] })
  await tell(turnFrame(id, 'queued', 'queued'))
  assert.equal(outgoingTo(id).length, 1)
  await tell(turnFrame(id, 'queued', 'cancelled'))
  assert.deepEqual(outgoingTo(id), [])
})

test('the running turn is known from its state, its text, or the list of threads', async (t) => {
  const { id } = await start(t)
  assert.equal(runningTurn.value, undefined)
  await tell({ type: 'thread', ...threadOf(id, { state: 'running' }) })
  assert.equal(runningTurn.value, 'turn 2', 'the last turn, as the list says')
  await tell({ type: 'delta', thread_id: id, turn_id: 'turn 3', item_id: 'i', offset: 0, text: 'x' })
  assert.equal(runningTurn.value, 'turn 3')
  await tell(turnFrame(id, 'turn 4', 'running'))
  assert.equal(runningTurn.value, 'turn 4')
  await tell(turnFrame(id, 'turn 4', 'completed'), turnFrame(id, 'turn 3', 'waiting'))
  assert.equal(runningTurn.value, 'turn 2')
  await tell(turnFrame(id, 'turn 2', 'completed'))
  assert.equal(runningTurn.value, undefined, 'the list is behind')
  go('/')
  assert.equal(runningTurn.value, undefined)
})

test('the list of threads and the gates follow their frames; the service is read when a turn rests', async (t) => {
  const { id } = await start(t)
  await tell({ type: 'thread', ...threadOf('new', { updated_at: new Date(5).toISOString() }) })
  assert.deepEqual(
    threadList.data.value?.threads.map((thread) => thread.id),
    ['new', id],
  )
  await tell({ type: 'gate', id: 'g', kind: 'approval', thread_id: id, waiting: 1 })
  assert.deepEqual(
    gates.data.value?.map((gate) => gate.id),
    ['g'],
  )
  await tell(turnFrame('elsewhere', 't', 'running'))
  assert.deepEqual(gateway.asked, [])
  await tell(turnFrame('elsewhere', 't', 'completed'), turnFrame('elsewhere', 'u', 'running'))
  assert.deepEqual(
    gateway.asked.map(({ path }) => path),
    ['/api/status'],
  )
})

test('the lists are read again once after a burst of changes', async (t) => {
  await start(t)
  await tell({ type: 'reload', waiting: 0 }, { type: 'reload', waiting: 0 })
  await tell({ type: 'reload', waiting: 0 })
  assert.deepEqual(gateway.asked, [])
  t.mock.timers.tick(batchMs)
  await settled()
  // The threads, and those that are pinned.
  const lists = ['/api/threads', '/api/threads', '/api/gates', '/api/status']
  assert.deepEqual(
    gateway.asked.map(({ path }) => path),
    lists,
  )
  await tell({ type: 'reload', waiting: 0 })
  t.mock.timers.tick(batchMs)
  assert.equal(gateway.asked.length, 2 * lists.length)
})

test('a list that was read before a frame and answered after it is read again', async (t) => {
  const { id } = await start(t)
  const gate = { type: 'gate', id: 'g', thread_id: id, closed: true, waiting: 0 }
  for (const [what, frame] of [
    ['GET /api/threads', { type: 'thread', ...threadOf(id) }],
    ['GET /api/gates', gate],
  ] as const) {
    const { promise, resolve } = Promise.withResolvers<Answer>()
    const now = what.endsWith('threads') ? { threads: [threadOf(id)], next_cursor: null } : { gates: [] }
    gateway.on(what, () => promise)
    void (what.endsWith('threads') ? threadList : gates).load()
    await tell(frame)
    gateway.on(what, ok(now))
    resolve(
      ok(
        what.endsWith('threads') ? { threads: [threadOf(id, { title: 'old' })], next_cursor: null } : { gates: [gate] },
      ),
    )
    t.mock.timers.tick(batchMs)
    await settled()
    assert.equal(threadList.data.value?.threads[0]?.title, `Thread ${id}`)
    assert.deepEqual(gates.data.value, [])
  }
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
