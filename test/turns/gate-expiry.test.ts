// Gates that nobody answered.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { expireGates } from '#turns/gate-expiry.ts'
import { ada, dayMs, decide, rejectsWith } from '../store/harness.ts'
import { eventsOf, message, openHouse, restOf } from './house.ts'

const later = (): number => Date.now() + dayMs + 1

test('a gate that has been open for a day is denied, and its turn goes on', async (t) => {
  const { turns, gates, store } = openHouse(t, {
    reply: (_, { items }) => (items.at(-1)?.type === 'result' ? ['so be it'] : [{ name: 'write' }]),
  })
  const { turn, events } = await turns.start(message('hi'))
  assert.equal(restOf(await eventsOf(events)), 'waiting')
  const waiting = await turns.get(ada, turn.id)
  assert.ok(waiting)
  await expireGates({ store, gates, now: Date.now })
  assert.equal((await turns.get(ada, turn.id))?.status, 'waiting', 'not before')
  const follow = turns.follow(ada, waiting)
  await expireGates({ store, gates, now: later })
  for await (const batch of follow)
    if (batch.some((event) => event.type === 'turn' && event.turn.status === 'done')) break
  const result = (await turns.entries(ada, turn)).find(({ item }) => item.type === 'result')?.item
  assert.ok(result?.type === 'result')
  assert.equal(result.output, 'write was not run: its approval expired, nobody answered within 24 hours')
  const answer = (await turns.entries(ada, turn)).find(({ item }) => item.type === 'answer')?.item
  assert.ok(answer?.type === 'answer' && answer.decision === 'deny' && answer.by === 'expiry')
})

test('an answer that came first wins, and any other fault is told', async (t) => {
  const { turns, store } = openHouse(t, { reply: () => [{ name: 'write' }] })
  const { turn, events } = await turns.start(message('hi'))
  await eventsOf(events)
  const failing = (fault: Error) => ({ answer: () => Promise.reject(fault) })
  await expireGates({ store, gates: failing(new AppError('gate_closed', 'answered')), now: later })
  const away = new AppError('database_unavailable', 'away')
  await rejectsWith(expireGates({ store, gates: failing(away), now: later }), 'database_unavailable')
  const bug = new TypeError('a bug')
  await assert.rejects(expireGates({ store, gates: failing(bug), now: later }), bug)
  await store.turns.cancel(ada, turn.id)
  await rejectsWith(store.turns.answer(ada, turn.threadId, decide('none')), 'not_found')
})
