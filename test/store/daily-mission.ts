// A daily mission of the store's tests: how it is added, fired and settled.
import assert from 'node:assert/strict'
import type { UserId } from '#core/ids.ts'
import type { Mission, NewMission, RunEnd } from '#core/mission.ts'
import type { Fired, Firing, Store } from '#core/store.ts'
import { ada, turnOf } from './harness.ts'

export const pause = { afterFailures: 3, because: 'it failed three times' }
export const daily: NewMission = {
  title: 'News',
  prompt: 'Read the news',
  schedule: '@daily',
  zone: 'UTC',
  missed: 'once',
  from: 0,
  nextAt: 1_000,
}

export const addMission = (store: Store, user: UserId = ada, over: Partial<NewMission> = {}): Promise<Mission> =>
  store.missions.add(user, { ...daily, ...over }, 100)

/** Adds missions that are done, and returns their ids, newest first. */
export async function addDone(store: Store, user: UserId, count: number): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < count) {
    const done = await store.missions.change(await addMission(store, user), { status: 'done', nextAt: null }, 100)
    assert.ok(done)
    ids.unshift(done.id)
  }
  return ids
}

export function firing(mission: Mission, over: Partial<Firing> = {}): Firing {
  const turn = turnOf({ user: mission.userId, door: 'mission' })
  const run = { at: mission.nextAt ?? 0, turn }
  return { mission, missed: [], run, next: 2_000, maxRunning: 20, pause, plannedAt: run.at, ...over }
}

/** Fires a mission and returns its turn. */
export async function startRun(store: Store, mission: Mission, over: Partial<Firing> = {}) {
  const fired: Fired = await store.missions.fire(firing(mission, over))
  assert.ok(fired.type === 'started', fired.type)
  return fired.stored.turn
}

export const endOf = (turnId: string, over: Partial<RunEnd> = {}): RunEnd => ({
  turnId,
  outcome: 'ok',
  summary: 'All is well.',
  costUsd: 0.25,
  ...over,
})

export const outcomesOf = async (store: Store, { id, userId }: Mission) =>
  (await store.missions.runs(userId, id, { limit: 200 })).rows.map(({ nominalAt, outcome }) => [nominalAt, outcome])
