// A process that runs as many turns as it may: what is refused, what is queued, and when the queue is taken.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AppError } from '#core/errors.ts'
import { ada, queuedTurn, rejectsWith } from '../store/harness.ts'
import { eventsOf, createHeldReply, message, openHouse, restOf, turnOver, until } from './house.ts'

test('a long queue is taken while there is room, though nothing that was taken ends', async (t) => {
  const { script, letGo } = createHeldReply()
  const { turns, store, runner } = openHouse(t, { reply: () => script, limit: 200 })
  await Promise.all(Array.from({ length: 250 }, () => store.turns.start(queuedTurn())))
  runner.wake()
  await until(() => runner.running === 200)
  letGo()
  await until(async () => (await turns.count(ada)).queued === 0)
})

test('beyond its limit what somebody waits for is refused before it is stored, and what queues is taken', async (t) => {
  const { script, told, letGo } = createHeldReply()
  const { turns } = openHouse(t, { limit: 1, reply: () => script })
  const [first, second] = await Promise.allSettled([turns.start(message('one')), turns.start(message('two'))])
  await told
  assert.ok(first.status === 'fulfilled' && second.status === 'rejected', 'of two at once, one')
  const { code, retryAfterSecs } = second.reason as AppError
  assert.deepEqual([code, retryAfterSecs], ['overloaded', 2])
  const threadId = first.value.turn.threadId
  await rejectsWith(turns.start(message('three', { threadId })), 'overloaded')
  assert.equal((await turns.list(ada, { limit: 9 })).rows.length, 1)
  const job = await turns.start(message('job', { door: 'webhook' }))
  assert.equal(job.turn.status, 'queued')
  letGo()
  assert.equal(restOf(await eventsOf(first.value.events)), 'completed')
  assert.equal(restOf(await eventsOf(job.events)), 'completed')
})

test('beyond its limit a request whose turn is stored is replayed, and one with another key is refused', async (t) => {
  const { script, told, letGo } = createHeldReply()
  const { turns } = openHouse(t, { limit: 1, reply: () => script })
  const first = await turns.start(message('one', { idempotency: { key: 'k', bodyHash: 'h' } }))
  await told
  const again = await turns.start(message('one', { idempotency: { key: 'k', bodyHash: 'h' } }))
  again.events.close()
  assert.deepEqual([again.replayed, again.turn.id], [true, first.turn.id])
  await rejectsWith(turns.start(message('one', { idempotency: { key: 'other', bodyHash: 'h' } })), 'overloaded')
  assert.equal(turns.refusal()?.retryAfterSecs, 2)
  letGo()
  assert.equal(restOf(await eventsOf(first.events)), 'completed')
  await until(() => turns.refusal() === undefined)
})

test('beyond its limit a runner queues, and every turn has its turn', async (t) => {
  let running = 0
  let most = 0
  const { turns } = openHouse(t, {
    limit: 3,
    reply: () =>
      async function* () {
        most = Math.max(most, ++running)
        await turnOver(2)
        running--
        yield [{ type: 'text', text: 'ok' }]
      },
  })
  const starts = []
  for (let at = 0; at < 20; at++) starts.push(await turns.start(message(`hi ${at}`, { door: 'webhook' })))
  const ends = await Promise.all(starts.map(({ events }) => eventsOf(events)))
  assert.deepEqual(new Set(ends.map(restOf)), new Set(['completed']))
  assert.ok(most >= 3 && most <= 4, `a start and a claim at once may go one over (${most})`)
})
