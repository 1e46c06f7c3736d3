// Gates that nobody answered.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { type Clock, createClock } from '#lib/clock.ts'
import { silentLog } from '#lib/log.ts'
import { expireGates, watchExpiry } from '#turns/gate-expiry.ts'
import { createGates } from '#turns/gates.ts'
import { openTestStore } from '../agent/bench.ts'
import { fake } from '../fake.ts'
import { ada, dayMs, decide, minuteMs, rejectsWith } from '../store/harness.ts'
import { eventsOf, message, openHouse, restOf, textsOf, turnOver } from './house.ts'

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
    if (batch.some((event) => event.type === 'turn' && event.turn.status === 'completed')) break
  const result = (await turns.entries(ada, turn)).find(({ item }) => item.type === 'result')?.item
  assert.ok(result?.type === 'result')
  assert.equal(result.output, 'write was not run: its approval expired, nobody answered within 24 hours')
  const answer = (await turns.entries(ada, turn)).find(({ item }) => item.type === 'answer')?.item
  assert.ok(answer?.type === 'answer' && answer.decision === 'deny' && answer.by === 'expiry')
})

test('a gate is denied when it expires, not by a look now and then, and from that moment it is in no list', async (t) => {
  const start = 1_800_000_000_000
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: start })
  const now = Date.now
  const store = openTestStore(t)
  const { turns, gates } = openHouse(t, { store, reply: () => [{ name: 'write' }] })
  const { turn, events } = await turns.start(message('hi'))
  await eventsOf(events)
  const looks: number[] = []
  const counting: typeof store.turns = {
    ...store.turns,
    waitingSince(...args) {
      looks.push(now() - start)
      return store.turns.waitingSince(...args)
    },
  }
  const answers: number[] = []
  const answering = {
    answer: (...args: Parameters<typeof gates.answer>) => {
      answers.push(now() - start)
      return gates.answer(...args)
    },
  }
  const clock = createClock({ log: silentLog, now })
  watchExpiry({ store: { ...store, turns: counting }, gates: answering, clock, elapsed: now })
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= minuteMs) {
      t.mock.timers.tick(Math.min(left, minuteMs))
      await turnOver(3)
    }
  }
  await pass(999)
  assert.deepEqual(looks, [], 'a short command ends before the first look')
  await pass(dayMs - 999)
  assert.deepEqual([looks.length, answers.length, (await gates.list(ada)).length], [1, 0, 1])
  t.mock.timers.tick(1)
  assert.deepEqual([(await gates.list(ada)).length, await gates.ofTurn({ ...turn, status: 'waiting' })], [0, undefined])
  await turnOver(20)
  assert.deepEqual([looks.length, answers], [2, [dayMs + 1]])
  await clock.close()
})

test('a clock that is set forward by a day denies no gate for an hour, and none if it is set back meanwhile', async (t) => {
  const { turns, gates, store } = openHouse(t, { reply: () => [{ name: 'write' }] })
  const waiting = async (): Promise<boolean> => (await turns.get(ada, turn.id))?.status === 'waiting'
  const { turn, events } = await turns.start(message('hi'))
  await eventsOf(events)
  const jobs: { at: number; job: () => unknown }[] = []
  let elapsed = 0
  let ahead = 0
  const now = (): number => Date.now() + elapsed + ahead
  const at: Clock['at'] = (time, _, job) => {
    jobs.push({ at: time, job })
    return { stop: () => Promise.resolve() }
  }
  watchExpiry({ store, gates, clock: fake<Clock>({ now, at }), elapsed: () => elapsed })
  const look = async (): Promise<void> => void (await jobs.shift()?.job())
  await look()
  for (const isSetBack of [true, false]) {
    ahead += 2 * dayMs
    await look()
    assert.equal(await waiting(), true)
    assert.equal(Math.round(((jobs[0]?.at ?? 0) - now()) / minuteMs), 60)
    if (isSetBack) ahead = 0
    elapsed += 60 * minuteMs
    await look()
    assert.equal(await waiting(), isSetBack)
  }
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

test('a gate that has expired cannot be allowed in the moment until it is denied', async (t) => {
  const { turns, gates, store, bus } = openHouse(t, { reply: () => [{ name: 'write' }] })
  const { turn, events } = await turns.start(message('hi'))
  await eventsOf(events)
  const [open] = await gates.list(ada)
  assert.ok(open)
  const allow = { callId: open.gate.callId, decision: 'allow', by: 'ada' } as const
  const late = createGates({ store, bus, now: later })
  await rejectsWith(late.answer(ada, turn.threadId, allow), 'gate_closed')
  assert.equal((await turns.get(ada, turn.id))?.status, 'waiting')
  await gates.answer(ada, turn.threadId, allow)
})

test('gates that nobody answered are denied after a day, all of them, and each call has one result', async (t) => {
  const clock = { now: Date.now() }
  const { turns, gates, store } = openHouse(t, {
    reply: (_, { items }) =>
      items.some(({ type }) => type === 'result') ? ['done'] : [1, 2, 3].map((at) => ({ name: 'write', args: { at } })),
  })
  const { turn, events } = await turns.start(message('go'))
  await eventsOf(events)
  const watch = turns.watch(ada, turn.threadId, 0)
  await expireGates({ store, gates, now: () => clock.now + dayMs - 1_000 })
  assert.equal((await turns.get(ada, turn.id))?.status, 'waiting')
  await expireGates({ store, gates, now: () => clock.now + dayMs + 60_000 })
  for await (const batch of watch)
    if (batch.some((event) => event.type === 'turn' && event.turn.status === 'completed')) break
  const texts = await textsOf(store, turn.threadId)
  assert.equal(texts.filter((text) => text.startsWith('result: write was not run: its approval expired')).length, 3)
  assert.equal(texts.at(-1), 'done')
})
