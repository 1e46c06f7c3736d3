// Erases conversations by their last activity: on request, and by the setting `retention_days` at the start and once a day.
import { setImmediate as pass } from 'node:timers/promises'
import { type Erased } from '#core/account.ts'
import type { Bus } from '#core/bus.ts'
import type { PastThreads } from '#core/past-threads.ts'
import type { Lease } from '#core/lease.ts'
import type { Store } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import type { Log } from '#lib/log.ts'
import { dayMs } from '#core/time.ts'
import { createEraseClock, type EraseClockParts, settleMs } from './erase-clock.ts'
import { eraseWords } from './erase-words.ts'

/** Delay of the first look, so that short commands end without one. */
const firstLookMs = 2_000
/** The duty is held from look to look. */
const dutyMs = 2 * dayMs
/** Before another try for the duty where another process has it: the duty is free once that process is gone. */
const takeOverMs = 15_000
/** Work of one call: a command asks for the next part, and no request of it lasts long. */
const partMs = 1_000

export type Pruned = Pick<Erased, 'threads' | 'turns' | 'items'>

export type PruneParts = {
  readonly store: {
    readonly threads: Pick<Store['threads'], 'erasePast'>
    readonly threadIndex: Pick<Store['threadIndex'], 'erase'>
  }
  /** Tells watchers of lists. */
  readonly bus?: Pick<Bus, 'publishChange'>
}

export type PruneOrder = { readonly before: number; readonly dryRun?: boolean; readonly next?: PastThreads }
export type PrunedPart = Pruned & { readonly next?: PastThreads }

/** Erases, or with `dryRun` counts, for about a second; repeat it with `next` until there is none. */
export async function pruneSome(
  { store, bus }: PruneParts,
  { before, dryRun = false, next: from }: PruneOrder,
): Promise<PrunedPart> {
  const until = performance.now() + partMs
  const all = { threads: 0, turns: 0, items: 0 }
  let next = from
  do {
    const part = await store.threads.erasePast(before, { dryRun, ...(next && { next }) }).catch((error: unknown) => {
      // What was erased is told first; whoever goes on meets the fault.
      if (next === from) throw error
    })
    if (!part) break
    all.threads += part.erased.threads
    all.turns += part.erased.turns
    all.items += part.erased.items
    await eraseWords(store.threadIndex, part.threadIds)
    if (part.user !== undefined && !dryRun) bus?.publishChange({ userId: part.user }, {})
    next = part.next
    // Let other work run between two transactions.
    await pass()
  } while (next && performance.now() < until)
  return { ...all, ...(next && { next }) }
}

export type RetentionParts = PruneParts & {
  readonly store: { readonly leases: Pick<Store['leases'], 'takeDuty' | 'databaseTime'> }
  readonly lease: Pick<Lease, 'owner'>
  readonly clock: Pick<Clock, 'now' | 'at'>
  readonly elapsed?: EraseClockParts['elapsed']
  /** The setting; 0 keeps everything. */
  readonly retentionDays: () => number
  readonly log: Log
}

/** Starts to erase what is older than the setting allows. One of all processes does so. The result ends it. */
export function watchRetention(parts: RetentionParts): () => void {
  const { store, lease, clock, elapsed, retentionDays, log } = parts
  const timeToErase = createEraseClock({ leases: store.leases, clock, elapsed })
  let stopped = false
  const look = async (): Promise<void> => {
    let nextMs = dayMs
    try {
      const days = retentionDays()
      if (days === 0) return
      if (!(await store.leases.takeDuty('retention', lease.owner, dutyMs))) {
        nextMs = takeOverMs
        return
      }
      const time = await timeToErase()
      if (time === undefined) {
        nextMs = settleMs
        log.info({}, 'the clock was set forward: conversations are erased by their age in an hour')
        return
      }
      const before = time - days * dayMs
      let erased = 0
      for (let next: PastThreads | undefined, more = true; more && !stopped; more = next !== undefined) {
        const part: PrunedPart = await pruneSome(parts, { before, ...(next && { next }) })
        erased += part.threads
        next = part.next
      }
      if (erased > 0) log.info({ threads: erased, days }, 'erased conversations by retention_days')
    } finally {
      if (!stopped) clock.at(clock.now() + nextMs, 'retention', look)
    }
  }
  clock.at(clock.now() + firstLookMs, 'retention', look)
  return () => {
    stopped = true
  }
}
