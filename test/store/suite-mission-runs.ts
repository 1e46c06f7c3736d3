// Runs of missions: each instant has one row, its turn is stored with it, and its end is settled once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RunEnd, SettledRun } from '#core/mission.ts'
import type { NewNews } from '#core/notification.ts'
import { ada, bob, finish, gate, lease, minuteMs, type Open, rejectsWith, step, turnOf } from './harness.ts'
import { topic } from './ntfy-topic.ts'
import { addMission, endOf, firing, outcomesOf, pause, startRun } from './daily-mission.ts'

export function missionRunTests(open: Open): void {
  test('an instant is fired once, with its turn', async (t) => {
    const { store } = await open(t)
    const mission = await addMission(store)
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
    const mission = await addMission(store)
    const turn = await startRun(store, mission)
    await finish(store, turn)
    await store.missions.settle(endOf(turn.id), pause)
    const back = await store.missions.change({ ...mission, nextAt: 2_000 }, { nextAt: 1_000 }, 100)
    assert.ok(back)
    assert.deepEqual(await store.missions.fire(firing(back)), { type: 'recorded', paused: false })
    assert.equal((await store.turns.list(ada, { limit: 9 })).rows.length, 1)
  })

  test('missed instants get rows; a run that is due while one runs is skipped; the last instant ends it', async (t) => {
    const { store } = await open(t)
    const mission = await addMission(store)
    await startRun(store, mission, { missed: [{ at: 10, count: 7 }, { at: 20 }] })
    const now = { ...mission, nextAt: 2_000 }
    const { next: _, ...last } = firing(now)
    assert.deepEqual(await store.missions.fire(last), { type: 'recorded', paused: false })
    assert.deepEqual(await outcomesOf(store, mission), [
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

  test('a removed thread leaves no word of its reply in the run, and no byte; a fork of it leaves them', async (t) => {
    const { store } = await open(t)
    const mission = await addMission(store)
    const kept = (await store.storage.used(ada)).bytes
    const turn = await startRun(store, mission)
    await finish(store, turn)
    await store.missions.settle(endOf(turn.id, { origin: 'a page' }), pause)
    const told = async () => {
      const [run] = (await store.missions.runs(ada, mission.id, { limit: 9 })).rows
      return [run?.outcome, run?.summary, run?.origin, run?.costUsd]
    }
    const fork = await store.threads.fork(ada, turn.threadId, { beforeSeq: 3, door: 'web' })
    await store.threads.remove(ada, fork?.id ?? '')
    assert.deepEqual(await told(), ['ok', 'All is well.', 'a page', 0.25])
    await store.threads.remove(ada, turn.threadId)
    assert.deepEqual(await told(), ['ok', undefined, undefined, 0.25])
    assert.equal((await store.storage.used(ada)).bytes, kept + 500, 'its row is left')
  })

  test('a run that is settled while its thread is removed keeps no word of its reply, and no byte', async (t) => {
    const { store } = await open(t)
    const mission = await addMission(store)
    const turn = await startRun(store, mission)
    await finish(store, turn)
    await store.threads.remove(ada, turn.threadId)
    const kept = (await store.storage.used(ada)).bytes
    // What was read before the removal.
    await store.missions.settle(endOf(turn.id, { origin: 'a page' }), pause)
    const [run] = (await store.missions.runs(ada, mission.id, { limit: 9 })).rows
    assert.deepEqual(
      [run?.outcome, run?.summary, run?.origin, run?.costUsd, run?.endedAt !== undefined],
      ['ok', undefined, undefined, 0.25, true],
    )
    assert.equal((await store.storage.used(ada)).bytes, kept)
  })

  test('so many runs are under way at once in all', async (t) => {
    const { store } = await open(t)
    const [one, two, three] = [await addMission(store), await addMission(store, bob), await addMission(store)]
    const turn = await startRun(store, one, { maxRunning: 2 })
    await startRun(store, two, { maxRunning: 2 })
    assert.deepEqual(await store.missions.fire(firing(three, { maxRunning: 2 })), { type: 'full' })
    await rejectsWith(store.missions.runNow(three, turnOf({ door: 'mission' }), 2), 'overloaded')
    assert.equal((await store.missions.get(ada, three.id))?.nextAt, 1_000)
    // Its end counts even while nothing has settled it, as after a crash.
    await finish(store, turn)
    await startRun(store, three, { maxRunning: 2 })
  })

  test('a run by hand is one at a time, at an instant of its own', async (t) => {
    const { store, clock } = await open(t)
    const mission = await addMission(store, ada, { nextAt: clock.now })
    const scheduled = await startRun(store, mission)
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
    const mission = await addMission(store)
    const turn = await startRun(store, mission)
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
    const [dear, cheap, unknown] = [await addMission(store), await addMission(store), await addMission(store)]
    const ends = [
      [dear, 0.5],
      [cheap, 0.25],
      [unknown, null],
    ] as const
    for (const [mission, costUsd] of ends) {
      const turn = await startRun(store, mission)
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
    const mission = await addMission(store)
    const turn = await startRun(store, mission)
    await store.turns.record(turn, lease, step([gate('g', 'approval')], { status: 'waiting' }))
    assert.deepEqual(await store.missions.unsettled(9), [{ turnId: turn.id, user: ada }])
    await store.missions.settle(endOf(turn.id, { outcome: 'waiting' }), pause)
    assert.deepEqual(await store.missions.unsettled(9), [])
    const next = await startRun(store, { ...mission, nextAt: 2_000 }, { next: 3_000 })
    await store.turns.cancel(ada, turn.id)
    assert.deepEqual(await store.missions.unsettled(9), [{ turnId: turn.id, user: ada }])
    await store.missions.settle(endOf(turn.id, { outcome: 'failed', stopped: true }), pause)
    assert.equal((await store.missions.get(ada, mission.id))?.failures, 0)
    await store.threads.remove(ada, next.threadId)
    assert.deepEqual(await store.missions.unsettled(9), [{ turnId: next.id, user: ada }], 'its thread is gone')
  })

  test('failures in a row pause a mission, other than by hand', async (t) => {
    const { store } = await open(t)
    let mission = await addMission(store)
    const fail = async (outcome: RunEnd['outcome'] = 'failed') => {
      const turn = await startRun(store, mission, { next: (mission.nextAt ?? 0) + minuteMs })
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
    const mission = await addMission(store)
    const newsOf = ({ mission: { id } }: SettledRun): NewNews[] => [
      { event: 'failed', subject: `run of ${id}`, missionId: id },
    ]
    const news = async () => (await store.notifications.outbox(ada, { limit: 9 })).rows.map((row) => row.missionId)
    const turn = await startRun(store, mission)
    await finish(store, turn)
    await store.missions.settle(endOf(turn.id), pause, newsOf)
    assert.equal(await store.missions.settle(endOf(turn.id), pause, newsOf), undefined)
    assert.deepEqual(await news(), [mission.id])
    const full = await addMission(store)
    await store.missions.fire(firing(full, { run: { at: 1_000, fault: 'the storage is full' }, newsOf }))
    assert.deepEqual(await news(), [full.id, mission.id])
    const paused = await addMission(store)
    const change = { status: 'paused', nextAt: null } as const
    const told = newsOf({ mission: paused, paused: true })
    assert.equal(await store.missions.change({ ...paused, nextAt: 7 }, change, 100, told), undefined)
    assert.equal((await news()).length, 2)
    await store.missions.change(paused, change, 100, told)
    assert.deepEqual(await news(), [paused.id, full.id, mission.id])
  })

  test('a run whose turn cannot be stored fails, and counts', async (t) => {
    const { store } = await open(t)
    const mission = await addMission(store)
    const run = { at: 1_000, fault: 'the storage is full' }
    assert.deepEqual(await store.missions.fire(firing(mission, { run })), { type: 'recorded', paused: false })
    const again = { ...mission, nextAt: 2_000 }
    await store.missions.fire(firing(again, { run: { ...run, at: 2_000 }, next: 3_000 }))
    const last = firing({ ...mission, nextAt: 3_000 }, { run: { ...run, at: 3_000 }, next: 4_000 })
    assert.deepEqual(await store.missions.fire(last), { type: 'recorded', paused: true })
    assert.equal((await store.missions.get(ada, mission.id))?.status, 'paused')
  })
}
