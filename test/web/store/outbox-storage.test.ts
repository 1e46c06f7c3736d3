// Unsent messages that a closed page leaves in the browser, and who sends them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gateway, refusal, storage, stored } from './page.ts'
import { first, keys, open, say, sending, states, storageKey, take, texts } from './outbox-page.ts'
import { setStorageUser } from '../../../web/store/local-storage.ts'
import { type Outgoing, outgoingTo, removeOutgoing, restoreOutbox, sendHeld } from '../../../web/store/outbox.ts'

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
  const name = storageKey('key')
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
  storage.local.setItem(storageKey('broken'), '{')
  storage.local.setItem(
    storageKey('whole'),
    JSON.stringify({ key: 'whole', at: 1, threadId: 'a', text: 'x', state: 'held' }),
  )
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
