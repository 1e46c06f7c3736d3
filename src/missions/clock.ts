// Fires missions when they are due: one timer for the nearest instant of all, woken by changes and by runs that end. The
// store decides which of all processes fires an instant.
import { setImmediate as pass, setTimeout as pause } from 'node:timers/promises'
import type { Bus } from '#core/bus.ts'
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import type { Mission, SettledMission } from '#core/mission.ts'
import type { NewNews } from '#core/notification.ts'
import type { Fired, Store } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import type { Log } from '#lib/log.ts'
import { createLookLoop } from '#lib/look-loop.ts'
import { inPace, pace } from '#lib/pace.ts'
import { isAway } from '#turns/store-retry.ts'
import type { Turns } from '#turns/turns.ts'
import { decide } from './due.ts'
import { endOfRun, turnOfRun } from './run.ts'
import { nextRuns, storedSchedule } from './schedule.ts'

/** Runs at once in the whole service. */
export const maxRunningMissions = 20
const maxWaitMs = 60_000
/** Longer without a look than this: the machine slept, or its clock jumped. */
const gapMs = 2 * maxWaitMs
/** Before another try after a fault, such as a database that is away. */
const retryMs = 5_000
/** A storm of missions leaves room for ordinary turns: after each start it rests as long as the start took, within these. */
const minStartRestMs = 2
const maxStartRestMs = 20
/** Missions that are read at a time. */
const batch = 20
const pauseRule = {
  afterFailures: 3,
  because: 'It failed three times in a row. Look at its last runs, mend what is wrong, then resume it.',
}

export type MissionClockParts = {
  readonly store: Pick<Store, 'missions' | 'turns' | 'threads' | 'backend'>
  readonly turns: Pick<Turns, 'startBy'>
  readonly bus: Pick<Bus, 'publishChange'>
  readonly log: Log
  /** The news for the owner of a run that ended, or of a mission that was paused. Stored together with it. */
  readonly newsOf?: (settled: SettledMission) => readonly NewNews[]
  /** News of a user may have come into the outbox. */
  readonly onNews?: (user: UserId) => void
  readonly maxRunning?: number
}

export interface MissionClock {
  /** Looks soon, and fires from then on. Before the first call the clock only records the ends of runs. */
  wake(): void
  /** A run of this process came to rest. */
  rested(turn: Pick<Turn, 'id' | 'userId'>): void
  /** Fires nothing more; resolves once nothing is being fired. Ends of runs are still recorded. */
  stop(): Promise<void>
  /** Stops, and resolves once no end is being recorded. */
  close(): Promise<void>
}

export function createMissionClock(parts: MissionClockParts): MissionClock {
  const { store, turns, bus, log, newsOf = () => [], maxRunning = maxRunningMissions } = parts
  const { missions } = store
  let started = false
  let closed = false
  /** When this process last looked for ends that nobody recorded; undefined if it has to. */
  let settledAt: number | undefined
  /** Since when the service has run without a gap, and when it last looked, by the database's clock. */
  let awakeSince: number | undefined
  let lastLook: number | undefined
  const settling = new Set<Promise<void>>()

  const loop = createLookLoop({
    look,
    onFault(error, times) {
      if (times === 1) log.error({ err: error }, 'could not look after missions; trying again')
      return retryMs
    },
  })

  /** Fires what is due. Returns the time until the next look. */
  async function look(): Promise<number | undefined> {
    await settleAll()
    const failed = new Set<string>()
    for (;;) {
      const { now, at } = await missions.nearest()
      // The gap ended up to a minute ago: an instant of that minute was not missed.
      if (lastLook !== undefined && now - lastLook > gapMs) awakeSince = now - maxWaitMs
      // A clock that was set back shows times again at which it was awake.
      awakeSince = Math.min(awakeSince ?? now, now)
      if (lastLook === undefined || now < lastLook - gapMs) {
        lastLook = now
        if (await takeBack(now, failed)) continue
      }
      lastLook = now
      if (closed) return undefined
      // On PostgreSQL another process may end before it has recorded the end of its last run.
      if (at === undefined) return store.backend === 'postgres' || settledAt === undefined ? maxWaitMs : undefined
      // In steps, so that a clock that jumps or a machine that sleeps is noticed. A timer may fire a millisecond early.
      if (at > now) return Math.min(at - now + 1, maxWaitMs)
      // As many run as may: the next end wakes this clock. The timer is for ends that nobody tells of.
      const fired = await fireDue(now, awakeSince, failed)
      if (fired === 'full') return maxWaitMs
      if (fired === 'none') return retryMs
    }
  }

  /**
   * Does the work of one row. If it fails for a reason of its own, its key is added to `failed` and it is left for the next
   * look: it holds up no other row.
   */
  async function attempt<T>(key: string, failed: Set<string>, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      if (isAway(error)) throw error
      log.error({ id: key, err: error }, 'could not look after a mission; trying again')
      failed.add(key)
      return undefined
    }
  }

  /** A clock that was ahead and went back: what was planned meanwhile would sleep until that time comes. */
  async function takeBack(now: number, failed: Set<string>): Promise<boolean> {
    let any = false
    while (!closed) {
      const ahead = (await missions.plannedAhead(now, batch + failed.size)).filter(({ id }) => !failed.has(id))
      for (const mission of ahead) {
        await attempt(mission.id, failed, () => takeOneBack(mission, now))
        any = true
        await pace()
      }
      if (ahead.length < batch) break
    }
    if (any) log.warn({}, 'the clock was ahead: missions come at their next instant again')
    return any
  }

  async function takeOneBack(mission: Mission, now: number): Promise<void> {
    const { nextAt = now } = mission
    // A schedule that was begun by the wrong clock begins anew.
    const schedule = storedSchedule({ ...mission, from: Math.min(mission.from, now) })
    const [next = nextAt] = typeof schedule === 'string' ? [] : nextRuns(schedule, now, 1)
    await missions.takeBack(mission, next, now)
  }

  /** Fires some of what is due. `full`: as many run as may. `none`: all that is due has failed in this look. */
  async function fireDue(now: number, awake: number, failed: Set<string>): Promise<'some' | 'none' | 'full'> {
    const due = (await missions.due(now, batch + failed.size)).filter(({ id }) => !failed.has(id))
    for (const mission of due) {
      if (closed) return 'full'
      const began = performance.now()
      const fired = await attempt(mission.id, failed, () => fire(mission, now, awake))
      if (!fired) continue
      if (fired.type === 'full') return 'full'
      if (fired.type === 'recorded' && fired.paused) log.warn({ mission: mission.id }, 'paused a mission that fails')
      if (fired.type !== 'lost') bus.publishChange({ userId: mission.userId }, {})
      await (fired.type === 'started' ? rest(performance.now() - began) : pass())
    }
    return due.length === 0 ? 'none' : 'some'
  }

  async function rest(tookMs: number): Promise<void> {
    await pause(Math.min(Math.max(tookMs, minStartRestMs), maxStartRestMs))
  }

  async function fire(mission: Mission, now: number, awake: number): Promise<Fired> {
    const schedule = storedSchedule(mission)
    if (typeof schedule === 'string') {
      const news = newsOf({ mission, paused: true, outcome: 'failed', at: mission.nextAt ?? now })
      const change = { status: 'paused', nextAt: null, pausedBecause: schedule } as const
      if (await missions.change(mission, change, Infinity, news)) parts.onNews?.(mission.userId)
      return { type: 'recorded', paused: true }
    }
    const { nextAt = now, missed } = mission
    const { run: at, ...rest } = await inPace(decide({ schedule, nextAt, missed }, now, awake))
    const firing = { ...rest, mission, maxRunning, pause: pauseRule, plannedAt: now }
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
      const failed = await missions.fire({
        ...firing,
        run: { at, fault: error.message },
        newsOf: (settled) => newsOf({ ...settled, outcome: 'failed', at }),
      })
      parts.onNews?.(mission.userId)
      return failed
    }
  }

  /** Records ends that nobody recorded. On SQLite only a restart leaves any; on PostgreSQL any process that is killed. */
  async function settleAll(): Promise<void> {
    const now = performance.now()
    if (settledAt !== undefined && (store.backend === 'sqlite' || now - settledAt < maxWaitMs)) return
    // Set first: an end that cannot be recorded meanwhile calls for another look.
    settledAt = now
    const failed = new Set<string>()
    try {
      for (;;) {
        const open = (await missions.unsettled(batch + failed.size)).filter(({ turnId }) => !failed.has(turnId))
        for (const { turnId, user } of open) await attempt(turnId, failed, () => settle(user, turnId))
        if (open.length < batch || closed) break
      }
    } catch (error) {
      settledAt = undefined
      throw error
    }
    if (failed.size > 0) settledAt = undefined
  }

  async function settle(user: UserId, turnId: string): Promise<void> {
    const turn = await store.turns.get(user, turnId)
    const end = await endOfRun(store, turnId, turn)
    if (!end) return
    const outcome = end.stopped ? 'stopped' : end.outcome
    const named = turn && { turn: { id: turn.id, threadId: turn.threadId } }
    const settled = await missions.settle(end, pauseRule, (run) => newsOf({ ...run, outcome, ...named }))
    if (!settled) return
    if (settled.paused) log.warn({ mission: settled.mission.id }, 'paused a mission that fails')
    bus.publishChange({ userId: user }, turn ? { threadId: turn.threadId, turnId } : {})
    parts.onNews?.(settled.mission.userId)
  }

  async function stop(): Promise<void> {
    closed = true
    await loop.stop()
  }

  return {
    wake() {
      started = true
      loop.wake()
    },
    rested({ id, userId }) {
      const work = settle(userId, id)
        .catch((error: unknown) => {
          log.error({ turn: id, err: error }, 'could not record the end of a run; trying again')
          settledAt = undefined
        })
        .then(() => {
          settling.delete(work)
          if (started) loop.wake()
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
