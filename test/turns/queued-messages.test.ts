// Queued messages: changed, removed, and stopped with the turn before them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ada, rejectsWith } from '../store/harness.ts'
import { createHeldReply, eventsOf, message, openHouse, restOf, textsOf, turnOver } from './house.ts'

test('the model gets a queued message as it was changed, with its files', async (t) => {
  const { script, told, letGo } = createHeldReply()
  const { turns, store } = openHouse(t, { reply: (text) => (text === 'first' ? script : ['ok']) })
  const first = await turns.start(message('first'))
  await told
  const { threadId } = first.turn
  const second = await turns.start({
    ...message('second', { threadId }),
    input: [
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'text', text: 'second' },
          { type: 'file', name: 'a.txt', text: 'kept' },
        ],
      },
    ],
  })
  const changed = await turns.editQueued(ada, second.turn.id, 'third')
  assert.deepEqual([changed.id, changed.status], [second.turn.id, 'queued'])
  letGo()
  assert.equal(restOf(await eventsOf(first.events)), 'completed')
  assert.equal(restOf(await eventsOf(second.events)), 'completed')
  const { entries } = await store.threads.entries(ada, threadId, { after: 0, limit: 10 })
  assert.deepEqual(entries[2]?.item, {
    type: 'message',
    role: 'user',
    content: [
      { type: 'text', text: 'third' },
      { type: 'file', name: 'a.txt', text: 'kept' },
    ],
  })
  await rejectsWith(turns.editQueued(ada, second.turn.id, 'late'), 'turn_started')
})

test('an empty text is refused, and so is the message of a program', async (t) => {
  const { script, told } = createHeldReply()
  const { turns } = openHouse(t, { reply: () => script })
  const { turn, events } = await turns.start(message('first'))
  await told
  const own = await turns.start(message('second', { threadId: turn.threadId }))
  const program = await turns.start(message('third', { threadId: turn.threadId, door: 'mission' }))
  await rejectsWith(turns.editQueued(ada, own.turn.id, ' '), 'invalid_input')
  await rejectsWith(turns.editQueued(ada, program.turn.id, 'x'), 'invalid_input')
  for (const start of [own, program]) start.events.close()
  await turns.stopAll(ada, turn.threadId)
  await eventsOf(events)
})

test('a removed message is never answered; those behind it are', async (t) => {
  const { script, told, letGo } = createHeldReply()
  const { turns, store } = openHouse(t, { reply: (text) => (text === 'first' ? script : ['ok']) })
  const first = await turns.start(message('first'))
  await told
  const { threadId } = first.turn
  const second = await turns.start(message('second', { threadId }))
  const third = await turns.start(message('third', { threadId }))
  await turns.removeQueued(ada, second.turn.id)
  assert.equal(restOf(await eventsOf(second.events)), 'cancelled')
  letGo()
  assert.equal(restOf(await eventsOf(third.events)), 'completed')
  assert.deepEqual(await textsOf(store, threadId), ['first', 'So far, and more', 'third', 'ok'])
  first.events.close()
})

test('the watchers of a thread are told of a message that is queued in it', async (t) => {
  const { script, told, letGo } = createHeldReply()
  const { turns } = openHouse(t, { reply: (text) => (text === 'first' ? script : ['ok']) })
  const first = await turns.start(message('first'))
  await told
  const watch = turns.watch(ada, first.turn.threadId, 0)
  const second = await turns.start(message('second', { threadId: first.turn.threadId }))
  letGo()
  const statuses: string[] = []
  for await (const events of watch) {
    statuses.push(
      ...events.flatMap((event) =>
        event.type === 'turn' && event.turn.id === second.turn.id ? event.turn.status : [],
      ),
    )
    if (statuses.length > 0) break
  }
  assert.equal(statuses[0], 'queued')
  assert.equal(restOf(await eventsOf(second.events)), 'completed')
  first.events.close()
})

test('stopping all stops the turn that runs, and nothing of the queue begins', async (t) => {
  const { script, told } = createHeldReply()
  const { turns, store, asked } = openHouse(t, { reply: () => script })
  const first = await turns.start(message('first'))
  await told
  const { threadId } = first.turn
  const behind = [await turns.start(message('second', { threadId })), await turns.start(message('third', { threadId }))]
  const [{ removed, stopped }, end] = await Promise.all([turns.stopAll(ada, threadId), eventsOf(first.events)])
  assert.deepEqual(
    removed.map(({ id }) => id).toSorted(),
    behind.map(({ turn }) => turn.id),
  )
  assert.deepEqual([stopped?.id, stopped?.status, restOf(end)], [first.turn.id, 'cancelled', 'cancelled'])
  for (const { events } of behind) assert.equal(restOf(await eventsOf(events)), 'cancelled')
  await turnOver()
  assert.equal(asked.length, 1)
  assert.deepEqual(await textsOf(store, threadId), ['first', 'So far'])
  assert.deepEqual(await turns.stopAll(ada, threadId), { removed: [] }, 'again there is nothing to stop')
})
