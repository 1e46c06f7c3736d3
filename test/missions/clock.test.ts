// Missions by the clock: runs at their instants, and what comes of them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import type { Mission } from '#core/mission.ts'
import { silentLog } from '#lib/log.ts'
import { ada, rejectsWith } from '../store/harness.ts'
import { createHeldReply, turnOver, until } from '../turns/house.ts'
import { ended, hour, open, outcomes, start } from './clock-house.ts'

test('a mission runs at its instants, each in a thread of its own, and tells what came of it', async (t) => {
  const house = open(t)
  const mission = await house.add({ title: 'Status' })
  await house.at(start + hour - 1)
  assert.deepEqual(await house.runs(mission), [])
  await house.at(start + hour)
  const [first] = await ended(house, mission)
  assert.match(first?.summary ?? '', /^echo Look\n\nThis is a run of your mission/)
  await house.at(start + 2 * hour + 5)
  const runs = await ended(house, mission)
  assert.deepEqual(outcomes(runs), [
    [2, 'ok'],
    [1, 'ok'],
  ])
  assert.notEqual(runs[0]?.threadId, runs[1]?.threadId)
  const { turnId: id = '', threadId = '' } = first ?? {}
  assert.deepEqual(house.settled[0], {
    mission: house.settled[0]?.mission,
    paused: false,
    outcome: 'ok',
    turn: { id, threadId },
  })
  const thread = await house.threads.get(ada, runs[1]?.threadId ?? '')
  assert.deepEqual([thread?.title, thread?.door], ['Status, Mon 16 Nov 2026 09:00', 'mission'])
  const opening = await house.turns.opening(ada, id)
  assert.equal(opening, 'Look', 'people see and find the prompt of the mission alone')
  assert.match(house.asked[1]?.at(-1) ?? '', /The last run, .* ended as ok\. Its outcome:\n<last-run>\necho Look/)
  assert.equal(house.settled.length, 2)
})

test('a run with nothing to report is quiet', async (t) => {
  const house = open(t, { reply: () => ['Nothing to report.\n'] })
  const mission = await house.add()
  await house.at(start + hour)
  assert.deepEqual(outcomes(await ended(house, mission)), [[1, 'quiet']])
})

test('a mission of one instant is done after it', async (t) => {
  const house = open(t)
  const mission = await house.add({ schedule: 'in 30m' })
  await house.at(start + hour / 2)
  await ended(house, mission)
  const { status, nextRuns, lastRun, understood } = await house.missions.get(ada, mission.id)
  assert.deepEqual([status, nextRuns, lastRun?.outcome], ['done', [], 'ok'])
  assert.match(understood, /^Once, on Mon 16 Nov 2026 08:30, UTC\. No further run\.$/)
  await rejectsWith(house.missions.change(ada, mission.id, { status: 'active' }), 'invalid_input')
  const again = await house.missions.change(ada, mission.id, { schedule: 'in 30 minutes' })
  assert.deepEqual([again.status, again.nextAt], ['active', start + hour])
})

test('after a night the latest instant is made up for, and the others are told as missed', async (t) => {
  const house = open(t, {}, { idle: true })
  const [once, skip] = [await house.add(), await house.add({ missed: 'skip' })]
  house.clock.wake()
  await house.at(start + 8 * hour + 90_000)
  const missed = [7, 6, 5, 4, 3, 2, 1].map((at) => [at, 'missed'])
  assert.deepEqual(outcomes(await ended(house, once)), [[8, 'ok'], ...missed])
  assert.deepEqual(outcomes(await ended(house, skip)), [[8, 'missed'], ...missed])
})

test('with skip an instant of the last seconds before a start is missed too, and one just after a sleep is only late', async (t) => {
  const house = open(t, {}, { idle: true })
  const mission = await house.add({ missed: 'skip' })
  house.setTime(start + hour + 5_000)
  house.clock.wake()
  await until(async () => (await house.runs(mission)).length === 1)
  await house.at(start + 2 * hour + 5_000)
  assert.deepEqual(outcomes(await ended(house, mission)), [
    [2, 'ok'],
    [1, 'missed'],
  ])
})

test('what passed while the machine slept is missed; what waited for its turn is only late', async (t) => {
  const { script, letGo } = createHeldReply()
  const house = open(t, { reply: () => script }, { maxRunning: 1 })
  const [first, second] = [await house.add({ missed: 'skip' }), await house.add({ missed: 'skip' })]
  const { mock: nearest } = t.mock.method(house.store.missions, 'nearest')
  const look = async (time: number): Promise<void> => {
    house.setTime(time)
    const before = nearest.callCount()
    house.clock.wake()
    await until(() => nearest.callCount() > before)
  }
  for (const minutes of [0, 1.5, 3, 4.5]) await look(start + hour + minutes * 60_000)
  letGo()
  await until(async () => (await house.runs(first)).length + (await house.runs(second)).length === 2)
  for (const each of [first, second]) assert.deepEqual(outcomes(await ended(house, each)), [[1, 'ok']])
  await house.at(start + 2 * hour + 61_000)
  for (const each of [first, second]) assert.deepEqual(outcomes(await ended(house, each))[0], [2, 'missed'])
})

test('the clock looks by itself when the next instant comes', async (t) => {
  const house = open(t)
  const mission = await house.add()
  house.setTime(start + hour - 20)
  house.clock.wake()
  await turnOver()
  house.setTime(start + hour)
  await until(async () => (await house.runs(mission)).length === 1)
})

test('a run whose user has no room left fails, and its owner is told', async (t) => {
  const house = open(t)
  const mission = await house.add()
  const full = () => Promise.reject(new AppError('storage_full', 'there is no room left'))
  t.mock.method(house.turns, 'startBy', full)
  const { mock: changes } = t.mock.method(house.bus, 'publishChange')
  for (const each of [1, 2, 3]) await house.at(start + each * hour)
  const runs = await house.runs(mission)
  assert.deepEqual(outcomes(runs), [
    [3, 'failed'],
    [2, 'failed'],
    [1, 'failed'],
  ])
  assert.equal(runs[0]?.summary, 'there is no room left')
  assert.deepEqual(
    house.settled.map(({ paused, outcome, at }) => ({ paused, outcome, at })),
    [1, 2, 3].map((each) => ({ paused: each === 3, outcome: 'failed', at: start + each * hour })),
  )
  assert.equal((await house.missions.get(ada, mission.id)).status, 'paused')
  assert.deepEqual(house.news, [ada, ada, ada])
  assert.deepEqual(
    changes.calls.map(({ arguments: [owner] }) => owner),
    [{ userId: ada }, { userId: ada }, { userId: ada }],
    'whoever looks at the list of missions sees each',
  )
})

test('a run that cannot begin for another reason is tried again, and has not failed', async (t) => {
  const house = open(t)
  const mission = await house.add()
  const busy = () => Promise.reject(new AppError('overloaded', 'too much to do'))
  const { mock: starts } = t.mock.method(house.turns, 'startBy', busy, { times: 1 })
  house.setTime(start + hour)
  house.clock.wake()
  await until(() => starts.callCount() === 1)
  await house.at(start + hour)
  assert.deepEqual(outcomes(await ended(house, mission)), [[1, 'ok']])
})

test('an end that could not be recorded is recorded at the next look', async (t) => {
  const house = open(t)
  const mission = await house.add()
  t.mock.method(house.store.missions, 'settle', () => Promise.reject(new Error('away')), { times: 1 })
  await house.at(start + hour)
  assert.deepEqual(outcomes(await ended(house, mission)), [[1, 'ok']])
  assert.equal(house.settled.length, 1)
})

test('an end that could not be recorded while others were looked for is recorded at the next look', async (t) => {
  const house = open(t, {}, { idle: true })
  const { missions } = house.store
  const mission = await house.add()
  const unsettled = missions.unsettled.bind(missions)
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const { mock: looks } = t.mock.method(missions, 'unsettled', async (limit: number) => {
    const found = await unsettled(limit)
    await held
    return found
  })
  house.clock.wake()
  await until(() => looks.callCount() === 1)
  const { mock: settles } = t.mock.method(missions, 'settle', () => Promise.reject(new Error('away')), { times: 1 })
  await house.missions.run(ada, mission.id)
  await until(() => settles.callCount() === 1)
  await turnOver()
  release()
  await ended(house, mission)
})

test('runs whose ends cannot be recorded hold up no other run, however many they are', async (t) => {
  const house = open(t, { reply: (text) => [text.startsWith('Bad') ? 'bad' : 'good'] })
  const settle = house.store.missions.settle.bind(house.store.missions)
  const stuck = { is: true }
  t.mock.method(house.store.missions, 'settle', (...given: Parameters<typeof settle>) =>
    stuck.is && given[0].summary === 'bad' ? Promise.reject(new AppError('invalid_input', 'no')) : settle(...given),
  )
  const bad: Mission[] = []
  for (let count = 0; count < 21; count++) bad.push(await house.add({ prompt: 'Bad', schedule: 'in 1h' }))
  const good = await house.add({ schedule: 'in 2h' })
  await house.at(start + hour)
  await until(async () => (await house.store.missions.unsettled(50)).length === 21)
  await house.at(start + 2 * hour)
  assert.deepEqual(outcomes(await ended(house, good)), [[2, 'ok']])
  stuck.is = false
  house.clock.wake()
  for (const each of bad) assert.deepEqual(outcomes(await ended(house, each)), [[1, 'ok']])
})

test('missions that cannot be fired hold up no other mission, however many they are', async (t) => {
  const house = open(t)
  const startBy = house.turns.startBy.bind(house.turns)
  t.mock.method(house.turns, 'startBy', (...given: Parameters<typeof startBy>) =>
    given[0].title?.startsWith('Bad') ? Promise.reject(new Error('a bug')) : startBy(...given),
  )
  for (let count = 0; count < 21; count++) await house.add({ title: 'Bad', schedule: 'in 1h' })
  const good = await house.add({ schedule: 'in 61m' })
  house.setTime(start + hour + 60_000)
  house.clock.wake()
  await until(async () => (await house.runs(good)).length === 1)
  assert.deepEqual(outcomes(await ended(house, good)).length, 1)
})

test('looks that fail one after another are told once, and again after one that did not fail', async (t) => {
  const told: unknown[] = []
  const house = open(t, {}, { idle: true, log: { ...silentLog, error: (fields) => void told.push(fields) } })
  const { missions } = house.store
  const nearest = missions.nearest.bind(missions)
  let away = true
  const { mock: looks } = t.mock.method(missions, 'nearest', () =>
    away ? Promise.reject(new Error('away')) : nearest(),
  )
  for (const next of [true, true, false, true]) {
    away = next
    const before = looks.callCount()
    house.clock.wake()
    await until(() => looks.callCount() > before)
    await turnOver()
  }
  await until(() => told.length >= 2)
  assert.equal(told.length, 2)
})

test('a run that somebody stops is told as such', async (t) => {
  const { script } = createHeldReply()
  const house = open(t, { reply: () => script })
  const mission = await house.add()
  await house.at(start + hour)
  const [run] = await house.runs(mission)
  await house.turns.cancel(ada, run?.turnId ?? '')
  const [ran] = await ended(house, mission)
  assert.deepEqual([ran?.outcome, ran?.summary, house.settled[0]?.outcome], ['failed', 'It was stopped.', 'stopped'])
})

test('an instant that comes while the run before still runs is skipped', async (t) => {
  const { script, letGo } = createHeldReply()
  const house = open(t, { reply: () => script })
  const mission = await house.add()
  await house.at(start + hour)
  await house.at(start + 2 * hour)
  await rejectsWith(house.missions.run(ada, mission.id), 'mission_running')
  letGo()
  assert.deepEqual(outcomes(await ended(house, mission)), [
    [2, 'skipped'],
    [1, 'ok'],
  ])
})

test('three failures in a row pause a mission, and it says why; resumed, it keeps its rhythm', async (t) => {
  const house = open(t, { model: () => Promise.reject(new Error('no model')) })
  const mission = await house.add()
  for (const at of [1, 2, 3]) {
    await house.at(start + at * hour)
    await until(() => house.settled.length === at)
  }
  const paused = await house.missions.get(ada, mission.id)
  assert.deepEqual([paused.status, paused.nextRuns, house.settled.at(-1)?.paused], ['paused', [], true])
  assert.match(paused.pausedBecause ?? '', /three times in a row.*resume/)
  await house.at(start + 5.5 * hour)
  const resumed = await house.missions.change(ada, mission.id, { status: 'active' })
  assert.deepEqual([resumed.status, resumed.nextAt, resumed.pausedBecause], ['active', start + 6 * hour, undefined])
})

test('a run that waits for a person does not hold the next one up', async (t) => {
  const house = open(t, {
    reply: (_, { items }) =>
      items.some(({ type }) => type === 'result') ? ['wrote'] : [{ name: 'write', args: '{}' }],
  })
  const mission = await house.add()
  await house.at(start + hour)
  assert.deepEqual(outcomes(await ended(house, mission)), [[1, 'waiting']])
  await house.at(start + 2 * hour)
  assert.equal((await ended(house, mission)).length, 2)
  const [gate] = await house.gates.list(ada)
  assert.ok(gate)
  await house.gates.answer(ada, gate.turn.threadId, { callId: gate.gate.callId, decision: 'allow', by: 'ada' })
  await until(async () => (await house.runs(mission)).some(({ outcome }) => outcome === 'ok'))
})
