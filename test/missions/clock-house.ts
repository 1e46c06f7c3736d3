// A mission clock over a real store, runner and turns; only the time and the model are scripted.
import type { TestContext } from 'node:test'
import type { UserId } from '#core/ids.ts'
import type { Mission, MissionRun, SettledMission } from '#core/mission.ts'
import type { Turn } from '#core/turn.ts'
import { type Log, silentLog } from '#lib/log.ts'
import { type MissionClock, createMissionClock } from '#missions/clock.ts'
import { createMissions, type MissionInput, type Missions } from '#missions/missions.ts'
import { newsOfMission } from '#reach/events.ts'
import { openTestStore } from '../agent/bench.ts'
import { ada } from '../store/harness.ts'
import { type House, type HouseParts, openHouse, until } from '../turns/house.ts'

export const hour = 3_600_000
export const start = Date.parse('2026-11-16T08:00:00Z')

export type Opened = House & {
  readonly missions: Missions
  readonly clock: MissionClock
  readonly settled: SettledMission[]
  /** Whose outbox may have news. */
  readonly news: readonly UserId[]
  setTime(time: number): void
  /** Sets the time and lets the clock look, until nothing more is due. */
  at(time: number): Promise<void>
  add(input?: MissionInput): Promise<Mission>
  runs(mission: Mission): Promise<readonly MissionRun[]>
}

type More = { maxRunning?: number; idle?: true; log?: Log }

export function open(t: TestContext, parts: HouseParts = {}, more: More = {}): Opened {
  const time = { now: start }
  const now = (): number => time.now
  const store = openTestStore(t, now)
  const rested = (turn: Turn): void => clock.rested(turn)
  const house = openHouse(t, { ...parts, store, now, observer: { stepped: () => {}, rested } })
  const settled: SettledMission[] = []
  const news: UserId[] = []
  const { maxRunning, log = silentLog } = more
  const clock = createMissionClock({
    store,
    turns: house.turns,
    bus: house.bus,
    log,
    newsOf(each) {
      settled.push(each)
      return newsOfMission(each)
    },
    onNews: (user) => void news.push(user),
    ...(maxRunning !== undefined && { maxRunning }),
  })
  t.after(() => clock.close())
  const wake = (): void => void (more.idle || clock.wake())
  wake()
  const missions = createMissions({
    store,
    turns: house.turns,
    toolNames: () => new Set(['read', 'once', 'write']),
    onChange: wake,
  })
  return {
    ...house,
    missions,
    clock,
    settled,
    news,
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

export const outcomes = (runs: readonly MissionRun[]) =>
  runs.map(({ nominalAt, outcome }) => [(nominalAt - start) / hour, outcome])

/** Waits until each run has an outcome. */
export async function ended(house: Opened, mission: Mission): Promise<readonly MissionRun[]> {
  await until(async () => (await house.runs(mission)).every(({ outcome }) => outcome !== undefined))
  return house.runs(mission)
}
