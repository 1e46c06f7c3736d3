// Missions over one PostgreSQL and three clocks a minute apart: the row decides who fires, the database's clock when.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newId } from '#core/ids.ts'
import type { Turn } from '#core/turn.ts'
import { silentLog } from '#lib/log.ts'
import { createSeal } from '#lib/seal.ts'
import { type MissionClock, createMissionClock } from '#missions/clock.ts'
import { createMissions } from '#missions/missions.ts'
import { openPostgresStore } from '#store/open-store.ts'
import { usePostgres } from '../postgres.ts'
import { ada } from '../store/harness.ts'
import { openHouse, until } from '../turns/house.ts'

const server = usePostgres()
const shiftsMs = [-60_000, 0, 60_000]
const count = 12

async function openReplica(t: TestContext, url: string, shiftMs: number) {
  const { store } = await openPostgresStore({
    url,
    seal: createSeal('0'.repeat(64)),
    now: () => Date.now() + shiftMs,
  })
  t.after(() => store.close())
  const rested = (turn: Turn): void => clock.rested(turn)
  const lease = await store.leases.join(newId())
  const house = openHouse(t, { store, lease, observer: { stepped: () => {}, rested } })
  const clock: MissionClock = createMissionClock({ store, turns: house.turns, bus: house.bus, log: silentLog })
  t.after(() => clock.close())
  const missions = createMissions({ store, turns: house.turns, toolNames: () => new Set(), onChange: () => {} })
  return { store, clock, missions }
}

test('three clocks a minute apart fire each instant once, and none before its time', async (t) => {
  const { url } = await server.emptied()
  const replicas = await Promise.all(shiftsMs.map((shiftMs) => openReplica(t, url, shiftMs)))
  const [{ store } = assert.fail()] = replicas
  const planned: string[] = []
  for (let index = 0; index < count; index++) {
    const { missions } = replicas[index % replicas.length] ?? assert.fail()
    const { id, nextAt } = await missions.add(ada, { prompt: 'Look', schedule: 'in 2 seconds', zone: 'UTC' })
    planned.push(`${id} ${nextAt}`)
  }
  for (const { clock } of replicas) clock.wake()
  await until(async () => {
    const all = (await store.missions.list(ada)).rows
    const { now } = await store.missions.nearest()
    for (const { lastRun } of all) assert.ok(!lastRun || lastRun.nominalAt <= now, 'a run began before its time')
    return all.every(({ lastRun }) => lastRun?.outcome === 'ok')
  })
  const runs = await Promise.all(
    planned.map(async (each) => (await store.missions.runs(ada, each.split(' ')[0] ?? '', { limit: 9 })).rows),
  )
  assert.deepEqual(
    runs.flat().map(({ missionId, nominalAt }) => `${missionId} ${nominalAt}`),
    planned,
  )
  const turns = (await store.turns.list(ada, { limit: 100 })).rows.map(({ id }) => id)
  assert.deepEqual(turns.sort(), runs.flatMap((rows) => rows.map(({ turnId }) => turnId ?? '')).sort())
})
