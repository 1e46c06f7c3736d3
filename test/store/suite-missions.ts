// Missions of a user: made, listed, changed, counted and erased, each with its next instant.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Mission } from '#core/mission.ts'
import { removeUser } from '#turns/user-removal.ts'
import { ada, bob, type Open, rejectsWith } from './harness.ts'
import { addMission, daily, firing, outcomesOf, startRun } from './daily-mission.ts'

export function missionTests(open: Open): void {
  test('a mission belongs to its user, who lists, changes and removes it', async (t) => {
    const { store, clock } = await open(t)
    const { missions } = store
    const mission = await addMission(store, ada, { tools: ['time'], capUsd: 0.5 })
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
    assert.deepEqual((await missions.list(ada)).rows, [{ mission }])
    assert.deepEqual([await missions.get(bob, id), (await missions.list(bob)).rows], [undefined, []])
    const paused = await missions.change(mission, { status: 'paused', nextAt: null, tools: null, capUsd: null }, 100)
    assert.ok(paused && paused.nextAt === undefined && !('tools' in paused) && !('capUsd' in paused))
    assert.equal(await missions.change(mission, { title: 'Late' }, 100), undefined, 'it is not as it was')
    const renamed = await missions.change(paused, { title: 'Papers', prompt: 'Read', status: 'active', nextAt: 5 }, 100)
    assert.deepEqual([renamed?.title, renamed?.prompt, renamed?.nextAt, renamed?.zone], ['Papers', 'Read', 5, 'UTC'])
    assert.equal(await missions.remove(bob, id), false)
    assert.equal(await missions.remove(ada, id), true)
    assert.equal(await missions.get(ada, id), undefined)
  })

  test('a list has every mission that is not done and the newest hundred of the others, its next page the rest', async (t) => {
    const { store } = await open(t)
    const { missions } = store
    const old = await addMission(store)
    const done: Mission[] = []
    for (let count = 0; count < 101; count++) {
      const ended = await missions.change(await addMission(store), { status: 'done', nextAt: null }, 100)
      assert.ok(ended)
      done.unshift(ended)
    }
    const { rows, nextCursor } = await missions.list(ada)
    const ids = rows.map(({ mission }) => mission.id)
    assert.deepEqual(
      ids,
      [...done.slice(0, 100), old].map((each) => each.id),
    )
    assert.equal(nextCursor, done[99]?.id)
    assert.deepEqual(await missions.list(ada, nextCursor), { rows: [{ mission: done[100] }] })
    assert.deepEqual(await missions.list(bob, nextCursor), { rows: [] })
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
    const [late, soon] = [
      await addMission(store, ada, { nextAt: 9_000 }),
      await addMission(store, bob, { nextAt: 5_000 }),
    ]
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

  test('what was planned by a clock that was ahead is found and taken back', async (t) => {
    const { store, clock } = await open(t)
    const { missions } = store
    const now = clock.now + 1_000
    const [fired, resumed, old] = [
      await addMission(store),
      await addMission(store),
      await addMission(store, ada, { nextAt: 500 }),
    ]
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
    assert.deepEqual(await outcomesOf(store, fired), [[now - 500, 'missed']])
  })

  test('missions and runs count in what a user stores, and go with the user', async (t) => {
    const { store } = await open(t, { maxUserBytes: 20_000 })
    const user = await store.accounts.addUser('Ada', { hash: 'h' })
    const used = async (): Promise<number> => (await store.storage.used(user.id)).bytes
    const mission = await addMission(store, user.id, { prompt: 'x'.repeat(5_000) })
    assert.ok((await used()) > 5_000)
    await rejectsWith(addMission(store, user.id, { prompt: 'x'.repeat(20_000) }), 'storage_full')
    const before = await used()
    await startRun(store, mission)
    assert.ok((await used()) > before + 500)
    await store.missions.setZone(user.id, 'Asia/Tokyo')
    await removeUser({ store }, 'Ada')
    assert.deepEqual([await used(), (await store.missions.list(user.id)).rows], [0, []])
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
