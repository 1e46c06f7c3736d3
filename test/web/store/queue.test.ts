// Messages that wait at the gateway behind a running turn: shown, changed, removed, stopped.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, gateway, ok, refusal, serveThread, settled, stored } from './page.ts'
import { first, open, say, sending, states, take, texts } from './outbox-page.ts'
import { readDraft, writeDraft } from '../../../web/store/drafts.ts'
import { filesWith, takeFiles } from '../../../web/store/files.ts'
import { conversationOf } from '../../../web/store/hub.ts'
import { notice } from '../../../web/store/notices.ts'
import { outgoingTo, removeArrived, send, sendHeld, takeQueued } from '../../../web/store/outbox.ts'
import { editQueued, keepEdit, removeQueued, stopAll } from '../../../web/store/queue.ts'

const queuedMessage = (id: string, turn_id: string, text: string) => ({
  type: 'message' as const,
  role: 'user' as const,
  id,
  turn_id,
  at: '',
  content: [
    { type: 'text' as const, text },
    { type: 'file' as const, name: 'a.txt', text: 'abc' },
    { type: 'image' as const, url: 'data:' },
  ],
})

test('messages that wait at the gateway are shown once, also if their own answer comes later', async (t) => {
  open(t)
  const { promise, resolve } = Promise.withResolvers<Answer>()
  gateway.on(sending, () => promise)
  const sent = say('mine')
  takeQueued(
    'a',
    [queuedMessage('1', 'turn 1', 'mine'), { type: 'summary', id: '2', turn_id: 'turn 2', at: '', text: '', up_to: 1 }],
    [],
  )
  takeQueued('a', [queuedMessage('1', 'turn 1', 'mine'), queuedMessage('3', 'turn 3', 'of another page')], [])
  resolve(ok({ thread_id: 'a', turn_id: 'turn 1' }))
  await sent
  assert.deepEqual(states(), [
    ['mine', 'sent'],
    ['of another page', 'sent'],
  ])
  const [, other] = outgoingTo('a')
  assert.deepEqual([other?.turnId, other?.files.map(({ name }) => name)], ['turn 3', ['a.txt']])
  assert.deepEqual(stored(), {}, 'the gateway has them')
  removeArrived(new Set(['turn 3']))
  assert.deepEqual(states(), [['mine', 'sent']])
  removeArrived(new Set(['turn 4']))
  assert.deepEqual(states(), [['mine', 'sent']])
})

test('messages that wait at the gateway stand in its order, also where one of this page was held until others came', async (t) => {
  open(t)
  gateway.on(sending, 'lost')
  await say('held')
  takeQueued('a', [queuedMessage('1', 'turn 1', 'of another page'), queuedMessage('2', 'turn 2', 'its next')], [])
  gateway.on(sending, () => ok({ thread_id: 'a', turn_id: 'turn 3' }))
  await sendHeld()
  assert.deepEqual(states(), [
    ['of another page', 'sent'],
    ['its next', 'sent'],
    ['held', 'sent'],
  ])
})

test('what is still unsent does not arrive', async (t) => {
  open(t)
  gateway.on(sending, 'lost')
  await say('held')
  takeQueued('a', [queuedMessage('1', 'turn 1', 'queued')], [])
  removeArrived(new Set(['turn 1']))
  assert.deepEqual(states(), [['held', 'held']])
})

test('a message that another page changed has its new text; one that it removed goes, unless the list ends before it', async (t) => {
  open(t)
  gateway.on(sending, take)
  for (const text of ['1', '2', '3', '4']) await say(text)
  const sentBefore = ['turn of 1', 'turn of 2', 'turn of 4']
  takeQueued('a', [queuedMessage('x', 'turn of 1', 'changed'), queuedMessage('y', 'turn of 3', '3')], sentBefore)
  assert.deepEqual(
    states().map(([text]) => text),
    ['changed', '3', '4'],
  )
  takeQueued('a', [], ['turn of 1', 'turn of 4'])
  assert.deepEqual(
    states().map(([text]) => text),
    ['3'],
    'the third was sent after the list was read',
  )
})

const queuedPath = '/api/threads/a/queued/turn of 1'

test('a queued message is changed and removed at the gateway; undo sends it again', async (t) => {
  open(t)
  gateway.on(sending, take)
  await say('1')
  gateway.on(`PATCH ${queuedPath}`, ok({}))
  await editQueued(first(), 'other')
  assert.deepEqual(gateway.bodies(`PATCH ${queuedPath}`), [{ message: 'other' }])
  assert.deepEqual(states(), [['other', 'sent']])
  gateway.on(`DELETE ${queuedPath}`, { status: 204 })
  await removeQueued(first())
  assert.deepEqual(states(), [])
  notice.value?.undo?.()
  await settled()
  assert.deepEqual(states(), [['other', 'sent']])
})

test('a message that has begun meanwhile stays: the changed text goes to the composer', async (t) => {
  open(t)
  gateway.on(sending, take)
  await say('1')
  for (const method of ['PATCH', 'DELETE']) gateway.on(`${method} ${queuedPath}`, refusal(409, 'turn_started'))
  writeDraft('a', 'draft')
  await editQueued(first(), 'other')
  assert.deepEqual([states(), readDraft('a')], [[['1', 'sent']], 'other\ndraft'])
  await removeQueued(first())
  assert.match(notice.value?.text ?? '', /begun already/)
  assert.deepEqual(states(), [['1', 'sent']])
})

test('stopping all removes what the gateway removed, and undo sends it again in order', async (t) => {
  open(t)
  gateway.on(sending, take)
  for (const text of ['1', '2', '3']) await say(text)
  gateway.on(
    'POST /api/threads/a/stop',
    ok({ thread_id: 'a', removed: ['turn of 2', 'turn of 3'], stopped: 'turn of 1' }),
  )
  await stopAll('a')
  assert.deepEqual(states(), [['1', 'sent']])
  gateway.asked.length = 0
  notice.value?.undo?.()
  await settled()
  assert.deepEqual(texts(), ['2', '3'])
})

test('the text of an edit comes to the composer with the files, unless the message still has them', async (t) => {
  open(t)
  gateway.on(sending, take)
  const list = { name: 'list.txt', media_type: 'text/plain', data: 'YQ==', pages: { all: 2, read: 1 } }
  await send({ threadId: 'a', text: '1', files: [list] })
  const message = first()
  keepEdit(message, 'its page was left')
  await settled()
  assert.deepEqual(filesWith('a'), [], 'it is queued')
  takeQueued('a', [], ['turn of 1'])
  keepEdit(message, 'it was removed elsewhere')
  await settled()
  assert.deepEqual(takeFiles('a'), [list])
  serveThread('a', { lastSeq: 1 })
  await conversationOf('a').load()
  keepEdit({ ...message, turnId: conversationOf('a').turns.value[0]?.id ?? '' }, 'it has begun')
  await settled()
  assert.deepEqual(filesWith('a'), [], 'the thread shows them')
})
