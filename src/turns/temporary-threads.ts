// Erases temporary threads a day after their last turn.
import { setImmediate as pass } from 'node:timers/promises'
import type { Lease } from '#core/lease.ts'
import type { Store } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import { dayMs } from '#core/time.ts'

/** How long a temporary thread is kept after its last turn. */
const keptMs = dayMs
/** Delay of the first look, so that short commands end without one. */
const firstLookMs = 60_000
/** Time between looks: a thread is erased late by no more than this. */
const lookMs = 10 * 60_000
/** The duty is held from look to look. */
const dutyMs = 2 * lookMs

export type TemporaryParts = {
  readonly store: {
    readonly threads: Pick<Store['threads'], 'eraseTemporary'>
    readonly leases: Pick<Store['leases'], 'takeDuty'>
  }
  readonly lease: Pick<Lease, 'owner'>
  readonly clock: Pick<Clock, 'now' | 'at'>
}

/** Starts to erase temporary threads as their time comes. One of all processes does so. */
export function watchTemporaryThreads({ store, lease, clock }: TemporaryParts): void {
  const look = async (): Promise<void> => {
    try {
      const ours = await store.leases.takeDuty('temporary threads', lease.owner, dutyMs)
      // In short transactions, so that other work goes on.
      while (ours && (await store.threads.eraseTemporary(clock.now() - keptMs)) > 0) await pass()
    } finally {
      clock.at(clock.now() + lookMs, 'erase temporary threads', look)
    }
  }
  clock.at(clock.now() + firstLookMs, 'erase temporary threads', look)
}
