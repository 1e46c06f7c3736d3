// Missions and their runs: each instant has one row, and its turn is stored with it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UserId } from '#core/ids.ts'
import type { Mission, NewMission, RunEnd, SettledRun } from '#core/mission.ts'
import type { NewNews } from '#core/notification.ts'
import type { Fired, Firing, Store } from '#core/store.ts'
import { removeUser } from '#turns/user-removal.ts'
import { ada, bob, finish, gate, lease, minuteMs, type Open, rejectsWith, step, turnOf } from './harness.ts'
import { topic } from './suite-notifications.ts'

const pause = { afterFailures: 3, because: 'it failed three times' }
const daily: NewMission = {
  title: 'News',
  prompt: 'Read the news',
  schedule: '@daily',
  zone: 'UTC',
  missed: 'once',
  from: 0,
  nextAt: 1_000,
}

const add = (store: Store, user: UserId = ada, over: Partial<NewMission> = {}): Promise<Mission> =>
  store.missions.add(user, { ...daily, ...over }, 100)

function firing(mission: Mission, over: Partial<Firing> = {}): Firing {
  const turn = turnOf({ user: mission.userId, door: 'mission' })
  const run = { at: mission.nextAt ?? 0, turn }
  return { mission, missed: [], run, next: 2_000, maxRunning: 20, pause, plannedAt: run.at, ...over }
}

/** Fires a mission and returns its turn. */
async function start(store: Store, mission: Mission, over: Partial<Firing> = {}) {
  const fired: Fired = await store.missions.fire(firing(mission, over))
  assert.ok(fired.type === 'started', fired.type)
  return fired.stored.turn
}

const endOf = (turnId: string, over: Partial<RunEnd> = {}): RunEnd => ({
  turnId,
  outcome: 'ok',
  summary: 'All is well.',
  costUsd: 0.25,
  ...over,
})

const outcomes = async (store: Store, { id }: Mission, user: UserId = ada) =>
  (await store.missions.runs(user, id, { limit: 200 })).rows.map(({ nominalAt, outcome }) => [nominalAt, outcome])

export function missionTests(open: Open): void {
  test('a mission belongs to its user, who lists, changes and removes it', async (t) => {
    const { store, clock } = await open(t)
    const { missions } = store
    const mission = await add(store, ada, { tools: ['time'], capUsd: 0.5 })
    const { id } = mission
    assert.deepEqual(mission, {
      ...daily,
      id,
      userId: ada,
      status: 'active',
      failures: 0,
      createdAt: clock.now,
      tools: ['time'],
      capUsd: 0.5,
    })
    assert.deepEqual(await missions.get(ada, id), mission)
    assert.deepEqual(await missions.list(ada), [{ mission }])
    assert.deepEqual([await missions.get(bob, id), await missions.list(bob)], [undefined, []])
    const paused = await missions.change(mission, { status: 'paused', nextAt: null, tools: null, capUsd: null }, 100)
    assert.ok(paused && paused.nextAt === undefined && !('tools' in paused) && !('capUsd' in paused))
    assert.equal(await missions.change(mission, { title: 'Late' }, 100), undefined, 'it is not as it was')
    const renamed = await missions.change(paused, { title: 'Papers', prompt: 'Read', status: 'active', nextAt: 5 }, 100)
    assert.deepEqual([renamed?.title, renamed?.prompt, renamed?.nextAt, renamed?.zone], ['Papers', 'Read', 5, 'UTC'])
    assert.equal(await missions.remove(bob, id), false)
    assert.equal(await missions.remove(ada, id), true)
    assert.equal(await missions.get(ada, id), undefined)
  })

  test('a list has every mission that is not done, and the newest hundred of the others', async (t) => {
    const { store } = await open(t)
    const { missions } = store
    const old = await add(store)
    const done: Mission[] = []
    for (let count = 0; count < 101; count++) {
      const ended = await missions.change(await add(store), { status: 'done', nextAt: null }, 100)
      assert.ok(ended)
      done.unshift(ended)
    }
    const ids = (await missions.list(ada)).map(({ mission }) => mission.id)
    assert.deepEqual(
      ids,
      [...done.slice(0, 100), old].map((each) => each.id),
    )
  })

  test('a user has so many missions that are not done', async (t) => {
    const { store } = await open(t)
    const first = await store.missions.add(ada, daily, 2)
    await store.missions.add(ada, daily, 2)
    await rejectsWith(store.missions.add(ada, daily, 2), 'invalid_input')
    await store.missions.add(bob, daily, 2)
    const done = await store.missions.change(first, { status: 'done', nextAt: null }, 2)
    await store.missions.add(ada, daily, 2)
    assert.ok(done)
    await rejectsWith(store.missions.change(done, { status: 'active', nextAt: 9 }, 2), 'invalid_input')
  })

  test('the nearest instant is that of an active mission', async (t) => {
    const { store, clock } = await open(t)
    assert.equal((await store.missions.nearest()).at, undefined)
    const [late, soon] = [await add(store, ada, { nextAt: 9_000 }), await add(store, bob, { nextAt: 5_000 })]
    const { now, at } = await store.missions.nearest()
    assert.equal(at, 5_000)
    if (store.backend === 'sqlite') assert.equal(now, clock.now)
    assert.deepEqual(await store.missions.due(4_999, 9), [])
    assert.deepEqual(
      (await store.missions.due(9_000, 9)).map(({ id }) => id),
      [soon.id, late.id],
    )
    await store.missions.change(soon, { status: 'paused', nextAt: null }, 100)
    assert.equal((await store.missions.nearest()).at, 9_000)
  })

  test('an instant is fired once, with its turn', async (t) => {
    const { store } = await open(t)
    const mission = await add(store)
    const fired = await Promise.all([1, 2, 3].map(() => store.missions.fire(firing(mission))))
    assert.deepEqual(fired.map(({ type }) => type).sort(), ['lost', 'lost', 'started'])
    const { rows } = await store.missions.runs(ada, mission.id, { limit: 9 })
    const [run] = rows
    assert.equal(rows.length, 1)
    const turn = await store.turns.get(ada, run?.turnId ?? '')
    assert.deepEqual([turn?.threadId, turn?.door, turn?.status], [run?.threadId, 'mission', 'running'])
    assert.deepEqual([run?.nominalAt, run?.outcome, run?.endedAt], [1_000, undefined, undefined])
    assert.equal((await store.turns.list(ada, { limit: 9 })).rows.length, 1)
    assert.equal((await store.missions.get(ada, mission.id))?.nextAt, 2_000)
  })

  test('an instant that has a row gets no second turn', async (t) => {
    const { store } = await open(t)
    const mission = await add(store)
    const turn = await start(store, mission)
    await finish(store, turn)
    await store.missions.settle(endOf(turn.id), pause)
    const back = await store.missions.change({ ...mission, nextAt: 2_000 }, { nextAt: 1_000 }, 100)
    assert.ok(back)
    assert.deepEqual(await store.missions.fire(firing(back)), { type: 'recorded', paused: false })
    assert.equal((await store.turns.list(ada, { limit: 9 })).rows.length, 1)
  })

  test('missed instants get rows; a run that is due while one runs is skipped; the last instant ends it', async (t) => {
    const { store } = await open(t)
    const mission = await add(store)
    await start(store, mission, { missed: [{ at: 10, count: 7 }, { at: 20 }] })
    const now = { ...mission, nextAt: 2_000 }
    const { next: _, ...last } = firing(now)
    assert.deepEqual(await store.missions.fire(last), { type: 'recorded', paused: false })
    assert.deepEqual(await outcomes(store, mission), [
      [2_000, 'skipped'],
      [1_000, undefined],
      [20, 'missed'],
      [10, 'missed'],
    ])
    const page = await store.missions.runs(ada, mission.id, { limit: 3 })
    const rest = await store.missions.runs(ada, mission.id, { limit: 3, cursor: page.nextCursor ?? '' })
    assert.deepEqual([rest.rows[0]?.count, rest.nextCursor], [7, undefined])
    assert.deepEqual((await store.missions.runs(bob, mission.id, { limit: 3 })).rows, [])
    const done = await store.missions.get(ada, mission.id)
    assert.deepEqual([done?.status, done?.nextAt], ['done', undefined])
  })

  test('so many runs are under way at once in all', async (t) => {
    const { store } = await open(t)
    const [one, two, three] = [await add(store), await add(store, bob), await add(store)]
    const turn = await start(store, one, { maxRunning: 2 })
    await start(store, two, { maxRunning: 2 })
    assert.deepEqual(await store.missions.fire(firing(three, { maxRunning: 2 })), { type: 'full' })
    await rejectsWith(store.missions.runNow(three, turnOf({ door: 'mission' }), 2), 'overloaded')
    assert.equal((await store.missions.get(ada, three.id))?.nextAt, 1_000)
    // Its end counts even while nothing has settled it, as after a crash.
    await finish(store, turn)
    await start(store, three, { maxRunning: 2 })
  })

  test('a run by hand is one at a time, at an instant of its own', async (t) => {
    const { store, clock } = await open(t)
    const mission = await add(store, ada, { nextAt: clock.now })
    const scheduled = await start(store, mission)
    const byHand = () => store.missions.runNow(mission, turnOf({ door: 'mission' }), 20)
    await rejectsWith(byHand(), 'mission_running')
    await finish(store, scheduled)
    const { run, stored } = await byHand()
    assert.deepEqual([run.nominalAt, run.byHand, run.turnId], [clock.now + 1, true, stored.turn.id])
    await store.missions.remove(ada, mission.id)
    await rejectsWith(byHand(), 'not_found')
  })

  test('a run is settled once, with what it cost', async (t) => {
    const { store } = await open(t)
    const mission = await add(store)
    const turn = await start(store, mission)
    assert.deepEqual(await store.missions.unsettled(9), [])
    assert.equal(await store.missions.lastRun(ada, mission.id), undefined)
    await finish(store, turn)
    assert.deepEqual(await store.missions.unsettled(9), [{ turnId: turn.id, user: ada }])
    const end = endOf(turn.id, { endedAt: 5_000, origin: 'https://a.example' })
    assert.equal((await store.missions.settle(end, pause))?.paused, false)
    assert.equal(await store.missions.settle(endOf(turn.id, { outcome: 'failed' }), pause), undefined)
    const run = await store.missions.lastRun(ada, mission.id)
    assert.deepEqual(
      [run?.outcome, run?.summary, run?.origin, run?.costUsd, run?.endedAt],
      ['ok', 'All is well.', 'https://a.example', 0.25, 5_000],
    )
    assert.equal(await store.missions.lastRun(bob, mission.id), undefined)
    assert.deepEqual(await store.missions.unsettled(9), [])
  })

  test('the costs of missions are those of runs that ended in the last days', async (t) => {
    const { store, clock } = await open(t)
    const [dear, cheap, unknown] = [await add(store), await add(store), await add(store)]
    const ends = [
      [dear, 0.5],
      [cheap, 0.25],
      [unknown, null],
    ] as const
    for (const [mission, costUsd] of ends) {
      const turn = await start(store, mission)
      await finish(store, turn)
      await store.missions.settle(endOf(turn.id, { costUsd, endedAt: clock.now }), pause)
    }
    const cost = { title: 'News', runs: 1, unpricedRuns: 0 }
    const costs = [
      { ...cost, missionId: dear.id, costUsd: 0.5 },
      { ...cost, missionId: cheap.id, costUsd: 0.25 },
      { ...cost, missionId: unknown.id, costUsd: null, unpricedRuns: 1 },
    ]
    assert.deepEqual([await store.missions.costs(ada, 1), await store.missions.costs(bob, 9)], [costs, []])
    clock.now += 86_400_000
    assert.deepEqual([await store.missions.costs(ada, 1), await store.missions.costs(ada, 2)], [[], costs])
  })

  test('a run that waits for a person holds nothing up, and ends when its turn does', async (t) => {
    const { store } = await open(t)
    const mission = await add(store)
    const turn = await start(store, mission)
    await store.turns.record(turn, lease, step([gate('g', 'approval')], { status: 'waiting' }))
    assert.deepEqual(await store.missions.unsettled(9), [{ turnId: turn.id, user: ada }])
    await store.missions.settle(endOf(turn.id, { outcome: 'waiting' }), pause)
    assert.deepEqual(await store.missions.unsettled(9), [])
    const next = await start(store, { ...mission, nextAt: 2_000 }, { next: 3_000 })
    await store.turns.cancel(ada, turn.id)
    assert.deepEqual(await store.missions.unsettled(9), [{ turnId: turn.id, user: ada }])
    await store.missions.settle(endOf(turn.id, { outcome: 'failed', stopped: true }), pause)
    assert.equal((await store.missions.get(ada, mission.id))?.failures, 0)
    await store.threads.remove(ada, next.threadId)
    assert.deepEqual(await store.missions.unsettled(9), [{ turnId: next.id, user: ada }], 'its thread is gone')
  })

  test('failures in a row pause a mission, other than by hand', async (t) => {
    const { store } = await open(t)
    let mission = await add(store)
    const fail = async (outcome: RunEnd['outcome'] = 'failed') => {
      const turn = await start(store, mission, { next: (mission.nextAt ?? 0) + minuteMs })
      await finish(store, turn)
      const settled = await store.missions.settle(endOf(turn.id, { outcome }), pause)
      assert.ok(settled)
      ;({ mission } = settled)
      return settled.paused
    }
    assert.deepEqual(
      [await fail(), await fail(), await fail('quiet'), await fail(), await fail()],
      Array(5).fill(false),
    )
    const { stored } = await store.missions.runNow(mission, turnOf({ door: 'mission' }), 20)
    await finish(store, stored.turn)
    await store.missions.settle(endOf(stored.turn.id, { outcome: 'failed' }), pause)
    assert.equal((await store.missions.get(ada, mission.id))?.status, 'active')
    assert.equal(await fail(), true)
    assert.deepEqual([mission.status, mission.pausedBecause, mission.nextAt], ['paused', pause.because, undefined])
    const resumed = await store.missions.change(mission, { status: 'active', nextAt: 9_000 }, 100)
    assert.deepEqual([resumed?.failures, resumed?.pausedBecause], [0, undefined])
  })

  test('news of an end is stored with it, once, and not where nothing ends', async (t) => {
    const { store } = await open(t)
    await store.notifications.addWay(ada, topic, 9)
    const mission = await add(store)
    const newsOf = ({ mission: { id } }: SettledRun): NewNews[] => [
      { event: 'failed', subject: `run of ${id}`, missionId: id },
    ]
    const news = async () => (await store.notifications.outbox(ada, { limit: 9 })).rows.map((row) => row.missionId)
    const turn = await start(store, mission)
    await finish(store, turn)
    await store.missions.settle(endOf(turn.id), pause, newsOf)
    assert.equal(await store.missions.settle(endOf(turn.id), pause, newsOf), undefined)
    assert.deepEqual(await news(), [mission.id])
    const full = await add(store)
    await store.missions.fire(firing(full, { run: { at: 1_000, fault: 'the storage is full' }, newsOf }))
    assert.deepEqual(await news(), [full.id, mission.id])
    const paused = await add(store)
    const change = { status: 'paused', nextAt: null } as const
    const told = newsOf({ mission: paused, paused: true })
    assert.equal(await store.missions.change({ ...paused, nextAt: 7 }, change, 100, told), undefined)
    assert.equal((await news()).length, 2)
    await store.missions.change(paused, change, 100, told)
    assert.deepEqual(await news(), [paused.id, full.id, mission.id])
  })

  test('what was planned by a clock that was ahead is found and taken back', async (t) => {
    const { store, clock } = await open(t)
    const { missions } = store
    const now = clock.now + 1_000
    const [fired, resumed, old] = [await add(store), await add(store), await add(store, ada, { nextAt: 500 })]
    const missed = [{ at: now - 500 }, { at: now + 500, count: 7 }, { at: now + 1_500 }]
    const { run: _, ...plan } = firing(fired, { missed, next: now + 9_000, plannedAt: now + 8_000 })
    assert.equal((await missions.fire(plan)).type, 'recorded')
    await missions.change(resumed, { nextAt: now + 9_500, plannedAt: now + 8_500, from: now + 8_500 }, 100)
    assert.deepEqual(await missions.plannedAhead(clock.now - 1, 9), [], 'not by a clock from before they were made')
    const ahead = await missions.plannedAhead(now, 9)
    assert.deepEqual(
      ahead.map(({ id }) => id),
      [fired.id, resumed.id],
    )
    for (const mission of ahead) await missions.takeBack(mission, now + 100, now)
    await missions.takeBack({ ...old, nextAt: 501 }, now + 100, now)
    assert.deepEqual([await missions.plannedAhead(now, 9), (await missions.get(ada, old.id))?.nextAt], [[], 500])
    assert.equal((await missions.get(ada, fired.id))?.nextAt, now + 100)
    const begun = await Promise.all([fired, resumed].map(({ id }) => missions.get(ada, id)))
    assert.deepEqual(
      begun.map((mission) => mission?.from),
      [fired.from, now],
    )
    assert.deepEqual(await outcomes(store, fired), [[now - 500, 'missed']])
  })

  test('a run whose turn cannot be stored fails, and counts', async (t) => {
    const { store } = await open(t)
    const mission = await add(store)
    const run = { at: 1_000, fault: 'the storage is full' }
    assert.deepEqual(await store.missions.fire(firing(mission, { run })), { type: 'recorded', paused: false })
    const again = { ...mission, nextAt: 2_000 }
    await store.missions.fire(firing(again, { run: { ...run, at: 2_000 }, next: 3_000 }))
    const last = firing({ ...mission, nextAt: 3_000 }, { run: { ...run, at: 3_000 }, next: 4_000 })
    assert.deepEqual(await store.missions.fire(last), { type: 'recorded', paused: true })
    assert.equal((await store.missions.get(ada, mission.id))?.status, 'paused')
  })

  test('missions and runs count in what a user stores, and go with the user', async (t) => {
    const { store } = await open(t, { maxUserBytes: 20_000 })
    const user = await store.accounts.addUser('Ada', { hash: 'h' })
    const used = async (): Promise<number> => (await store.storage.used(user.id)).bytes
    const mission = await add(store, user.id, { prompt: 'x'.repeat(5_000) })
    assert.ok((await used()) > 5_000)
    await rejectsWith(add(store, user.id, { prompt: 'x'.repeat(20_000) }), 'storage_full')
    const before = await used()
    await start(store, mission)
    assert.ok((await used()) > before + 500)
    await store.missions.setZone(user.id, 'Asia/Tokyo')
    await removeUser({ store }, 'Ada')
    assert.deepEqual([await used(), await store.missions.list(user.id)], [0, []])
    assert.equal(await store.missions.zone(user.id), undefined)
  })

  test('a user has a time zone, or none', async (t) => {
    const { store } = await open(t)
    assert.equal(await store.missions.zone(ada), undefined)
    await store.missions.setZone(ada, 'Europe/Zurich')
    await store.missions.setZone(ada, 'Asia/Tokyo')
    assert.deepEqual([await store.missions.zone(ada), await store.missions.zone(bob)], ['Asia/Tokyo', undefined])
    await store.missions.setZone(ada, undefined)
    assert.equal(await store.missions.zone(ada), undefined)
  })
}
