// A mission clock whose time jumps, or that stops and starts again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import type { Mission } from '#core/mission.ts'
import { silentLog } from '#lib/log.ts'
import { createMissionClock } from '#missions/clock.ts'
import { ada } from '../store/harness.ts'
import { createHeldReply, turnOver, until } from '../turns/house.ts'
import { ended, hour, open, outcomes, start } from './clock-house.ts'

test('a clock that jumped far ahead and went back leaves each mission its next instant', async (t) => {
  const house = open(t)
  const [fired, resumed] = [await house.add(), await house.add()]
  await house.missions.change(ada, resumed.id, { status: 'paused' })
  const year = 365 * 24 * hour
  await house.at(start + year + 1)
  await ended(house, fired)
  await house.missions.change(ada, resumed.id, { status: 'active' })
  assert.equal((await house.missions.get(ada, fired.id)).nextAt, start + year + hour)
  await house.at(start + 5)
  const nextOf = async ({ id }: Mission) => (await house.missions.get(ada, id)).nextAt
  await until(async () => (await nextOf(fired)) === start + hour && (await nextOf(resumed)) === start + hour)
  // What was told as missed lies ahead again: it comes, and runs.
  assert.deepEqual(outcomes(await house.runs(fired)), [[365 * 24, 'ok']])
  await house.at(start + hour)
  assert.deepEqual(outcomes(await ended(house, fired)), [
    [1, 'ok'],
    [365 * 24, 'ok'],
  ])
})

test('an instant after the clock went back is late at most, not missed', async (t) => {
  const house = open(t)
  const mission = await house.add({ missed: 'skip' })
  await house.at(start + 12 * hour)
  await ended(house, mission)
  await house.at(start + hour - 60_000)
  await until(async () => (await house.missions.get(ada, mission.id)).nextAt === start + hour)
  await house.at(start + hour + 3)
  const ran = outcomes(await ended(house, mission)).find(([at]) => at === 1)
  assert.deepEqual(ran, [1, 'ok'])
})

test('a mission of a minute in which the clock was set back a little is not missed', async (t) => {
  const house = open(t)
  const { mock: looks } = t.mock.method(house.store.missions, 'nearest')
  house.clock.wake()
  await until(() => looks.callCount() > 0)
  house.setTime(start - 90_000)
  const mission = await house.add({ schedule: 'in 1m', missed: 'skip' })
  await house.at(start - 29_000)
  assert.deepEqual(
    (await ended(house, mission)).map(({ outcome }) => outcome),
    ['ok'],
  )
})

test('of many missions that were planned by a clock that was ahead each gets its next instant again', async (t) => {
  const house = open(t, {}, { idle: true })
  const all: Mission[] = []
  for (let count = 0; count < 42; count++) all.push(await house.add())
  house.setTime(start + 100 * 24 * hour)
  for (const { id } of all) await house.missions.change(ada, id, { schedule: 'every 2h' })
  house.setTime(start)
  const takeBack = house.store.missions.takeBack.bind(house.store.missions)
  const stuck = new Set(all.slice(0, 21).map(({ id }) => id))
  t.mock.method(house.store.missions, 'takeBack', (...given: Parameters<typeof takeBack>) =>
    stuck.has(given[0].id) ? Promise.reject(new AppError('invalid_input', 'no')) : takeBack(...given),
  )
  house.clock.wake()
  for (const { id } of all.slice(21))
    await until(async () => (await house.missions.get(ada, id)).nextAt === start + 2 * hour)
})

test('a clock that was ahead before a restart is noticed by the next start', async (t) => {
  const house = open(t, {}, { idle: true })
  const mission = await house.add({ schedule: 'daily at 9am' })
  const later = start + 100 * 24 * hour
  house.setTime(later)
  const changed = await house.missions.change(ada, mission.id, { schedule: 'daily at 10am' })
  assert.equal(changed.nextAt, later + 2 * hour)
  house.setTime(start)
  house.clock.wake()
  await until(async () => (await house.missions.get(ada, mission.id)).nextAt === start + 2 * hour)
})

test('a schedule that was begun by a clock that was ahead begins anew', async (t) => {
  const house = open(t, {}, { idle: true })
  const mission = await house.add()
  house.setTime(start + 100 * 24 * hour)
  await house.missions.change(ada, mission.id, { schedule: 'every 2h' })
  house.setTime(start)
  house.clock.wake()
  await until(async () => (await house.missions.get(ada, mission.id)).nextAt === start + 2 * hour)
  await house.at(start + 2 * hour)
  await ended(house, mission)
  assert.equal((await house.missions.get(ada, mission.id)).nextAt, start + 4 * hour)
})

test('a clock that is far behind, as that of a machine without one, moves nothing', async (t) => {
  const house = open(t, {}, { idle: true })
  const mission = await house.add({ schedule: 'daily at 9am' })
  house.setTime(0)
  const { mock: looks } = t.mock.method(house.store.missions, 'plannedAhead')
  house.clock.wake()
  await until(() => looks.callCount() > 0)
  await house.clock.close()
  house.setTime(start)
  assert.equal((await house.missions.get(ada, mission.id)).nextAt, start + hour)
})

test('a run that ended unseen, or whose thread was deleted, is recorded by the next start', async (t) => {
  const { script, letGo } = createHeldReply()
  const house = open(t, { reply: () => script }, { idle: true })
  const [one, two] = [await house.add(), await house.add()]
  house.clock.wake()
  await house.at(start + hour)
  const [gone] = await house.runs(two)
  await house.clock.close()
  await house.threads.remove(ada, gone?.threadId ?? '')
  letGo()
  await until(async () => (await house.store.missions.unsettled(9)).length === 2)
  const again = createMissionClock({ store: house.store, turns: house.turns, bus: house.bus, log: silentLog })
  t.after(() => again.close())
  again.wake()
  assert.deepEqual(outcomes(await ended(house, one)), [[1, 'ok']])
  assert.deepEqual(outcomes(await ended(house, two)), [[1, 'failed']])
})

test('a clock that is stopped fires nothing more, and still records the ends of runs', async (t) => {
  const { script, letGo } = createHeldReply()
  const house = open(t, { reply: () => script })
  const [running, due] = [await house.add(), await house.add({ schedule: 'every 2h' })]
  await house.at(start + hour)
  await house.clock.stop()
  letGo()
  assert.deepEqual(outcomes(await ended(house, running)), [[1, 'ok']])
  house.setTime(start + 2 * hour)
  house.clock.wake()
  await house.clock.close()
  assert.deepEqual(await house.runs(due), [])
})

test('a clock that is stopped while it fires leaves what else is due to the next start', async (t) => {
  const house = open(t)
  const [first, second] = [await house.add(), await house.add()]
  const startBy = house.turns.startBy.bind(house.turns)
  t.mock.method(house.turns, 'startBy', (...given: Parameters<typeof startBy>) => {
    void house.clock.stop()
    return startBy(...given)
  })
  house.setTime(start + hour)
  house.clock.wake()
  await until(async () => (await house.runs(first)).length + (await house.runs(second)).length > 0)
  await house.clock.close()
  assert.equal((await house.runs(first)).length + (await house.runs(second)).length, 1)
})

test('while the database is away it is asked about one mission, not about each that is due', async (t) => {
  const house = open(t, {}, { idle: true })
  await house.add()
  await house.add()
  const away = () => Promise.reject(new AppError('database_unavailable', 'away'))
  const { mock: starts } = t.mock.method(house.turns, 'startBy', away)
  const faults: string[] = []
  const log = { ...silentLog, error: (_: object, words: string) => void faults.push(words) }
  const clock = createMissionClock({ store: house.store, turns: house.turns, bus: house.bus, log })
  t.after(() => clock.close())
  house.setTime(start + hour)
  clock.wake()
  await until(() => faults.length > 0)
  assert.equal(starts.callCount(), 1)
  clock.wake()
  await until(() => starts.callCount() === 2)
  await clock.stop()
  assert.deepEqual(faults, ['could not look after missions; trying again'], 'which is told once')
})

test('a clock that is closed waits until the end of a run is recorded', async (t) => {
  const house = open(t)
  const mission = await house.add()
  const settle = house.store.missions.settle.bind(house.store.missions)
  const recorded = Promise.withResolvers<void>()
  const { mock: ends } = t.mock.method(house.store.missions, 'settle', async (...given: Parameters<typeof settle>) => {
    await recorded.promise
    return settle(...given)
  })
  await house.at(start + hour)
  await until(() => ends.callCount() === 1)
  const closed = house.clock.close().then(() => house.runs(mission))
  await turnOver()
  recorded.resolve()
  assert.deepEqual(outcomes(await closed), [[1, 'ok']])
})
