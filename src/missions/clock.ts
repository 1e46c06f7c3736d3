// Fires missions when they are due: one timer for the nearest instant of all, woken by changes and by runs that end. The
// store decides which of all processes fires an instant.
import { setImmediate as pass, setTimeout as pause } from 'node:timers/promises'
import type { Bus } from '#core/bus.ts'
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import type { Mission, SettledMission } from '#core/mission.ts'
import type { Fired, Store } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import type { Log } from '#lib/log.ts'
import { inPace } from '#lib/pace.ts'
import type { Turns } from '#turns/turns.ts'
import { decide } from './due.ts'
import { endOfRun, turnOfRun } from './run.ts'
import { storedSchedule } from './schedule.ts'

/** Runs at once in the whole service. */
export const maxRunningMissions = 20
const maxWaitMs = 60_000
/** Longer without a look than this: the machine slept, or its clock jumped. */
const gapMs = 2 * maxWaitMs
/** Before another try after a fault, such as a database that is away. */
const retryMs = 5_000
/** Between two starts: a storm of missions leaves most of the time to ordinary turns. */
const startPauseMs = 20
/** Missions that are read at a time. */
const batch = 20
export const pauseRule = {
  afterFailures: 3,
  because: 'It failed three times in a row. Look at its last runs, mend what is wrong, then resume it.',
}

export type MissionClockParts = {
  readonly store: Pick<Store, 'missions' | 'turns' | 'threads' | 'backend'>
  readonly turns: Pick<Turns, 'startBy'>
  readonly bus: Pick<Bus, 'publishChange'>
  readonly log: Log
  /** Is told of every run that ends, and of missions that were paused: for notifications. */
  readonly onSettled?: (settled: SettledMission) => void
  readonly maxRunning?: number
}

export interface MissionClock {
  /** Begins to fire. Before that the clock only records the ends of runs. */
  start(): void
  /** Looks again soon: a schedule has changed. */
  wake(): void
  /** A run of this process came to rest. */
  rested(turn: Pick<Turn, 'id' | 'userId'>): void
  /** Fires nothing more; resolves once nothing is being fired. Ends of runs are still recorded. */
  stop(): Promise<void>
  /** Stops, and resolves once no end is being recorded. */
  close(): Promise<void>
}

export function startMissionClock(parts: MissionClockParts): MissionClock {
  const { store, turns, bus, log, maxRunning = maxRunningMissions } = parts
  const { missions } = store
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let again = false
  let started = false
  let closed = false
  let settledAll = false
  /** Since when the service has run without a gap, and when it last looked, by the database's clock. */
  let awakeSince: number | undefined
  let lastLook = 0
  const settling = new Set<Promise<void>>()

  function wake(): void {
    again = looking !== undefined
    if (!started || closed || looking) return
    clearTimeout(timer)
    looking = look()
      .catch((error: unknown) => {
        log.error({ err: error }, 'could not look after missions; trying again')
        arm(retryMs)
      })
      .finally(() => {
        looking = undefined
        if (again) wake()
      })
  }

  function arm(ms: number): void {
    clearTimeout(timer)
    if (!closed) timer = setTimeout(wake, Math.min(Math.max(ms, 0), maxWaitMs)).unref()
  }

  async function look(): Promise<void> {
    await pass()
    // On PostgreSQL the process of a run may be gone; on SQLite only a restart leaves one unsettled.
    if (!settledAll || store.backend === 'postgres') await settleAll()
    settledAll = true
    for (;;) {
      const { now, at } = await missions.nearest()
      if (awakeSince === undefined || Math.abs(now - lastLook) > gapMs) awakeSince = now
      lastLook = now
      if (closed || at === undefined) return
      if (at > now) return waitFor(at - now)
      // As many run as may: the next end wakes this clock. The timer is for ends that nobody tells of.
      if (!(await fireDue(now, awakeSince))) return arm(maxWaitMs)
    }
  }

  /** Waits in steps: a clock that jumps, or a machine that sleeps, is noticed at the next one. */
  function waitFor(ms: number): void {
    // A little late rather than a little early: a timer may fire within the millisecond before.
    arm(Math.min(ms + 1, maxWaitMs))
  }

  /** Fires what is due; false when as many run as may. */
  async function fireDue(now: number, awake: number): Promise<boolean> {
    for (const mission of await missions.due(now, batch)) {
      if (closed) return false
      const fired = await fire(mission, now, awake)
      if (fired.type === 'full') return false
      if (fired.type === 'recorded' && fired.paused) log.warn({ mission: mission.id }, 'paused a mission that fails')
      if (fired.type !== 'lost') bus.publishChange({ userId: mission.userId }, {})
      await (fired.type === 'started' ? pause(startPauseMs) : pass())
    }
    return true
  }

  async function fire(mission: Mission, now: number, awake: number): Promise<Fired> {
    const schedule = storedSchedule(mission)
    if (typeof schedule === 'string') {
      const changed = await missions.change(
        mission,
        { status: 'paused', nextAt: null, pausedBecause: schedule },
        Infinity,
      )
      if (changed) parts.onSettled?.({ mission: changed, paused: true, outcome: 'failed', at: mission.nextAt ?? now })
      return { type: 'recorded', paused: true }
    }
    const { nextAt = now, missed } = mission
    const { run: at, ...rest } = await inPace(decide({ schedule, nextAt, missed }, now, awake))
    const firing = { ...rest, mission, maxRunning, pause: pauseRule }
    if (at === undefined) return missions.fire(firing)
    let fired: Fired = { type: 'lost' }
    try {
      const last = await missions.lastRun(mission.userId, mission.id)
      const started = await turns.startBy(turnOfRun(mission, at, last), async (turn) => {
        fired = await missions.fire({ ...firing, run: { at, turn } })
        return fired.type === 'started' ? fired.stored : undefined
      })
      started?.events.close()
      return fired
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'storage_full')) throw error
      const failed = await missions.fire({ ...firing, run: { at, fault: error.message } })
      if (failed.type === 'recorded') parts.onSettled?.({ mission, paused: failed.paused, outcome: 'failed', at })
      return failed
    }
  }

  async function settleAll(): Promise<void> {
    for (const { turnId, user } of await missions.unsettled(batch)) await settle(user, turnId)
  }

  async function settle(user: UserId, turnId: string): Promise<void> {
    const turn = await store.turns.get(user, turnId)
    const end = await endOfRun(store, turnId, turn)
    const settled = end && (await missions.settle(end, pauseRule))
    if (!settled) return
    if (settled.paused) log.warn({ mission: settled.mission.id }, 'paused a mission that fails')
    bus.publishChange({ userId: user }, turn ? { threadId: turn.threadId, turnId } : {})
    const outcome = end.stopped ? 'stopped' : end.outcome
    parts.onSettled?.({ ...settled, outcome, ...(turn && { turn: { id: turn.id, threadId: turn.threadId } }) })
  }

  async function stop(): Promise<void> {
    closed = true
    clearTimeout(timer)
    await looking
  }

  return {
    start() {
      started = true
      wake()
    },
    wake,
    rested({ id, userId }) {
      const work = settle(userId, id)
        .catch((error: unknown) => {
          log.error({ turn: id, err: error }, 'could not record the end of a run; trying again')
          settledAll = false
        })
        .then(() => {
          settling.delete(work)
          wake()
        })
      settling.add(work)
    },
    stop,
    async close() {
      await stop()
      await Promise.all(settling)
    },
  }
}
