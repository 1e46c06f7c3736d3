// Changes of missions by their users, and the numbers of their runs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Mission } from '#core/mission.ts'
import type { Store } from '#core/store.ts'
import { ada, finish, gate, lease, type Open, step, turnOf } from './harness.ts'
import { daily, endOf, pause, startRun } from './daily-mission.ts'

/** Starts a run of a mission by hand. */
async function runNow(store: Store, mission: Mission) {
  return store.missions.runNow(mission, turnOf({ door: 'mission' }), 99)
}

/** Fires a mission at its next instant, and lets the run fail. */
async function fail(store: Store, mission: Mission): Promise<Mission> {
  const turn = await startRun(store, mission, { next: (mission.nextAt ?? 0) + 1_000 })
  await finish(store, turn)
  const end = endOf(turn.id, { outcome: 'failed', costUsd: null })
  return (await store.missions.settle(end, pause))?.mission ?? assert.fail('not settled')
}

export function missionChangeTests(open: Open): void {
  test('every word of a mission can be changed, and what is not named stays', async (t) => {
    const { store } = await open(t)
    const { missions } = store
    const mission = await missions.add(ada, { ...daily, tools: ['time'], capUsd: 0.5 }, 9)
    const same = await missions.change(mission, {}, 9)
    assert.deepEqual(same, mission)
    const words = { title: 'a', prompt: 'b', schedule: '@hourly', zone: 'Asia/Tokyo', missed: 'skip' } as const
    const limits = { tools: ['calculate'], capUsd: 0.25 }
    const times = { from: 5, nextAt: 7 }
    const changed = await missions.change(mission, { ...words, ...limits, ...times }, 9)
    assert.deepEqual(changed, { ...mission, ...words, ...limits, ...times })
    assert.deepEqual(await missions.get(ada, mission.id), changed)
  })

  test('a pause is kept with its reason and the failures before it, until the mission is resumed', async (t) => {
    const { store } = await open(t)
    const { missions } = store
    const once = await fail(store, await missions.add(ada, daily, 9))
    assert.equal(once.failures, 1)
    const paused = await missions.change(once, { status: 'paused', pausedBecause: 'a reason', nextAt: null }, 9)
    assert.ok(paused)
    const renamed = await missions.change(paused, { title: 'Papers' }, 9)
    assert.deepEqual(renamed, { ...paused, title: 'Papers' })
    assert.deepEqual([paused.pausedBecause, paused.failures], ['a reason', 1])
    const resumed = await missions.change(renamed, { status: 'active', nextAt: 9_000 }, 9)
    assert.deepEqual([resumed?.pausedBecause, resumed?.failures, resumed?.nextAt], [undefined, 0, 9_000])
  })

  test('a run by hand is told as it is stored, and one that is settled without a time ends now', async (t) => {
    const { store, clock } = await open(t)
    const { missions } = store
    const mission = await missions.add(ada, daily, 9)
    const { run, stored } = await runNow(store, mission)
    assert.deepEqual((await missions.runs(ada, mission.id, { limit: 9 })).rows, [run])
    assert.deepEqual([run.nominalAt, run.startedAt, run.costUsd], [clock.now, clock.now, 0])
    await finish(store, stored.turn)
    clock.now += 5
    await missions.settle({ turnId: stored.turn.id, outcome: 'ok', summary: 'well', costUsd: 1 }, pause)
    const [ended] = (await missions.runs(ada, mission.id, { limit: 9 })).rows
    assert.deepEqual(ended, { ...run, outcome: 'ok', summary: 'well', costUsd: 1, endedAt: clock.now })
  })

  test('runs that are to be settled are found up to a limit, those that waited behind the others', async (t) => {
    const { store } = await open(t)
    const { missions } = store
    const begin = async () => (await runNow(store, await missions.add(ada, daily, 9))).stored.turn
    const [waited, one, two] = [await begin(), await begin(), await begin()]
    await store.turns.record(waited, lease, step([gate('g', 'approval')], { status: 'waiting' }))
    await missions.settle({ turnId: waited.id, outcome: 'waiting', summary: '', costUsd: 0 }, pause)
    await store.turns.cancel(ada, waited.id)
    for (const turn of [one, two]) await finish(store, turn)
    const unsettled = async (limit: number) => (await missions.unsettled(limit)).map(({ turnId }) => turnId)
    assert.deepEqual((await unsettled(9)).toSorted(), [waited.id, one.id, two.id].toSorted())
    assert.equal((await unsettled(9)).at(-1), waited.id)
    assert.equal((await unsettled(2)).length, 2)
    assert.equal((await unsettled(3)).length, 3)
  })

  test('of missions that cost the same, the one with more runs is first', async (t) => {
    const { store } = await open(t)
    const { missions } = store
    const [seldom, often] = [await missions.add(ada, daily, 9), await missions.add(ada, daily, 9)]
    for (const mission of [seldom, often, often]) {
      const { stored } = await runNow(store, mission)
      await finish(store, stored.turn)
      await missions.settle({ turnId: stored.turn.id, outcome: 'ok', summary: '', costUsd: null }, pause)
    }
    assert.deepEqual(
      (await missions.costs(ada, 1)).map(({ missionId, runs, unpricedRuns }) => [missionId, runs, unpricedRuns]),
      [
        [often.id, 2, 2],
        [seldom.id, 1, 1],
      ],
    )
    assert.deepEqual([await missions.eraseSome(ada), await missions.eraseSome(ada)], [2 + 3, 0])
  })
}
