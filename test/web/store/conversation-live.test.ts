// A running turn as the page holds it: streamed text, thoughts, progress, the states of turns.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { itemFrame, messageOf, turnFrame } from './page.ts'
import { frame, open } from './conversation-page.ts'

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
  assert.equal(conversation.thinking.value[1]?.text, '… hm')
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

test('a turn whose end was missed no longer runs once an item of the next turn is there', async (t) => {
  const { conversation } = open(t, 1)
  await conversation.load()
  const { id: thread_id } = conversation
  const statuses = () => [...conversation.states.value.values()].map(({ id, status }) => [id, status])
  conversation.apply(frame(turnFrame(thread_id, 'turn 1', 'running')))
  conversation.apply(frame(turnFrame(thread_id, 'turn 9', 'queued')))
  // The connection is lost; the answer comes with the next reading of the thread, the end of its turn does not.
  conversation.apply(itemFrame(thread_id, messageOf(2, 'turn 1')))
  await conversation.load()
  conversation.apply(frame(turnFrame(thread_id, 'turn 9', 'queued')))
  assert.deepEqual(statuses(), [
    ['turn 1', 'running'],
    ['turn 9', 'queued'],
  ])
  conversation.apply(itemFrame(thread_id, messageOf(3, 'turn 3')))
  assert.deepEqual(statuses(), [['turn 9', 'queued']])
})
