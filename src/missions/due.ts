// Decides what happens to the instants of a mission that are due: which one runs, which are missed. Pure, and in slices.
import type { MissedPolicy, MissedRow } from '#core/mission.ts'
import { maxMakeUpHours } from '#core/page-limits.ts'
import { hourMs } from '#core/time.ts'
import { nextRuns, runsBetween, type Schedule } from './schedule.ts'

/** Missed instants that get a row each, the latest ones; earlier ones share one. */
export const maxMissedRows = 100

export type DueMission = {
  readonly schedule: Schedule
  /** The first instant that nothing was done about. */
  readonly nextAt: number
  readonly missed: MissedPolicy
}

export type Due = {
  /** The instant to run. */
  readonly run?: number
  readonly missed: readonly MissedRow[]
  /** The next instant after now; absent if the schedule is over. */
  readonly next?: number
}

/** `awakeSince` is since when the service has run without a gap: what came since then is late at most, not missed. */
export function* decide(
  { schedule, nextAt, missed }: DueMission,
  now: number,
  awakeSince: number,
): Generator<void, Due> {
  const { runs, uncounted } = yield* runsBetween(schedule, nextAt, now)
  const latest = runs.at(-1)
  const [next] = nextRuns(schedule, now, 1)
  const oldest = missed === 'once' ? now - maxMakeUpHours * hourMs : awakeSince
  const run = latest !== undefined && latest >= oldest ? latest : undefined
  const passed = run === undefined ? runs : runs.slice(0, -1)
  return {
    ...(run !== undefined && { run }),
    missed: rowsOf(passed, uncounted),
    ...(next !== undefined && { next }),
  }
}

function rowsOf(passed: readonly number[], uncounted: number): MissedRow[] {
  const own = passed.slice(-maxMissedRows).map((at) => ({ at }))
  const [first] = passed
  const shared = passed.length - own.length + uncounted
  return first !== undefined && shared > 0 ? [{ at: first, count: shared }, ...own] : own
}
