// The open conversation: where messages go, in which order, and what comes of a stream that ends.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { textMessage } from '#core/item.ts'
import { createConversation } from '#doors/terminal/conversation.ts'
import type { OutgoingMessage, Sent } from '#turns/operator-client.ts'
import type { Watched } from '#turns/watch.ts'
import { turnOver, until } from '../../turns/house.ts'
import { clientOf, entry, threadId } from './fake.ts'

type Send = { readonly message: OutgoingMessage; readonly answer: (sent: Sent | AppError) => void }

/** A conversation whose messages are answered by the test, and whose streams the test gives, one after the other. */
function openConversation(streams: readonly (readonly Watched[])[] = []) {
  const sends: Send[] = []
  const watched: { threadId: string; after: number }[] = []
  const faults: unknown[] = []
  let opened = 0
  const client = clientOf({
    send: (message) =>
      new Promise((resolve, reject) => {
        sends.push({ message, answer: (sent) => (sent instanceof AppError ? reject(sent) : resolve(sent)) })
      }),
    async *watch(id, after, signal) {
      const stream = streams[watched.length]
      watched.push({ threadId: id, after })
      if (stream) yield stream
      else await new Promise((resolve) => signal.addEventListener('abort', resolve))
    },
  })
  const conversation = createConversation({
    client,
    now: () => 0,
    opened: () => void opened++,
    changed() {},
    attempt: (work) => void work.catch((error: unknown) => faults.push(error)),
  })
  return { conversation, sends, watched, faults, opened: () => opened }
}

function sentTo(id: string, turnId = 'turn', queued = false): Sent {
  return { threadId: id, turnId, queued }
}

test('messages of a new conversation go into one thread, in their order', async () => {
  const { conversation, sends, watched } = openConversation()
  const all = ['one', 'two', 'three'].map((text) => conversation.send(text, []))
  await turnOver()
  assert.deepEqual(
    sends.map(({ message }) => [message.message, message.threadId]),
    [['one', undefined]],
    'the others wait for the thread',
  )
  sends[0]?.answer(sentTo(threadId))
  await until(() => sends.length === 2)
  sends[1]?.answer(sentTo(threadId, 'second', true))
  await until(() => sends.length === 3)
  sends[2]?.answer(sentTo(threadId, 'third', true))
  await Promise.all(all)
  assert.deepEqual(
    sends.map(({ message }) => [message.door, message.message, message.threadId]),
    [
      ['terminal', 'one', undefined],
      ['terminal', 'two', threadId],
      ['terminal', 'three', threadId],
    ],
  )
  assert.deepEqual(
    conversation.blocks.list().map((block) => block.type === 'you' && [block.text, block.queued]),
    [
      ['two', true],
      ['three', true],
    ],
  )
  assert.deepEqual(watched, [{ threadId, after: 0 }], 'it is followed once')
  conversation.close()
})

test('messages belong to the conversation that was open when they were sent', async () => {
  const { conversation, sends, watched } = openConversation()
  const all = [conversation.send('one', []), conversation.send('two', [])]
  conversation.open('other')
  all.push(conversation.send('elsewhere', []))
  await until(() => sends.length === 2)
  sends[0]?.answer(sentTo('new'))
  sends[1]?.answer(sentTo('other'))
  await until(() => sends.length === 3)
  sends[2]?.answer(sentTo('new', 'second', true))
  await Promise.all(all)
  assert.deepEqual(
    sends.map(({ message }) => [message.message, message.threadId]),
    [
      ['one', undefined],
      ['elsewhere', 'other'],
      ['two', 'new'],
    ],
  )
  assert.equal(conversation.threadId, 'other')
  assert.deepEqual(conversation.blocks.list(), [])
  assert.deepEqual(
    watched.map((each) => each.threadId),
    ['other'],
  )
  conversation.close()
})

test('a message that was not sent is told, and the next one begins the thread', async () => {
  const { conversation, sends, opened } = openConversation()
  const lost = conversation.send('one', [])
  const next = conversation.send('two', [])
  await until(() => sends.length === 1)
  sends[0]?.answer(new AppError('shutting_down', 'the service went away'))
  await assert.rejects(lost, /went away/)
  await until(() => sends.length === 2)
  assert.equal(sends[1]?.message.threadId, undefined)
  sends[1]?.answer(sentTo(threadId))
  await next
  assert.deepEqual([conversation.threadId, opened()], [threadId, 1])
  conversation.close()
})

test('a stream that ends is opened again after the last entry, and what was half written goes', async () => {
  const { conversation, watched, faults } = openConversation([
    [
      { type: 'entries', entries: [entry(1, textMessage('user', 'hello'), 't')] },
      { type: 'delta', turnId: 't', itemId: 'item 2', offset: 0, text: 'Half' },
    ],
    [{ type: 'entries', entries: [entry(2, textMessage('assistant', 'Half and whole'), 't')] }],
  ])
  conversation.open(threadId)
  await until(() => watched.length === 3)
  assert.deepEqual(
    conversation.blocks.list().map((block) => 'text' in block && block.text),
    ['hello', 'Half and whole'],
  )
  assert.deepEqual(watched, [
    { threadId, after: 0 },
    { threadId, after: 1 },
    { threadId, after: 2 },
  ])
  assert.deepEqual(faults, [])
  conversation.close()
})

test('a queued message whose answer comes after its turn is shown once', async () => {
  const { conversation, sends, watched } = openConversation([
    [{ type: 'entries', entries: [entry(1, textMessage('user', 'again'), 'second')] }],
  ])
  conversation.open(threadId)
  const sent = conversation.send('again', [])
  await until(() => sends.length === 1 && watched.length >= 1)
  await turnOver()
  sends[0]?.answer(sentTo(threadId, 'second', true))
  await sent
  assert.deepEqual(
    conversation.blocks.list().map((block) => block.type === 'you' && [block.text, block.queued]),
    [['again', false]],
  )
  conversation.close()
})
