// Starting turns through the house: events without a gap, queues, many at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { userId } from '#core/ids.ts'
import { textMessage } from '#core/item.ts'
import { eventOrigin } from '#core/origins.ts'
import { ada, other } from '../store/harness.ts'
import { eventsOf, createHeldReply, message, openHouse, restOf, textsOf, turnOver } from './house.ts'

test('a message is answered; its events tell every delta, what was stored, and the end', async (t) => {
  const { turns, threads, store } = openHouse(t, { reply: () => ['Hel', 'lo', '!'] })
  const { turn, entries, events, replayed } = await turns.start(message('hi'))
  assert.deepEqual([turn.status, replayed, entries.length], ['running', false, 1])
  const told = await eventsOf(events)
  assert.deepEqual(
    told.map((event) => event.type),
    ['delta', 'delta', 'delta', 'entries', 'turn'],
  )
  const text = told.map((event) => (event.type === 'delta' ? event.text : '')).join('')
  assert.deepEqual([text, restOf(told)], ['Hello!', 'completed'])
  assert.deepEqual(await textsOf(store, turn.threadId), ['hi', 'Hello!'])
  assert.equal((await threads.get(ada, turn.threadId))?.title, 'hi')
  assert.deepEqual(
    (await turns.entries(ada, turn)).map(({ seq }) => seq),
    [1, 2],
  )
})

test('a message for a busy thread stays out of the running prompt and is answered after it', async (t) => {
  const { script, told, letGo } = createHeldReply()
  const { turns, asked, store } = openHouse(t, { reply: (text) => (text === 'first' ? script : [`echo ${text}`]) })
  const first = await turns.start(message('first'))
  await told
  const second = await turns.start(message('second', { threadId: first.turn.threadId }))
  const third = await turns.start(message('third', { threadId: first.turn.threadId }))
  assert.equal(second.turn.status, 'queued')
  await turnOver()
  assert.deepEqual(await textsOf(store, first.turn.threadId), ['first'])
  letGo()
  const ends = await Promise.all([first, second, third].map(({ events }) => eventsOf(events)))
  assert.deepEqual(ends.map(restOf), ['completed', 'completed', 'completed'])
  const so = 'So far, and more'
  assert.deepEqual(asked, [['first'], ['first', so, 'second'], ['first', so, 'second', 'echo second', 'third']])
})

test('a queue of messages is worked off to its end, however fast the answers come', async (t) => {
  const { turns, store } = openHouse(t)
  const texts = Array.from({ length: 25 }, (_, at) => `message ${at}`)
  const starts = await Promise.all(texts.map((text) => turns.start(message(text, { threadKey: 'room' }))))
  const ends = await Promise.all(starts.map(({ events }) => eventsOf(events)))
  assert.deepEqual(new Set(ends.map(restOf)), new Set(['completed']))
  assert.deepEqual(
    await textsOf(store, starts[0]?.turn.threadId ?? ''),
    texts.flatMap((text) => [text, `echo ${text}`]),
  )
})

test('five hundred turns run at once', async (t) => {
  const { promise: all, resolve: go } = Promise.withResolvers<void>()
  let running = 0
  const { turns, runner } = openHouse(t, {
    reply: (text) =>
      async function* () {
        if (++running === 500) go()
        await all
        yield [{ type: 'text', text }]
      },
  })
  const starts = await Promise.all(
    Array.from({ length: 500 }, (_, at) => turns.start(message(`hi ${at}`, { user: userId(`user ${at % 7}`) }))),
  )
  const ends = await Promise.all(starts.map(({ events }) => eventsOf(events)))
  assert.deepEqual(new Set(ends.map(restOf)), new Set(['completed']))
  assert.ok(ends.every((events, at) => events.some((event) => event.type === 'delta' && event.text === `hi ${at}`)))
  await turnOver()
  assert.equal(runner.running, 0)
})

test('a model that cannot be opened fails the turn with its code', async (t) => {
  const { turns } = openHouse(t, { model: () => Promise.reject(new AppError('model_key_missing', 'set a key')) })
  const { events, turn } = await turns.start(message('hi'))
  assert.equal(restOf(await eventsOf(events)), 'failed')
  assert.deepEqual((await turns.get(ada, turn.id))?.error, { code: 'model_key_missing', message: 'set a key' })
})

test('the same key gives the turn it made, not another', async (t) => {
  const { script, told, letGo } = createHeldReply()
  const { turns, asked } = openHouse(t, { reply: () => script })
  const keyed = message('hi', { idempotency: { key: 'k', bodyHash: 'h' } })
  const first = await turns.start(keyed)
  await told
  const during = await turns.start(keyed)
  assert.deepEqual([during.replayed, during.turn.id], [true, first.turn.id])
  letGo()
  assert.equal(restOf(await eventsOf(first.events)), 'completed')
  assert.equal(restOf(await eventsOf(during.events)), 'completed')
  const after = await turns.start(keyed)
  after.events.close()
  assert.deepEqual([after.turn.status, asked.length], ['completed', 1])
})

test('a log of an earlier version, with the fence in the text, is read with origins; its receipt still holds', async (t) => {
  const { turns, threads, store, asked } = openHouse(t)
  const old = 'Event push.\n\n<untrusted-content from="code host, push">\nobey\n</untrusted-content>'
  const { turn, events } = await turns.start(message(old))
  await eventsOf(events)
  const { entries } = await threads.entries(ada, turn.threadId, { after: 0, limit: 10 })
  const event = { type: 'text', text: 'obey', origin: eventOrigin }
  assert.deepEqual(entries[0]?.item, {
    ...textMessage('user', ''),
    content: [{ type: 'text', text: 'Event push.\n\n' }, event],
  })
  assert.equal((await turns.receipt(ada, turn.id))?.verified, true)
  const cold = openHouse(t, { store, lease: other })
  const next = await cold.turns.start(message('and now?', { threadId: turn.threadId }))
  await eventsOf(next.events)
  assert.match(
    cold.asked[0]?.[0] ?? '',
    /^Event push\.\n\n<untrusted-content id="\w+" from="an event of a code host">\nobey\n/,
  )
  assert.equal(asked.length, 1)
})
