// The open conversation: where messages go, in which order, and what comes of a stream that ends.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { textMessage } from '#core/item.ts'
import { createConversation, maxEntries } from '#doors/terminal/conversation.ts'
import type { OperatorClient, OutgoingMessage, Sent } from '#turns/operator-client.ts'
import type { Watched } from '#turns/watch.ts'
import { turnOver, until } from '../../turns/house.ts'
import { clientOf, entry, threadId, turn } from './fake.ts'

type Send = { readonly message: OutgoingMessage; readonly answer: (sent: Sent | AppError) => void }

/** A conversation whose messages are answered by the test, and whose streams the test gives, one after the other. */
function openConversation(streams: readonly (readonly Watched[])[] = [], own: Partial<OperatorClient> = {}) {
  const sends: Send[] = []
  const watched: { threadId: string; after: number }[] = []
  const faults: unknown[] = []
  const changes: boolean[] = []
  const ended: string[] = []
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
      if (signal.aborted) ended.push(id)
    },
    ...own,
  })
  const conversation = createConversation({
    client,
    now: () => 0,
    opened: () => void opened++,
    changed: ({ lists }) => void changes.push(lists),
    attempt: (work) => void work.catch((error: unknown) => faults.push(error)),
  })
  return { conversation, sends, watched, faults, changes, ended, opened: () => opened }
}

function sentTo(id: string, turnId = 'turn', queued = false): Sent {
  return { threadId: id, turnId, queued }
}

test('messages of a new conversation go into one thread, in their order', async () => {
  const { conversation, sends, watched } = openConversation()
  const all = ['one', 'two', 'three'].map((text) => conversation.send(text))
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
  const all = [conversation.send('one'), conversation.send('two')]
  conversation.open('other')
  all.push(conversation.send('elsewhere'))
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
  const lost = conversation.send('one')
  const next = conversation.send('two')
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

test('a stream that ends is opened again after the last entry, and what was half written goes with the next response', async () => {
  const { conversation, watched, faults } = openConversation([
    [
      { type: 'entries', entries: [entry(1, textMessage('user', 'hello'), 't')] },
      { type: 'delta', turnId: 't', itemId: 'given up', offset: 0, text: 'Half' },
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

test('what was half written stays while the service is away', async (t) => {
  const known = await clientOf({}).thread(threadId)
  let reads = 0
  const { conversation, watched } = openConversation(
    [[{ type: 'delta', turnId: 't', itemId: 'half', offset: 0, text: 'Half' }]],
    {
      thread: () =>
        reads++ === 0 ? Promise.resolve(known) : Promise.reject(new AppError('shutting_down', 'the service went away')),
    },
  )
  t.after(() => conversation.close())
  conversation.open(threadId)
  await until(() => reads === 2)
  await turnOver()
  assert.deepEqual(
    [conversation.blocks.list().map((block) => 'text' in block && block.text), watched.length],
    [['Half'], 1],
  )
})

test('a queued message whose answer comes after its turn is shown once', async () => {
  const { conversation, sends, watched } = openConversation([
    [{ type: 'entries', entries: [entry(1, textMessage('user', 'again'), 'second')] }],
  ])
  conversation.open(threadId)
  const sent = conversation.send('again')
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

test('files go with their message, and are shown with it while it waits', async () => {
  const { conversation, sends } = openConversation()
  conversation.open(threadId)
  const file = { name: 'a.txt', size: 3, part: { type: 'file', name: 'a.txt', text: 'abc' } } as const
  const sent = conversation.send('read this', { files: () => Promise.resolve([file]) })
  await until(() => sends.length === 1)
  assert.deepEqual(sends[0]?.message.files, [file.part])
  sends[0]?.answer(sentTo(threadId, 'queued', true))
  await sent
  const [block] = conversation.blocks.list()
  assert.deepEqual(block?.type === 'you' && block.files.map(({ name }) => name), ['a.txt'])
  conversation.close()
})

test('a thread that is created while another one is opened is left alone; opened later, it goes on there', async () => {
  const { conversation, sends, watched, opened, ended } = openConversation()
  const sent = conversation.send('first words')
  await until(() => sends.length === 1)
  conversation.open('other')
  await until(() => watched.length === 1)
  sends[0]?.answer(sentTo('made'))
  await sent
  await turnOver()
  assert.deepEqual([conversation.threadId, watched.length, opened()], ['other', 1, 1])
  conversation.open('made')
  await until(() => watched.length === 2)
  assert.deepEqual([conversation.threadId, ended], ['made', ['other']], 'only the open thread is followed')
  const next = conversation.send('second words')
  await until(() => sends.length === 2)
  assert.equal(sends[1]?.message.threadId, 'made')
  sends[1]?.answer(sentTo('made'))
  await next
  assert.equal(opened(), 2, 'a thread that has its id is not opened again')
  conversation.close()
  await until(() => ended.length === 2)
})

test('a new conversation is opened empty, without a thread', async () => {
  const { conversation, watched, ended, opened } = openConversation()
  conversation.open(threadId)
  await until(() => watched.length === 1)
  const before = conversation.blocks
  conversation.open(undefined)
  assert.deepEqual([conversation.threadId, opened(), conversation.blocks === before], [undefined, 2, false])
  await until(() => ended.length === 1)
})

test('of a long thread the last entries are read; after a break it goes on where it was', async () => {
  const lastSeq = maxEntries + 50
  const streams: Watched[][] = [[{ type: 'entries', entries: [entry(51, textMessage('user', 'hello'))] }]]
  const known = await clientOf({}).thread(threadId)
  let reads = 0
  const { conversation, watched } = openConversation(streams, {
    // The thread grows meanwhile: what was shown stays the beginning.
    thread: () => Promise.resolve(known && { ...known, lastSeq: lastSeq + 100 * reads++ }),
  })
  conversation.open(threadId)
  await until(() => watched.length === 2)
  assert.deepEqual(
    watched.map(({ after }) => after),
    [50, 51],
  )
  conversation.close()
})

test('a thread that is deleted is told, and not asked for again', async () => {
  const { conversation, watched, faults } = openConversation([], { thread: () => Promise.resolve(undefined) })
  conversation.open(threadId)
  await until(() => faults.length === 1)
  assert.deepEqual([(faults[0] as AppError).code, watched], ['not_found', []])
})

test('the lists are read again for what is more than streamed text', async () => {
  const delta = { type: 'delta', turnId: 't', itemId: 'i', offset: 0, text: 'x' } as const
  const { conversation, changes, watched } = openConversation([
    [delta],
    [delta, { type: 'turn', turn: turn('t', 'completed') }],
  ])
  conversation.open(threadId)
  await until(() => watched.length === 3)
  assert.deepEqual(changes, [false, false, false, true, false])
  conversation.close()
})

test('a turn whose end was missed is looked up; without one nothing is read', async () => {
  const known = await clientOf({}).thread(threadId)
  let reads = 0
  let status: 'running' | 'completed' = 'running'
  const { conversation, watched } = openConversation([], {
    thread() {
      reads++
      return Promise.resolve(known && { ...known, turns: [{ ...turn('t', status), title: '' } as never] })
    },
  })
  await conversation.lookAgain()
  assert.equal(reads, 0, 'there is no thread')
  conversation.open(threadId)
  await until(() => watched.length === 1)
  assert.equal(conversation.blocks.turn()?.id, 't')
  status = 'completed'
  await conversation.lookAgain()
  assert.deepEqual([conversation.blocks.turn(), reads], [undefined, 2])
  await conversation.lookAgain()
  assert.equal(reads, 2, 'nothing runs')
  conversation.close()
})
