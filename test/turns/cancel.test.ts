// Cancelling a turn in every state it can be in, and giving one up.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { ada, bob, rejectsWith } from '../store/harness.ts'
import { specOf } from '../agent/tools.ts'
import { eventsOf, createHeldReply, message, openHouse, restOf, textsOf, turnOver, until } from './house.ts'

test('a queued turn is cancelled at once and never runs; the running one is not disturbed', async (t) => {
  const { script, told, letGo } = createHeldReply()
  const { turns, asked } = openHouse(t, { reply: () => script })
  const first = await turns.start(message('first'))
  await told
  const queued = await turns.start(message('second', { threadId: first.turn.threadId }))
  assert.equal((await turns.cancel(ada, queued.turn.id)).status, 'cancelled')
  assert.equal(restOf(await eventsOf(queued.events)), 'cancelled')
  letGo()
  assert.equal(restOf(await eventsOf(first.events)), 'completed')
  await turnOver()
  assert.equal(asked.length, 1)
})

test('a running turn stops, keeps what was said, and frees its thread', async (t) => {
  const { script, told } = createHeldReply()
  const { turns, store } = openHouse(t, { reply: (text) => (text === 'first' ? script : ['ok']) })
  const first = await turns.start(message('first'))
  await told
  const next = await turns.start(message('next', { threadId: first.turn.threadId }))
  const [cancelled, told2] = await Promise.all([turns.cancel(ada, first.turn.id), eventsOf(first.events)])
  assert.deepEqual([cancelled.status, restOf(told2)], ['cancelled', 'cancelled'])
  assert.equal(restOf(await eventsOf(next.events)), 'completed')
  assert.deepEqual(await textsOf(store, first.turn.threadId), ['first', 'So far', 'next', 'ok'])
  assert.equal((await turns.cancel(ada, first.turn.id)).status, 'cancelled', 'again changes nothing')
})

test('a model that does not listen is left behind after a moment, and what it says late is not kept', async (t) => {
  const { promise: free, resolve: letGo } = Promise.withResolvers<void>()
  const { turns, store, runner } = openHouse(t, {
    reply: (text) =>
      text === 'first'
        ? async function* () {
            yield [{ type: 'text', text: 'deaf' }]
            await free
            yield [{ type: 'text', text: ' and late' }]
          }
        : ['ok'],
  })
  const first = await turns.start(message('first'))
  const next = await turns.start(message('next', { threadId: first.turn.threadId }))
  assert.equal((await turns.cancel(ada, first.turn.id)).status, 'cancelled')
  assert.equal(restOf(await eventsOf(first.events)), 'cancelled')
  assert.equal(restOf(await eventsOf(next.events)), 'completed')
  letGo()
  await until(() => runner.running === 0)
  assert.deepEqual(await textsOf(store, first.turn.threadId), ['first', 'next', 'ok'])
})

test('a waiting turn is cancelled, its calls closed, and what is queued behind it runs', async (t) => {
  const { turns, store } = openHouse(t, { reply: (text) => (text === 'first' ? [{ name: 'write' }] : ['ok']) })
  const first = await turns.start(message('first'))
  assert.equal(restOf(await eventsOf(first.events)), 'waiting')
  const next = await turns.start(message('next', { threadId: first.turn.threadId }))
  assert.equal((await turns.cancel(ada, first.turn.id)).status, 'cancelled')
  assert.equal(restOf(await eventsOf(next.events)), 'completed')
  const [, , , result] = await textsOf(store, first.turn.threadId)
  assert.match(result ?? '', /^result: cancelled/)
})

test('a turn that left its caller a call is cancelled, and what is queued behind the gate runs', async (t) => {
  const { turns, threads } = openHouse(t, { reply: (text) => (text === 'first' ? [{ name: 'fn' }] : ['ok']) })
  const first = await turns.start(message('first', { options: { tools: [specOf('fn')] } }))
  assert.equal(restOf(await eventsOf(first.events)), 'completed')
  const { threadId } = first.turn
  assert.ok((await threads.get(ada, threadId))?.openCall)
  await rejectsWith(turns.start(message('x', { threadId, whenBusy: 'refuse' })), 'tool_output_required')
  const next = await turns.start(message('next', { threadId }))
  await turnOver()
  assert.equal((await turns.get(ada, next.turn.id))?.status, 'queued')
  assert.equal((await turns.cancel(ada, first.turn.id)).status, 'cancelled')
  assert.equal(restOf(await eventsOf(next.events)), 'completed')
})

test("another user's turn is not there to be cancelled", async (t) => {
  const { script, told, letGo } = createHeldReply()
  const { turns } = openHouse(t, { reply: () => script })
  const { turn, events } = await turns.start(message('hi'))
  await told
  await rejectsWith(turns.cancel(bob, turn.id), 'not_found')
  letGo()
  assert.equal(restOf(await eventsOf(events)), 'completed')
})

const timeout = new AppError('turn_timeout', 'use stream: true')

test('a turn that is given up fails with the code it was given up for, what was said kept', async (t) => {
  const { script, told } = createHeldReply()
  const { turns, store } = openHouse(t, { reply: () => script })
  const { turn, events } = await turns.start(message('hi'))
  await told
  const given = await turns.abandon(turn, timeout)
  assert.deepEqual([given.status, given.error?.code], ['failed', 'turn_timeout'])
  assert.equal(restOf(await eventsOf(events)), 'failed')
  assert.equal((await turns.get(ada, turn.id))?.error?.code, 'turn_timeout')
  assert.deepEqual(await textsOf(store, turn.threadId), ['hi', 'So far'])
})

test('a waiting turn that is given up tells its watchers all and frees the queue behind it', async (t) => {
  const { turns, store } = openHouse(t, { reply: (text) => (text === 'first' ? [{ name: 'write' }] : ['ok']) })
  const first = await turns.start(message('first'))
  await eventsOf(first.events)
  const next = await turns.start(message('next', { threadId: first.turn.threadId }))
  const watch = turns.watch(ada, first.turn.threadId, 0)
  assert.equal((await turns.abandon(first.turn, timeout)).status, 'failed')
  const stored = await turns.get(ada, first.turn.id)
  assert.deepEqual([stored?.status, stored?.error?.code], ['failed', 'turn_timeout'], 'what was told is what is stored')
  assert.equal(restOf(await eventsOf(next.events)), 'completed')
  const seqs: number[] = []
  for await (const batch of watch) {
    for (const event of batch) if (event.type === 'entries') seqs.push(...event.entries.map(({ seq }) => seq))
    if (batch.some((event) => event.type === 'turn' && event.turn.status === 'completed')) break
  }
  assert.deepEqual(seqs, [1, 2, 3, 4, 5, 6])
  assert.equal((await textsOf(store, first.turn.threadId)).length, 6)
})

test('erasing a thread ends what runs in it', async (t) => {
  const { script, told } = createHeldReply()
  const { turns, threads, runner } = openHouse(t, { reply: () => script })
  const { turn, events } = await turns.start(message('hi'))
  await told
  assert.equal(await threads.remove(bob, turn.threadId), false)
  assert.equal(await threads.remove(ada, turn.threadId), true)
  assert.equal(restOf(await eventsOf(events)), 'cancelled')
  await until(() => runner.running === 0)
  assert.equal(await turns.get(ada, turn.id), undefined)
})
