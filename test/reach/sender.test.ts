// What is sent, when, and by which process.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../turns/house.ts'
import type { Outcome } from '#reach/way.ts'
import { addMission } from '../store/daily-mission.ts'
import { ada, bob } from '../store/harness.ts'
import { topic } from '../store/ntfy-topic.ts'
import { openReachHouse } from './reach-house.ts'

const hour = 3_600_000

test('news goes out by each way that takes it, once', async (t) => {
  const house = openReachHouse(t)
  const one = await house.addWay()
  const two = await house.addWay({ target: 'https://two.test/x', kind: 'push', events: ['failed'] })
  await house.put('a')
  await house.put('b', 'failed')
  await house.pass(0)
  const told = house.sent.map(({ way, message }) => `${way.id} ${message.type === 'news' && message.news.event}`)
  assert.deepEqual(new Set(told), new Set([`${one.id} finished`, `${one.id} failed`, `${two.id} failed`]))
  assert.equal(told.length, 3)
  assert.deepEqual(await house.states(), ['sent 1', 'sent 1', 'sent 1'])
})

test('five that are due come one by one, more than five as one summary', async (t) => {
  const house = openReachHouse(t, { idle: true })
  await house.addWay()
  for (let each = 0; each < 5; each++) await house.put(`a${each}`)
  house.sender.start()
  await house.pass(0)
  assert.deepEqual(
    house.sent.map(({ message }) => message.type),
    Array(5).fill('news'),
  )
  house.outcomes.push({ type: 'later', why: 'busy' })
  await house.put('b0', 'failed')
  await until(() => house.sent.length === 6)
  await house.pass(0)
  for (let each = 1; each < 6; each++) await house.put(`b${each}`)
  await house.pass(0)
  await house.pass(1_001)
  assert.deepEqual(house.sent.at(-1)?.message, { type: 'summary', counts: { failed: 1, finished: 5 } })
  assert.equal(house.sent.length, 7)
  assert.deepEqual((await house.states()).slice(5), ['sent 2', ...Array(5).fill('sent 1')])
})

test('many that are due on several ways are one message on each', async (t) => {
  const house = openReachHouse(t, { idle: true })
  const topics = Array.from({ length: 4 }, (_, at) => `https://ntfy.sh/t${at}`)
  for (const target of topics) await house.addWay({ target })
  for (let at = 0; at < 130; at++) await house.store.notifications.enqueue(ada, { event: 'finished', subject: `${at}` })
  house.sender.start()
  await house.pass(0)
  const summary = { type: 'summary', counts: { finished: 130 } }
  assert.deepEqual(
    new Map(house.sent.map(({ way, message }) => [way.target, message])),
    new Map(topics.map((target) => [target, summary])),
  )
  assert.equal(house.sent.length, topics.length)
})

test('thousands that are due hold up no other work, and nobody waits for them at shutdown', async (t) => {
  const house = openReachHouse(t, { idle: true })
  const { notifications, missions } = house.store
  await house.addWay()
  const { id: missionId } = await addMission(house.store)
  for (let at = 0; at < 3_000; at++)
    await notifications.enqueue(ada, { event: 'finished', subject: `${at}`, missionId })
  const { mock: reads } = t.mock.method(missions, 'get')
  const { mock: claims } = t.mock.method(notifications, 'claim')
  house.sender.start()
  await until(() => reads.callCount() > 0)
  assert.ok(reads.callCount() < 3_000, `${reads.callCount()} of them were read at once`)
  await house.sender.close()
  assert.ok(reads.callCount() < 3_000)
  assert.equal(claims.callCount(), 0)
})

test('what falls into quiet hours is held and comes behind them as one', async (t) => {
  const house = openReachHouse(t)
  await house.addWay()
  const { notifications } = house.store
  await notifications.setQuiet(ada, { from: '11:00', to: '13:00', zone: 'UTC' })
  await house.put('a')
  await house.put('b', 'failed')
  await house.pass(0)
  await house.pass(hour - 1)
  assert.deepEqual([house.sent.length, await house.states()], [0, ['due 0', 'due 0']])
  await house.pass(1)
  assert.deepEqual(
    house.sent.map(({ message }) => message),
    [{ type: 'summary', counts: { finished: 1, failed: 1 } }],
  )
  await house.put('c')
  await house.pass(0)
  assert.equal(house.sent.at(-1)?.message.type, 'news')
})

test('one that was held comes as it is, and at once when quiet hours are switched off', async (t) => {
  const house = openReachHouse(t)
  await house.addWay()
  await house.store.notifications.setQuiet(ada, { from: '11:00', to: '13:00', zone: 'UTC' })
  await house.put('a')
  await house.pass(0)
  assert.equal(house.sent.length, 0)
  await house.store.notifications.setQuiet(ada, undefined)
  await house.pass(0)
  assert.deepEqual(
    house.sent.map(({ message }) => message.type),
    ['news'],
  )
})

test('news that is older than a day is not sent', async (t) => {
  const house = openReachHouse(t, { idle: true })
  await house.addWay()
  await house.put('a')
  house.clock.now += 24 * hour + 1
  house.sender.start()
  await house.pass(0)
  assert.deepEqual([house.sent.length, await house.states()], [0, ['failed 0']])
})

test('a slow way does not hold up another', async (t) => {
  const house = openReachHouse(t)
  const slow = await house.addWay({ events: ['failed'] })
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  house.outcomes.push(async () => {
    await held
    return { type: 'sent' }
  })
  await house.put('a', 'failed')
  await until(() => house.sent.length === 1)
  await house.addWay({ target: 'https://two.test/x', events: ['finished'] })
  await house.put('b')
  await house.put('c', 'failed')
  await until(async () => (await house.states())[1] === 'sent 1')
  assert.equal(house.sent.filter(({ way }) => way.id === slow.id).length, 1, 'one after the other on a way')
  letGo()
  await house.pass(0)
  assert.deepEqual(await house.states(), ['sent 1', 'sent 1', 'sent 1'])
})

test('slow servers of one user hold up nobody else, however much is due on them', async (t) => {
  const house = openReachHouse(t, { idle: true })
  const slow = Promise.withResolvers<Outcome>()
  for (let each = 0; each < 18; each++) {
    await house.addWay({ target: `https://slow.test/${each}` })
    house.outcomes.push(() => slow.promise)
  }
  for (let each = 0; each < 30; each++)
    await house.store.notifications.enqueue(ada, { event: 'failed', subject: `${each}` })
  const { notifications } = house.store
  house.clock.now += 1
  const other = await notifications.addWay(bob, topic, 9)
  await notifications.enqueue(bob, { event: 'failed', subject: 'x' })
  house.sender.start()
  await until(() => house.sent.length === 5)
  assert.equal(house.sent.filter(({ way }) => way.id === other.id).length, 1)
  slow.resolve({ type: 'sent' })
  house.outcomes.length = 0
  await until(async () => {
    await house.pass(5_001)
    return new Set(house.sent.map(({ way }) => way.id)).size === 19
  })
})

test('one slow server hides nobody, even with more due on it than is read at a time', async (t) => {
  const house = openReachHouse(t, { idle: true })
  await house.addWay()
  const slow = Promise.withResolvers<Outcome>()
  house.outcomes.push(() => slow.promise)
  const { notifications } = house.store
  const many = Array.from({ length: 1_100 }, (_, each) => each)
  await Promise.all(many.map((each) => notifications.enqueue(ada, { event: 'failed', subject: `${each}` })))
  house.clock.now += 1
  const other = await notifications.addWay(bob, topic, 9)
  await notifications.enqueue(bob, { event: 'failed', subject: 'x' })
  house.sender.start()
  await until(() => house.sent.length === 2)
  assert.equal(house.sent.filter(({ way }) => way.id === other.id).length, 1)
  slow.resolve({ type: 'sent' })
})

test('a sender that closes sends nothing more, and leaves its duty to another process', async (t) => {
  const house = openReachHouse(t, { idle: true })
  await house.addWay()
  const { promise: held, resolve: letGo } = Promise.withResolvers<Outcome>()
  house.outcomes.push(() => held)
  await house.put('a')
  await house.put('b')
  house.sender.start()
  await until(() => house.sent.length === 1)
  const { mock: duties } = t.mock.method(house.store.leases, 'leaveDuty')
  const closed = house.sender.close()
  letGo({ type: 'sent' })
  await closed
  assert.deepEqual([house.sent.length, await house.states()], [1, ['sent 1', 'due 0']])
  assert.deepEqual(duties.calls[0]?.arguments, ['notifications', 'here'])
})

test('a process that loses the duty while it catches up sends nothing', async (t) => {
  const house = openReachHouse(t, { idle: true })
  await house.addWay()
  await house.put('a')
  const duties = [true, false]
  t.mock.method(house.store.leases, 'takeDuty', () => Promise.resolve(duties.shift() ?? false))
  const { mock: ends } = t.mock.method(house.store.notifications, 'nextDue')
  house.sender.start()
  await until(() => ends.callCount() > 0)
  await house.sender.close()
  assert.deepEqual([house.sent.length, await house.states(), duties], [0, ['due 0'], []])
})

test('it catches up every ten minutes, and forgets what was settled thirty days ago', async (t) => {
  const house = openReachHouse(t, { idle: true })
  const { notifications, turns } = house.store
  const { mock: looks } = t.mock.method(turns, 'endedAsNews')
  const { mock: prunes } = t.mock.method(notifications, 'prune')
  await house.addWay()
  await house.put('a')
  house.sender.start()
  await house.pass(0)
  const counts = () => [looks.callCount(), prunes.callCount()]
  assert.deepEqual(counts(), [1, 1], 'a process may not live for an hour')
  await house.put('b')
  await house.pass(600_000)
  assert.deepEqual(counts(), [1, 1])
  await house.put('c')
  await house.pass(1)
  assert.deepEqual(counts(), [2, 1])
  await house.put('d')
  await house.pass(hour - 600_001)
  assert.equal(prunes.callCount(), 1)
  await house.put('e')
  await house.pass(1)
  assert.deepEqual(prunes.calls.at(-1)?.arguments, [house.clock.now - 30 * 24 * hour])
  assert.deepEqual((await house.states()).length, 5)
  await house.pass(30 * 24 * hour + 1)
  await until(async () => (await house.states()).length === 0)
})
