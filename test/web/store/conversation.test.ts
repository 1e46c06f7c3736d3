// One thread as the page holds it: read from its end, grown by frames, read again where something is missing.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import {
  type Answer,
  freshPage,
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
  turnFrame,
} from './page.ts'
import type { Frame } from '#doors/web/wire/frame.ts'
import type { Item } from '#doors/web/wire/thread.ts'
import { type Conversation, createConversation } from '../../../web/store/conversation.ts'
import { outgoingTo } from '../../../web/store/outbox.ts'
import { setStorageUser } from '../../../web/store/local-storage.ts'
import { restoreSeen } from '../../../web/store/thread-marks.ts'

let threads = 0

function open(t: TestContext, lastSeq = 0, more: { queued?: unknown[]; perAnswer?: number } = {}) {
  freshPage(t)
  const id = `thread ${++threads}`
  const path = encodeURIComponent(id)
  const given = { lastSeq, ...more }
  serveThread(path, given)
  return { conversation: createConversation(id), given, path: `GET /api/threads/${path}` }
}

const seqs = ({ turns }: Conversation) => turns.value.map(({ id }) => Number(id.slice('turn '.length)))
const asked = (path: string) =>
  gateway.of(path).map(({ query }) => [query.get('after'), query.get('limit')].map(Number))
const range = (first: number, last: number) => itemsFrom(first, last).map(({ seq }) => seq)
const frame = (of: object) => of as Frame

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

const delta = (itemId: string, offset: number, text: string, turn_id = 'turn 1') =>
  frame({ type: 'delta', thread_id: 't', turn_id, item_id: itemId, offset, text })

test('streamed text grows by its offsets: nothing twice, a gap is told', (t) => {
  const { conversation } = open(t)
  const texts = () => conversation.growing.value.map(({ itemId, text }) => [itemId, text])
  assert.equal(conversation.apply(delta('i', 0, 'Hello')), true)
  assert.equal(conversation.apply(delta('i', 3, 'lo wor')), true)
  assert.deepEqual(texts(), [['i', 'Hello wor']])
  const before = conversation.growing.value
  assert.equal(conversation.apply(delta('i', 0, 'Hell')), true)
  assert.equal(conversation.growing.value, before, 'what is known is not drawn again')
  assert.equal(conversation.apply(delta('i', 10, 'd')), false)
  assert.deepEqual(texts(), [['i', 'Hello wor']])
  assert.equal(conversation.apply(delta('j', 1, 'x')), false, 'its beginning is missing')
  assert.equal(conversation.apply(delta('j', 0, 'second')), true)
  assert.equal(
    conversation.apply(
      frame({ type: 'snapshot', thread_id: 't', turn_id: 'turn 1', item_id: 'i', text: 'Hello world' }),
    ),
    true,
  )
  assert.deepEqual(texts(), [
    ['j', 'second'],
    ['i', 'Hello world'],
  ])
})

test('streamed text gives way to its item, and to the end of its turn', (t) => {
  const { conversation } = open(t)
  const growing = () => conversation.growing.value.map(({ itemId }) => itemId)
  conversation.apply(delta('item 1', 0, 'one', 'turn 1'))
  conversation.apply(delta('other', 0, 'two', 'turn 2'))
  const before = conversation.growing.value
  conversation.apply(itemFrame(conversation.id, messageOf(1)))
  assert.deepEqual(growing(), ['other'])
  assert.notEqual(conversation.growing.value, before)
  const rest = conversation.growing.value
  conversation.apply(itemFrame(conversation.id, messageOf(2)))
  assert.equal(conversation.growing.value, rest, 'what stays is not drawn again')
  conversation.apply(frame(turnFrame('t', 'turn 2', 'running')))
  assert.deepEqual(growing(), ['other'])
  conversation.apply(delta('third', 0, 'three', 'turn 3'))
  conversation.apply(frame(turnFrame('t', 'turn 2', 'cancelled')))
  assert.deepEqual(growing(), ['third'])
})

test('text and thoughts of an attempt that was lost go when the next one begins, or has stored something', (t) => {
  const { conversation } = open(t)
  const shown = () =>
    [conversation.thinking, conversation.growing].map((each) => each.value.map(({ itemId }) => itemId))
  const at = { thread_id: 't', turn_id: 'turn 1' }
  const thought = (item_id: string, first_id: string) =>
    conversation.apply(frame({ type: 'thought', ...at, item_id, first_id, offset: 0, text: 'hm' }))
  const begins = (item_id: string, first_id: string) =>
    conversation.apply(frame({ type: 'delta', ...at, item_id, first_id, offset: 0, text: 'Hello' }))
  thought('j1', 'j1')
  begins('j2', 'j1')
  begins('j3', 'j1')
  assert.deepEqual(shown(), [['j1'], ['j2', 'j3']])
  thought('k1', 'k1')
  assert.deepEqual(shown(), [['k1'], []])
  // Its beginning was missed.
  conversation.apply(frame({ type: 'thought', ...at, item_id: 'k1a', offset: 9, text: 'hm' }))
  assert.deepEqual(shown(), [['k1', 'k1a'], []])
  begins('k2', 'k1')
  conversation.apply(delta('k2', 5, ' again'))
  assert.deepEqual(shown(), [['k1', 'k1a'], ['k2']])
  assert.deepEqual(conversation.growing.value[0]?.text, 'Hello again')
  // A subscription in the middle of it.
  conversation.apply(frame({ type: 'snapshot', ...at, item_id: 'm2', first_id: 'm1', text: 'Good day' }))
  assert.deepEqual(shown(), [[], ['m2']])
  conversation.apply(itemFrame(conversation.id, { ...messageOf(1, 'turn 1'), id: 'n1' }))
  assert.deepEqual(shown(), [[], []])
})

test('how far a call is, is kept until its turn rests', (t) => {
  const { conversation } = open(t)
  const report = (call: string, progress: number) =>
    conversation.apply(
      frame({ type: 'progress', thread_id: 'a', turn_id: 'turn 1', call_id: call, progress, total: 4 }),
    )
  for (const [call, progress] of [
    ['c1', 1],
    ['c2', 1],
    ['c1', 2],
  ] as const)
    assert.equal(report(call, progress), true)
  assert.deepEqual(
    [...conversation.progress.value].map(([call, { progress, total }]) => [call, progress, total]),
    [
      ['c1', 2, 4],
      ['c2', 1, 4],
    ],
  )
  conversation.apply(frame(turnFrame(conversation.id, 'turn 1', 'completed')))
  assert.equal(conversation.progress.value.size, 0)
})

test('the states of the turns are kept, with their faults', (t) => {
  const { conversation } = open(t)
  const error = { code: 'model_unreachable', message: 'gone' }
  conversation.apply(frame(turnFrame('t', 'turn 1', 'running')))
  assert.equal(conversation.apply(frame({ ...turnFrame('t', 'turn 2', 'failed'), error })), true)
  assert.deepEqual(
    [...conversation.states.value.values()],
    [
      { id: 'turn 1', thread_id: 't', status: 'running' },
      { id: 'turn 2', thread_id: 't', status: 'failed', error },
    ],
  )
})

test('after a break only the last turn can still run', async (t) => {
  const { conversation, given } = open(t, 1)
  await conversation.load()
  conversation.apply(frame(turnFrame('t', 'turn 1', 'running')))
  const before = conversation.states.value
  await conversation.load()
  assert.equal(conversation.states.value, before)
  // It ended while nobody listened, and another one began.
  given.lastSeq = 2
  conversation.apply(frame(turnFrame('t', 'turn 0', 'completed')))
  conversation.apply(frame(turnFrame('t', 'turn 2', 'running')))
  await conversation.load()
  assert.deepEqual(
    [...conversation.states.value.values()].map(({ id, status }) => [id, status]),
    [
      ['turn 0', 'completed'],
      ['turn 2', 'running'],
    ],
  )
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
