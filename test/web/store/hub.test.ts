// What the live connection feeds: the open thread, the lists, the outbox.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Answer,
  draw,
  fakeDocument,
  gateway,
  itemFrame,
  messageOf,
  ok,
  serveThread,
  settled,
  socket,
  threadOf,
  turnFrame,
} from './page.ts'
import { batchMs, sending, seqs, start, subscribed, tell } from './hub-page.ts'
import { go } from '../../../web/router.ts'
import { gates } from '../../../web/store/gates.ts'
import { openConversation, runningTurn } from '../../../web/store/hub.ts'
import { outgoingTo, send } from '../../../web/store/outbox.ts'
import { threadList } from '../../../web/store/threads.ts'

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
  const { id, given } = await start(t)
  given.queued.push({ ...messageOf(3), seq: undefined, turn_id: 'queued' })
  gateway.on(sending, ok({ thread_id: id, turn_id: 'queued' }))
  await tell(turnFrame(id, 'turn 2', 'running'))
  await send({ threadId: id, text: 'never said', files: [] })
  await tell(turnFrame(id, 'queued', 'queued'))
  assert.equal(outgoingTo(id).length, 1)
  await tell(turnFrame(id, 'queued', 'cancelled'))
  assert.deepEqual(outgoingTo(id), [])
})

test('what another page has queued is read; a turn that is queued again is in the thread already', async (t) => {
  const { id, given, path } = await start(t)
  given.queued.push({ ...messageOf(3), seq: undefined })
  await tell(turnFrame(id, 'turn 2', 'queued'), turnFrame('another', 'turn 9', 'queued'))
  assert.equal(gateway.of(path).length, 0)
  await tell(turnFrame(id, 'turn 3', 'queued'))
  assert.deepEqual(
    outgoingTo(id).map(({ turnId, text }) => [turnId, text]),
    [['turn 3', 'message 3']],
  )
  await tell(itemFrame(id, messageOf(3)))
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
