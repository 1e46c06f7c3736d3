// Erases temporary threads a day after their last turn.
import { setImmediate as pass } from 'node:timers/promises'
import type { Lease } from '#core/lease.ts'
import type { Store } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import { createEraseClock, type EraseClockParts, settleMs } from './erase-clock.ts'
import { dayMs } from '#core/time.ts'

/** How long a temporary thread is kept after its last turn. */
const keptMs = dayMs
/** Delay of the first look, so that short commands end without one. */
const firstLookMs = 60_000
/** Time between looks: a thread is erased late by no more than this. */
const lookMs = 10 * 60_000
/** The duty is held from look to look. */
const dutyMs = 2 * settleMs

export type TemporaryParts = {
  readonly store: {
    readonly threads: Pick<Store['threads'], 'eraseTemporary'>
    readonly leases: Pick<Store['leases'], 'takeDuty' | 'databaseTime'>
  }
  readonly lease: Pick<Lease, 'owner'>
  readonly clock: Pick<Clock, 'now' | 'at'>
  readonly elapsed?: EraseClockParts['elapsed']
}

/** Starts to erase temporary threads as their time comes. One of all processes does so. */
export function watchTemporaryThreads({ store, lease, clock, elapsed }: TemporaryParts): void {
  const timeToErase = createEraseClock({ leases: store.leases, clock, elapsed })
  const look = async (): Promise<void> => {
    let nextMs = lookMs
    try {
      if (!(await store.leases.takeDuty('temporary threads', lease.owner, dutyMs))) return
      const time = await timeToErase()
      if (time === undefined) {
        nextMs = settleMs
        return
      }
      // In short transactions, so that other work goes on.
      while ((await store.threads.eraseTemporary(time - keptMs)) > 0) await pass()
    } finally {
      clock.at(clock.now() + nextMs, 'erase temporary threads', look)
    }
  }
  clock.at(clock.now() + firstLookMs, 'erase temporary threads', look)
}
