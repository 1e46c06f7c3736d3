// A turn as a chat shows it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operator } from '#core/ids.ts'
import { type Entry, type Item, textMessage } from '#core/item.ts'
import { noUsage, type Turn } from '#core/turn.ts'
import { createReplyView } from '#doors/channel/reply-view.ts'

const turn: Turn = {
  id: 't',
  threadId: 'h',
  userId: operator,
  door: 'telegram',
  status: 'running',
  options: {},
  createdAt: 0,
  firstSeq: 1,
  usage: noUsage,
}
const entry = (id: string, item: Item, turnId = 't'): Entry => ({ id, item, turnId, seq: 1, at: 0 })
const delta = (itemId: string, offset: number, text: string, turnId = 't') =>
  ({ type: 'delta', turnId, itemId, offset, text }) as const

test('text grows by deltas, and is what was stored in the end; other turns do not matter', () => {
  const view = createReplyView(turn)
  assert.equal(view.text(), '…')
  view.read([
    { type: 'snapshot', turnId: 't', itemId: 'a', text: 'Hel' },
    delta('a', 3, 'lo'),
    delta('x', 0, 'no', 'other'),
  ])
  assert.equal(view.text(), 'Hello\n\n…')
  view.read([
    {
      type: 'entries',
      entries: [entry('a', textMessage('assistant', 'Hello.')), entry('y', textMessage('assistant', 'no'), 'other')],
    },
  ])
  view.read([{ type: 'entries', entries: [entry('c', { type: 'call', callId: 'c1', name: 'time', args: '{}' })] }])
  assert.equal(view.text(), 'Hello.\n\n… (time)')
  view.read([
    { type: 'entries', entries: [entry('r', { type: 'result', callId: 'c1', output: 'noon' })] },
    delta('b', 0, 'Noon'),
  ])
  assert.equal(view.text(), 'Hello.\n\nNoon\n\n…')
  view.read([{ type: 'turn', turn: { ...turn, status: 'completed' } }])
  assert.equal(view.text(), 'Hello.\n\nNoon')
})

test('text of an attempt that was lost is gone once the next one has begun, or has stored something', () => {
  const view = createReplyView(turn)
  view.read([{ ...delta('a', 0, 'Hel'), firstId: 'a' }])
  view.read([{ ...delta('b', 0, 'Good'), firstId: 'b' }, delta('b', 4, ' day')])
  assert.equal(view.text(), 'Good day\n\n…')
  view.read([{ type: 'entries', entries: [entry('c', { type: 'call', callId: 'c1', name: 'time', args: '{}' })] }])
  assert.equal(view.text(), '… (time)')
})

const { firstSeq: _, ...fresh } = turn
const cases: readonly (readonly [what: string, turn: Turn, text: string])[] = [
  ['queued', { ...fresh, status: 'queued' }, 'Queued: it comes after what was asked before.'],
  ['queued again', { ...turn, status: 'queued' }, '…'],
  ['at a gate', { ...turn, status: 'waiting' }, 'Waits for your answer.'],
  [
    'failed',
    { ...turn, status: 'failed', error: { code: 'model_failed', message: 'no model' } },
    'It failed: no model',
  ],
  ['stopped', { ...turn, status: 'cancelled' }, 'Stopped.'],
  ['without a word', { ...turn, status: 'completed' }, 'There was nothing to say.'],
]
for (const [what, given, text] of cases) {
  test(`a turn is told: ${what}`, () => assert.equal(createReplyView(given).text(), text))
}
