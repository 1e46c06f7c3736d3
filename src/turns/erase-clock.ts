// The time by which things are erased, and gates denied, for their age: a wrong clock must not do so to what is young.
import { uptime } from 'node:os'
import type { LeaseStore } from '#core/lease.ts'
import { hourMs } from '#core/time.ts'
import type { Clock } from '#lib/clock.ts'

/** A clock that has gained more than this since the last look was set forward. */
const maxGainMs = hourMs
/** Before the next look then: a clock that was wrong may be set back meanwhile. */
export const settleMs = hourMs

export type EraseClockParts = {
  readonly leases: Pick<LeaseStore, 'databaseTime'>
  readonly clock: Pick<Clock, 'now'>
  /** Milliseconds that nobody sets, and that pass while the machine sleeps. Default: since it was started. */
  readonly elapsed?: (() => number) | undefined
}

/** Returns a function for the time, which is never ahead of the database's. Undefined if the clock was set forward since the last call. */
export function createEraseClock({ leases, clock, elapsed = () => uptime() * 1000 }: EraseClockParts) {
  let offset = clock.now() - elapsed()
  return async (): Promise<number | undefined> => {
    const gainedMs = clock.now() - elapsed() - offset
    offset += gainedMs
    if (gainedMs > maxGainMs) return undefined
    return Math.min(clock.now(), (await leases.databaseTime()) ?? Number.MAX_SAFE_INTEGER)
  }
}
