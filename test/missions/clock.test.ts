// Missions by the clock, over a real store, runner and turns; only the time and the model are scripted.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { AppError } from '#core/errors.ts'
import type { Mission, MissionRun, SettledMission } from '#core/mission.ts'
import type { Turn } from '#core/turn.ts'
import { silentLog } from '#lib/log.ts'
import { type MissionClock, startMissionClock } from '#missions/clock.ts'
import { createMissions, type MissionInput, type Missions } from '#missions/missions.ts'
import { newsOfMission } from '#reach/events.ts'
import { openTestStore } from '../agent/bench.ts'
import { tool } from '../agent/tools.ts'
import { ada, rejectsWith } from '../store/harness.ts'
import { createHeldReply, type House, type HouseParts, openHouse, turnOver, until } from '../turns/house.ts'

const hour = 3_600_000
const start = Date.parse('2026-11-16T08:00:00Z')

type Opened = House & {
  readonly missions: Missions
  readonly clock: MissionClock
  readonly settled: SettledMission[]
  setTime(time: number): void
  /** Sets the time and lets the clock look, until nothing more is due. */
  at(time: number): Promise<void>
  add(input?: MissionInput): Promise<Mission>
  runs(mission: Mission): Promise<readonly MissionRun[]>
}

function open(t: TestContext, parts: HouseParts = {}, more: { maxRunning?: number; idle?: true } = {}): Opened {
  const time = { now: start }
  const store = openTestStore(t, () => time.now)
  const rested = (turn: Turn): void => clock.rested(turn)
  const house = openHouse(t, { ...parts, store, observer: { stepped: () => {}, rested } })
  const settled: SettledMission[] = []
  const { maxRunning } = more
  const clock = startMissionClock({
    store,
    turns: house.turns,
    bus: house.bus,
    log: silentLog,
    newsOf(each) {
      settled.push(each)
      return newsOfMission(each)
    },
    ...(maxRunning !== undefined && { maxRunning }),
  })
  t.after(() => clock.close())
  if (!more.idle) clock.start()
  const missions = createMissions({
    store,
    turns: house.turns,
    toolNames: () => new Set(['read', 'once', 'write']),
    onChange: () => clock.wake(),
  })
  return {
    ...house,
    missions,
    clock,
    settled,
    setTime: (now) => {
      time.now = now
    },
    async at(now) {
      time.now = now
      clock.wake()
      await until(async () => {
        const { at } = await store.missions.nearest()
        return at === undefined || at > now
      })
    },
    add: (input = {}) => missions.add(ada, { prompt: 'Look', schedule: 'every 1h', zone: 'UTC', ...input }),
    runs: async ({ id }) => (await missions.runs(ada, id, { limit: 100 })).rows,
  }
}

const outcomes = (runs: readonly MissionRun[]) =>
  runs.map(({ nominalAt, outcome }) => [(nominalAt - start) / hour, outcome])

/** Waits until each run has an outcome. */
async function ended(house: Opened, mission: Mission): Promise<readonly MissionRun[]> {
  await until(async () => (await house.runs(mission)).every(({ outcome }) => outcome !== undefined))
  return house.runs(mission)
}

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
  house.clock.start()
  await house.at(start + 8 * hour + 90_000)
  const missed = [7, 6, 5, 4, 3, 2, 1].map((at) => [at, 'missed'])
  assert.deepEqual(outcomes(await ended(house, once)), [[8, 'ok'], ...missed])
  assert.deepEqual(outcomes(await ended(house, skip)), [[8, 'missed'], ...missed])
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
})

test('an end that could not be recorded is recorded at the next look', async (t) => {
  const house = open(t)
  const mission = await house.add()
  t.mock.method(house.store.missions, 'settle', () => Promise.reject(new Error('away')), { times: 1 })
  await house.at(start + hour)
  assert.deepEqual(outcomes(await ended(house, mission)), [[1, 'ok']])
  assert.equal(house.settled.length, 1)
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

test('a clock that was ahead before a restart is noticed by the next start', async (t) => {
  const house = open(t, {}, { idle: true })
  const mission = await house.add({ schedule: 'daily at 9am' })
  const later = start + 100 * 24 * hour
  house.setTime(later)
  const changed = await house.missions.change(ada, mission.id, { schedule: 'daily at 10am' })
  assert.equal(changed.nextAt, later + 2 * hour)
  house.setTime(start)
  house.clock.start()
  await until(async () => (await house.missions.get(ada, mission.id)).nextAt === start + 2 * hour)
})

test('a schedule that was begun by a clock that was ahead begins anew', async (t) => {
  const house = open(t, {}, { idle: true })
  const mission = await house.add()
  house.setTime(start + 100 * 24 * hour)
  await house.missions.change(ada, mission.id, { schedule: 'every 2h' })
  house.setTime(start)
  house.clock.start()
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
  house.clock.start()
  await until(() => looks.callCount() > 0)
  await house.clock.close()
  house.setTime(start)
  assert.equal((await house.missions.get(ada, mission.id)).nextAt, start + hour)
})

test('news of a run is stored with its end: a process that is killed behind it has told', async (t) => {
  const house = open(t, { model: () => Promise.reject(new Error('no model')) })
  const way = { kind: 'ntfy', target: 'https://x.test/y', label: 'x', events: ['failed'], content: false } as const
  await house.store.notifications.addWay(ada, way, 9)
  const mission = await house.add()
  const broken = await house.add({ schedule: 'every 2h' })
  await house.store.missions.change(broken, { zone: 'Mars/Base' }, 100)
  await house.at(start + hour)
  const [run] = await ended(house, mission)
  const news = async () => (await house.store.notifications.outbox(ada, { limit: 9 })).rows
  assert.deepEqual(
    (await news()).map(({ event, missionId, turnId, state }) => [event, missionId, turnId, state]),
    [['failed', mission.id, run?.turnId, 'due']],
  )
  await house.at(start + 2 * hour)
  await until(async () => (await news()).some(({ missionId }) => missionId === broken.id))
})

test('so many runs are under way at once; all come to run', async (t) => {
  let most = 0
  const house = open(t, {}, { maxRunning: 2 })
  const all: Mission[] = []
  for (let count = 0; count < 9; count++) all.push(await house.add())
  const due = house.at(start + hour)
  await until(async () => {
    most = Math.max(most, house.runner.running)
    return (await Promise.all(all.map((each) => house.runs(each)))).every((runs) => runs.length === 1)
  })
  await due
  assert.ok(most <= 2, `${most} ran at once`)
  for (const each of all) assert.deepEqual(outcomes(await ended(house, each)), [[1, 'ok']])
})

test('a run may use the tools of its mission, and spend what it may', async (t) => {
  const offered: string[][] = []
  const house = open(t, {
    reply(_, { tools }) {
      offered.push(tools.map(({ name }) => name))
      return ['done']
    },
  })
  const mission = await house.add({ tools: ['read'], capUsd: 0.01 })
  await house.missions.run(ada, mission.id)
  const [run] = await ended(house, mission)
  assert.deepEqual([offered, run?.byHand], [[['read']], true])
  const turn = await house.turns.get(ada, run?.turnId ?? '')
  assert.deepEqual(turn?.options, { serviceTools: ['read'], capUsd: 0.01 })
  await rejectsWith(house.add({ tools: ['nothing'] }), 'invalid_input')
  await rejectsWith(house.add({ capUsd: 0 }), 'invalid_input')
})

test('what a run read from outside taints the next one', async (t) => {
  const house = open(t, {
    reply: (_, { items }) =>
      items.some(({ type }) => type === 'result') ? ['read it'] : [{ name: 'page', args: '{}' }],
    tools: [tool('page', { untrusted: true })],
  })
  const mission = await house.add()
  await house.at(start + hour)
  await ended(house, mission)
  await house.at(start + 2 * hour)
  const [second] = await ended(house, mission)
  const { entries } = await house.store.threads.entries(ada, second?.threadId ?? '', { after: 0, limit: 1 })
  const message = entries[0]?.item
  assert.ok(message?.type === 'message')
  assert.deepEqual(message.content.at(-1), { type: 'text', text: 'read it', origin: 'page' })
})

test('a run that ended unseen, or whose thread was deleted, is recorded by the next start', async (t) => {
  const { script, letGo } = createHeldReply()
  const house = open(t, { reply: () => script }, { idle: true })
  const [one, two] = [await house.add(), await house.add()]
  house.clock.start()
  await house.at(start + hour)
  const [gone] = await house.runs(two)
  await house.clock.close()
  await house.threads.remove(ada, gone?.threadId ?? '')
  letGo()
  await until(async () => (await house.store.missions.unsettled(9)).length === 2)
  const again = startMissionClock({ store: house.store, turns: house.turns, bus: house.bus, log: silentLog })
  t.after(() => again.close())
  again.start()
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

test('a change of schedule begins anew, a change of words does not', async (t) => {
  const house = open(t)
  const mission = await house.add()
  await house.at(start + hour / 2)
  const renamed = await house.missions.change(ada, mission.id, { title: 'Other', prompt: 'Do', missed: 'skip' })
  assert.deepEqual(
    [renamed.title, renamed.prompt, renamed.missed, renamed.nextAt],
    ['Other', 'Do', 'skip', start + hour],
  )
  const moved = await house.missions.change(ada, mission.id, { schedule: 'every 2h' })
  assert.equal(moved.nextAt, start + 2.5 * hour)
  const paused = await house.missions.change(ada, mission.id, { status: 'paused', zone: 'Asia/Tokyo' })
  assert.deepEqual([paused.status, paused.nextAt, paused.zone], ['paused', undefined, 'Asia/Tokyo'])
  assert.equal(paused.understood, 'Every 2 hours, Asia/Tokyo. No run while it is paused.')
  await house.missions.remove(ada, mission.id)
  await rejectsWith(house.missions.get(ada, mission.id), 'not_found')
})

test('a title that was taken from the prompt follows it', async (t) => {
  const house = open(t)
  const [derived, own] = [await house.add({ prompt: 'Read the news' }), await house.add({ title: 'News' })]
  assert.equal(
    (await house.missions.change(ada, derived.id, { prompt: 'Read the paper\ntwice' })).title,
    'Read the paper',
  )
  assert.equal((await house.missions.change(ada, own.id, { prompt: 'Read the paper' })).title, 'News')
})

test('a mission whose schedule cannot be read any more is listed, and paused when it is due', async (t) => {
  const house = open(t)
  const mission = await house.add()
  await house.store.missions.change(mission, { zone: 'Mars/Base' }, 100)
  const [listed] = await house.missions.list(ada)
  assert.match(listed?.understood ?? '', /^Its schedule cannot be read: .*no time zone/)
  await house.at(start + hour)
  const { status, pausedBecause } = await house.missions.get(ada, mission.id)
  assert.deepEqual([status, pausedBecause], ['paused', listed?.understood])
  const [told] = house.settled
  assert.deepEqual([told?.paused, told?.outcome, told?.at], [true, 'failed', start + hour])
})

test('a mission that is removed while it runs leaves its thread, and nothing else', async (t) => {
  const { script, letGo } = createHeldReply()
  const house = open(t, { reply: () => script })
  const mission = await house.add()
  await house.at(start + hour)
  const [run] = await house.runs(mission)
  await house.missions.remove(ada, mission.id)
  letGo()
  await until(async () => (await house.turns.get(ada, run?.turnId ?? ''))?.status === 'completed')
  assert.ok(await house.threads.get(ada, run?.threadId ?? ''))
  assert.deepEqual([await house.missions.list(ada), await house.store.missions.unsettled(9)], [[], []])
})

test('a zone is the user’s, else the machine’s', async (t) => {
  const { missions } = open(t)
  const { used } = await missions.zone(ada)
  assert.equal(used, Intl.DateTimeFormat().resolvedOptions().timeZone)
  await rejectsWith(missions.setZone(ada, 'Mars/Base'), 'invalid_input')
  await missions.setZone(ada, 'Asia/Tokyo')
  assert.deepEqual(await missions.zone(ada), { own: 'Asia/Tokyo', used: 'Asia/Tokyo' })
  assert.match((await missions.preview(ada, { schedule: 'daily at 9am' })).understood, /Asia\/Tokyo/)
  await missions.setZone(ada, null)
  assert.equal((await missions.zone(ada)).own, undefined)
  await rejectsWith(missions.preview(ada, { schedule: '0 0 30 2 *' }), 'invalid_input')
})
