// Messages on their way: none lost, none twice, none before another.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { type Answer, address, freshPage, gateway, ok, refusal, settled, storage, stored } from './page.ts'
import { go, route } from '../../../web/router.ts'
import { readDraft, writeDraft } from '../../../web/store/drafts.ts'
import { setStorageUser } from '../../../web/store/local-storage.ts'
import { notice } from '../../../web/store/notices.ts'
import {
  type Outgoing,
  outgoingTo,
  removeArrived,
  removeOutgoing,
  restoreOutbox,
  retry,
  send,
  sendHeld,
  takeQueued,
} from '../../../web/store/outbox.ts'
import { editQueued, removeQueued, stopAll } from '../../../web/store/queue.ts'

const sending = 'POST /api/chat/send'
let users = 0

/** An outbox of somebody new, so that nothing is left of the test before. */
function open(t: TestContext): void {
  freshPage(t)
  setStorageUser(`user ${++users}`)
  restoreOutbox()
  go('/')
  gateway.on('GET /api/threads', ok({ threads: [], next_cursor: null }))
}

const say = (text: string, threadId: string | undefined = 'a'): Promise<void> => send({ threadId, text, files: [] })
const states = (threadId: string | undefined = 'a') => outgoingTo(threadId).map(({ text, state }) => [text, state])
const texts = () => gateway.bodies(sending).map((body) => (body as { message: string }).message)
const keys = () => gateway.of(sending).map(({ headers }) => headers['idempotency-key'])
const first = (threadId: string | undefined = 'a'): Outgoing => {
  const [found] = outgoingTo(threadId)
  assert(found)
  return found
}

/** The gateway takes each message as a turn of its thread. */
const take = (asked: { body: unknown }): Answer => {
  const { message, thread_id = 'made' } = asked.body as { message: string; thread_id?: string }
  return ok({ thread_id, turn_id: `turn of ${message}` })
}

test('a message shows at once, and is sent with its files, its thread and a key of its own', async (t) => {
  open(t)
  gateway.on(sending, take)
  const files = [{ name: 'a.txt', media_type: 'text/plain', data: 'YQ==' }]
  const sent = send({ threadId: 'a', text: 'hello', files })
  assert.deepEqual(states(), [['hello', 'sending']])
  await sent
  await say('more')
  assert.deepEqual(gateway.bodies(sending), [
    { message: 'hello', thread_id: 'a', attachments: files },
    { message: 'more', thread_id: 'a' },
  ])
  assert.deepEqual(states(), [
    ['hello', 'sent'],
    ['more', 'sent'],
  ])
  assert.equal(first().turnId, 'turn of hello')
  assert.equal(new Set(keys()).size, 2)
  // With each message the threads, and those that are pinned.
  assert.equal(gateway.of('GET /api/threads').length, 4, 'the list shows what happened')
})

test('an answer that was lost is asked for again under the same key: the message is said once', async (t) => {
  open(t)
  const turns = new Map<string, string>()
  let lost = true
  gateway.on(sending, ({ headers, body }) => {
    const key = headers['idempotency-key'] ?? ''
    turns.set(key, turns.get(key) ?? `turn ${turns.size}`)
    return lost ? 'lost' : take({ body })
  })
  await say('once')
  assert.deepEqual(states(), [['once', 'held']])
  lost = false
  await sendHeld()
  assert.deepEqual(states(), [['once', 'sent']])
  assert.equal(turns.size, 1)
  assert.deepEqual(texts(), ['once', 'once'])
})

for (const [why, answer] of [
  ['not reached', 'lost'],
  ['ending', refusal(503, 'shutting_down')],
  ['signed out', refusal(401, 'unauthorized')],
] as const) {
  test(`a message waits for a gateway that is ${why}`, async (t) => {
    open(t)
    gateway.on(sending, answer)
    await say('later')
    assert.deepEqual(states(), [['later', 'held']])
    gateway.on(sending, take)
    await sendHeld()
    assert.deepEqual(states(), [['later', 'sent']])
  })
}

test('a refused message says why, holds nobody up, and is sent again on demand, before those behind it', async (t) => {
  open(t)
  gateway.on(sending, refusal(400, 'invalid_request', 'no such words'))
  await say('wrong')
  assert.deepEqual([first().state, first().fault], ['failed', 'No such words.'])
  await sendHeld()
  assert.deepEqual(texts(), ['wrong'], 'nobody sends it unasked')
  gateway.on(sending, 'lost')
  await say('behind')
  gateway.on(sending, take)
  await retry(first())
  assert.deepEqual(texts(), ['wrong', 'behind', 'wrong', 'behind'])
  assert.equal(keys()[0], keys()[2])
  assert.deepEqual(states(), [
    ['wrong', 'sent'],
    ['behind', 'sent'],
  ])
})

test('held messages go in their order; one that is still held keeps those behind it', async (t) => {
  open(t)
  gateway.on(sending, 'lost')
  await say('one')
  await say('two')
  await say('elsewhere', 'b')
  assert.deepEqual(texts(), ['one', 'one', 'elsewhere'], 'the second waits for the first')
  assert.deepEqual(states(), [
    ['one', 'held'],
    ['two', 'held'],
  ])
  gateway.asked.length = 0
  await sendHeld()
  assert.deepEqual(texts(), ['one'], 'the gateway is away for the others too')
  gateway.on(sending, take)
  gateway.asked.length = 0
  await sendHeld()
  assert.deepEqual(texts(), ['one', 'two', 'elsewhere'])
})

test('no message overtakes one that is on its way, however often the outbox is looked at', async (t) => {
  open(t)
  const { promise, resolve } = Promise.withResolvers<Answer>()
  gateway.on(sending, (asked) => (gateway.of(sending).length === 1 ? promise : take(asked)))
  const all = [say('one'), say('two')]
  await Promise.all([settled(), sendHeld(), sendHeld()])
  assert.deepEqual(texts(), ['one'])
  assert.deepEqual(states(), [
    ['one', 'sending'],
    ['two', 'sending'],
  ])
  await say('not behind them', 'b')
  assert.deepEqual(texts(), ['one', 'not behind them'])
  resolve('lost')
  await Promise.all(all)
  assert.deepEqual(states(), [
    ['one', 'held'],
    ['two', 'held'],
  ])
  await sendHeld()
  assert.deepEqual(texts().slice(2), ['one', 'two'])
})

test('a message that is refused does not hold up those behind it', async (t) => {
  open(t)
  gateway.on(sending, (asked) => (gateway.of(sending).length === 1 ? refusal(400, 'invalid_request') : take(asked)))
  await Promise.all([say('wrong'), say('right')])
  assert.deepEqual(states(), [
    ['wrong', 'failed'],
    ['right', 'sent'],
  ])
})

test('a held message that is tried again is on its way', async (t) => {
  open(t)
  gateway.on(sending, 'lost')
  await say('one')
  const { promise, resolve } = Promise.withResolvers<Answer>()
  gateway.on(sending, () => promise)
  const again = sendHeld()
  assert.deepEqual(states(), [['one', 'sending']])
  resolve('lost')
  await again
  assert.deepEqual(states(), [['one', 'held']])
})

test('what is written for a new thread belongs to none that is there', async (t) => {
  open(t)
  gateway.on(sending, 'lost')
  await say('for b', 'b')
  await send({ threadId: undefined, text: 'for a new one', files: [] })
  gateway.on(sending, take)
  await say('for a')
  assert.deepEqual(
    outgoingTo(undefined).map(({ text }) => text),
    ['for a new one'],
  )
  await sendHeld()
  assert.deepEqual(gateway.bodies(sending).slice(-2), [
    { message: 'for b', thread_id: 'b' },
    { message: 'for a new one' },
  ])
  assert.deepEqual(states('b'), [['for b', 'sent']])
})

test('messages of a new thread go into one thread, and the page goes there', async (t) => {
  open(t)
  const { promise, resolve } = Promise.withResolvers<Answer>()
  gateway.on(sending, (asked) => (gateway.of(sending).length === 1 ? promise : take(asked)))
  const all = [
    send({ threadId: undefined, text: 'one', files: [] }),
    send({ threadId: undefined, text: 'two', files: [] }),
  ]
  await settled()
  assert.deepEqual(states('made'), [])
  assert.equal(outgoingTo(undefined).length, 2)
  resolve(ok({ thread_id: 'made', turn_id: 'turn of one' }))
  await Promise.all(all)
  await settled()
  assert.deepEqual(gateway.bodies(sending), [{ message: 'one' }, { message: 'two', thread_id: 'made' }])
  assert.deepEqual(states('made'), [
    ['one', 'sent'],
    ['two', 'sent'],
  ])
  assert.deepEqual([outgoingTo(undefined), route.value.path], [[], '/threads/made'])
})

test('whoever has gone elsewhere meanwhile stays there', async (t) => {
  open(t)
  const { promise, resolve } = Promise.withResolvers<Answer>()
  gateway.on(sending, () => promise)
  const sent = send({ threadId: undefined, text: 'one', files: [] })
  go('/jobs')
  resolve(ok({ thread_id: 'made', turn_id: 't' }))
  await sent
  assert.equal(address.pathname, '/jobs')
})

test('a closed page leaves what is unsent to the next one, in order; what was refused waits for a word', async (t) => {
  open(t)
  gateway.on(sending, refusal(400, 'invalid_request'))
  await say('refused')
  gateway.on(sending, 'lost')
  await say('one')
  await say('two')
  const before = outgoingTo('a').map(({ key }) => key)
  // The next page reads what the browser kept, whatever the order of its keys.
  const kept = Object.entries(stored()).toReversed()
  for (const [name] of kept) storage.local.removeItem(name)
  for (const [name, text] of kept) storage.local.setItem(name, text)
  restoreOutbox()
  assert.deepEqual(states(), [
    ['refused', 'failed'],
    ['one', 'held'],
    ['two', 'held'],
  ])
  assert.deepEqual(
    outgoingTo('a').map(({ key }) => key),
    before,
  )
  gateway.on(sending, take)
  await sendHeld()
  removeOutgoing(first())
  assert.deepEqual(stored(), {}, 'nothing is left to send')
})

test('a message that was being sent when its page closed is sent by the next one', async (t) => {
  open(t)
  gateway.on(sending, () => new Promise(() => {}))
  void say('cut short', 'cut')
  const [, text = ''] = Object.entries(stored())[0] ?? []
  assert.equal((JSON.parse(text) as Outgoing).state, 'sending')
  restoreOutbox()
  assert.deepEqual(states('cut'), [['cut short', 'held']])
})

test('a second tab touches nothing of the first, and what both send is one message', async (t) => {
  open(t)
  // Written by the first tab after this one was opened.
  const name = `atrium.user ${users}.outbox.key`
  const text = JSON.stringify({ key: 'key', at: 1, threadId: 'a', text: 'of the first', files: [], state: 'held' })
  storage.local.setItem(name, text)
  gateway.on(sending, take)
  await say('of the second', 'b')
  assert.deepEqual(stored(), { [name]: text })
  // A tab that is opened now sends it as well, under the same key.
  restoreOutbox()
  await sendHeld()
  assert.deepEqual([texts(), keys()[1]], [['of the second', 'of the first'], 'key'])
  assert.deepEqual(stored(), {})
})

test('one user never sends what another has left', async (t) => {
  open(t)
  gateway.on(sending, 'lost')
  await say('mine')
  setStorageUser('somebody else')
  restoreOutbox()
  assert.deepEqual(outgoingTo('a'), [])
})

test('what cannot be read is left out', (t) => {
  open(t)
  const at = `atrium.user ${users}.outbox.`
  storage.local.setItem(`${at}broken`, '{')
  storage.local.setItem(`${at}whole`, JSON.stringify({ key: 'whole', at: 1, threadId: 'a', text: 'x', state: 'held' }))
  // The outbox of a user whose name goes on with a dot.
  storage.local.setItem(`${at}outbox.k`, JSON.stringify({ key: 'k', at: 1, threadId: 'a', text: 'y', state: 'held' }))
  restoreOutbox()
  assert.deepEqual(states(), [['x', 'held']])
})

test('without storage messages are sent all the same', async (t) => {
  open(t)
  storage.blocked = true
  gateway.on(sending, 'lost')
  await say('kept in the page')
  restoreOutbox()
  assert.deepEqual(states(), [['kept in the page', 'held']])
})

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
