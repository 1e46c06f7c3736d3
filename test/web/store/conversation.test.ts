// One thread as the page holds it: read from its end, grown by items, read again where something is missing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Answer,
  gateway,
  itemFrame,
  itemsFrom,
  messageOf,
  ok,
  refusal,
  serveThread,
  settled,
  stored,
  threadOf,
} from './page.ts'
import type { Item } from '#doors/web/wire/thread.ts'
import { asked, frame, open, range, seqs } from './conversation-page.ts'
import { outgoingTo } from '../../../web/store/outbox.ts'
import { setStorageUser } from '../../../web/store/local-storage.ts'
import { restoreSeen } from '../../../web/store/thread-marks.ts'

test('a thread is read from its end, and earlier pages on demand, each item once', async (t) => {
  const { conversation, path } = open(t, 450)
  assert.deepEqual(
    [conversation.loaded.value, conversation.hasEarlier.value, conversation.lastSeq()],
    [false, false, 0],
  )
  await conversation.load()
  assert.deepEqual(asked(path), [
    [0, 1],
    [250, 200],
  ])
  assert.deepEqual(seqs(conversation), range(251, 450))
  assert.deepEqual(
    [conversation.loaded.value, conversation.hasEarlier.value, conversation.lastSeq()],
    [true, true, 450],
  )
  assert.equal(conversation.thread.value?.last_seq, 450)
  await Promise.all([conversation.loadEarlier(), conversation.loadEarlier()])
  assert.deepEqual(seqs(conversation), range(51, 450))
  await conversation.loadEarlier()
  assert.deepEqual(seqs(conversation), range(1, 450))
  assert.equal(conversation.hasEarlier.value, false)
  await conversation.loadEarlier()
  assert.deepEqual(asked(path).slice(2), [
    [50, 200],
    [0, 50],
  ])
})

test('an answer with fewer items than were asked for is followed by the next', async (t) => {
  const { conversation, path } = open(t, 25, { perAnswer: 10 })
  await conversation.load()
  assert.deepEqual(seqs(conversation), range(1, 25))
  assert.deepEqual(asked(path), [
    [0, 1],
    [0, 25],
    [10, 15],
    [20, 5],
  ])
})

test('a gateway that never comes to an end is asked fifty times', async (t) => {
  const { conversation, path } = open(t, 200, { perAnswer: 1 })
  await conversation.load()
  assert.equal(asked(path).length, 1 + 50)
})

test('a thread whose end is not to be had is shown as far as it is', async (t) => {
  const { conversation, path } = open(t)
  const answer = { thread: threadOf('x', { last_seq: 9 }), items: itemsFrom(1, 4), next_after: null, queued: [] }
  gateway.on(path, ok(answer))
  await conversation.load()
  assert.deepEqual([seqs(conversation), asked(path).length], [range(1, 4), 2])
})

test('a gateway that has no more to give is not asked for it', async (t) => {
  const { conversation, path } = open(t)
  gateway.on(path, ok({ thread: threadOf('x', { last_seq: 9 }), items: [], next_after: 3, queued: [] }))
  await conversation.load()
  assert.deepEqual([seqs(conversation), asked(path).length], [[], 2])
})

test('an empty thread is loaded without a second request', async (t) => {
  const { conversation, path } = open(t, 0)
  await conversation.load()
  assert.deepEqual([conversation.loaded.value, asked(path).length], [true, 1])
})

test('a thread that is known is read from where it ends', async (t) => {
  const { conversation, given, path } = open(t, 3)
  await conversation.load()
  given.lastSeq = 5
  await conversation.load()
  assert.deepEqual(asked(path).slice(2), [
    [0, 1],
    [3, 2],
  ])
  assert.deepEqual(seqs(conversation), range(1, 5))
  await conversation.load()
  assert.equal(asked(path).length, 5, 'nothing is new')
})

test('a thread that is not there, and one that cannot be read, say so until they can', async (t) => {
  const { conversation, path } = open(t, 1)
  gateway.on(path, refusal(404, 'not_found', 'no such thread'))
  await conversation.load()
  assert.deepEqual(conversation.fault.value, { missing: true, text: 'No such thread.' })
  gateway.on(path, 'lost')
  await conversation.load()
  assert.deepEqual(conversation.fault.value, { missing: false, text: 'Atrium was not reached.' })
  assert.equal(conversation.loaded.value, false)
  serveThread(encodeURIComponent(conversation.id), { lastSeq: 1 })
  await conversation.load()
  assert.deepEqual([conversation.fault.value, conversation.loaded.value], [undefined, true])
})

test('earlier pages that could not be read are asked for again', async (t) => {
  const { conversation, path, given } = open(t, 300)
  await conversation.load()
  gateway.on(path, 'lost')
  await conversation.loadEarlier()
  assert.equal(conversation.hasEarlier.value, true)
  serveThread(encodeURIComponent(conversation.id), given)
  await conversation.loadEarlier()
  assert.deepEqual(seqs(conversation), range(1, 300))
})

test('the next item is added, one that is known changes nothing, a gap is told and adds nothing', async (t) => {
  const { conversation, given } = open(t, 3)
  const { id } = conversation
  await conversation.load()
  assert.equal(conversation.apply(itemFrame(id, messageOf(4))), true)
  assert.equal(conversation.apply(itemFrame(id, messageOf(4))), true)
  assert.equal(conversation.apply(itemFrame(id, messageOf(2))), true)
  assert.deepEqual(seqs(conversation), range(1, 4))
  assert.equal(conversation.apply(itemFrame(id, messageOf(6))), false)
  assert.deepEqual(seqs(conversation), range(1, 4))
  given.lastSeq = 6
  await conversation.load()
  assert.deepEqual(seqs(conversation), range(1, 6))
})

test('an item of a turn that is known already is shown once', async (t) => {
  const { conversation } = open(t, 1)
  await conversation.load()
  const reply = { ...messageOf(2, 'turn 1', 'reply'), role: 'assistant' as const } as Item
  for (const item of [reply, messageOf(3, 'turn 3'), reply]) conversation.apply(itemFrame(conversation.id, item))
  assert.deepEqual(
    conversation.turns.value.map(({ id, blocks }) => [id, blocks.length]),
    [
      ['turn 1', 1],
      ['turn 3', 0],
    ],
  )
})

test('items that come while the thread is read are there once', async (t) => {
  const { conversation, path } = open(t, 3)
  await conversation.load()
  const { promise, resolve } = Promise.withResolvers<Answer>()
  gateway.on(path, ({ query }) => {
    const head = { thread: threadOf('x', { last_seq: 5 }), next_after: null, queued: [] }
    return query.get('after') === '0' ? ok({ ...head, items: [] }) : promise
  })
  const loading = conversation.load()
  await settled()
  conversation.apply(itemFrame(conversation.id, messageOf(4)))
  resolve(ok({ thread: threadOf('x', { last_seq: 5 }), items: itemsFrom(4, 5), next_after: null, queued: [] }))
  await loading
  assert.deepEqual(seqs(conversation), range(1, 5))
})

test('frames about other things change nothing, and miss nothing', (t) => {
  const { conversation } = open(t)
  for (const type of ['ready', 'accepted', 'thread', 'gate', 'reload', 'pong', 'error']) {
    assert.equal(conversation.apply(frame({ type })), true)
  }
})

test('messages that wait behind a turn are shown with the thread, unless they are in it by now', async (t) => {
  const queued = [1, 7].map((at) => ({ ...messageOf(at), seq: undefined }))
  const { conversation } = open(t, 2, { queued })
  await conversation.load()
  assert.deepEqual(
    outgoingTo(conversation.id).map(({ text, turnId, state }) => [text, turnId, state]),
    [['message 7', 'turn 7', 'sent']],
  )
})

test('a thread that was shown is remembered up to its last item', async (t) => {
  const { conversation } = open(t, 3)
  setStorageUser('reader')
  restoreSeen()
  await conversation.load()
  assert.deepEqual(stored(), { 'atrium.reader.seen': JSON.stringify({ [conversation.id]: 3 }) })
})
