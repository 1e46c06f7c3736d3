// Keeps this process's lease alive, and takes over the turns of lost processes.
import type { Lease } from '#core/lease.ts'
import type { Store } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import type { Log } from '#lib/log.ts'
import type { Runner } from './runner.ts'

const beatMs = 3_000
const lookMs = 1_000
/** A database that does not answer a ping within this time counts as unreachable. */
const pingTimeoutMs = 2_000

export type HeartbeatParts = {
  readonly store: Pick<Store, 'leases' | 'turns' | 'ping'>
  readonly runner: Runner
  readonly lease: Lease
  readonly clock: Clock
  readonly log: Log
}

export interface Heartbeat {
  /** True while the database cannot be reached. */
  away(): boolean
  stop(): Promise<void>
}

/**
 * Beats every few seconds. When a beat finds that the lease expired (the process was stopped or cut off), it gives up the
 * turns under the lease and joins anew; the store refuses writes under the old lease.
 */
export function startHeartbeat({ store, runner, lease, clock, log }: HeartbeatParts): Heartbeat {
  let current = lease
  let away = false
  let strays: ReadonlySet<string> = new Set()

  async function beat(): Promise<void> {
    if (!(await store.leases.beat(current))) {
      current = await store.leases.join(current.owner)
      runner.renew(current)
      log.warn({ epoch: current.epoch }, 'lease expired; its turns were given up')
    }
    const taken = await store.turns.recover(current)
    if (taken > 0) log.info({ turns: taken }, 'took over turns of a lost process')
    await releaseStrays()
    runner.wake()
  }

  /**
   * A start or a claim whose commit was not confirmed leaves a turn that is marked as running here but is not. After two
   * beats in a row it goes back into the queue; should it run after all, its next step is refused.
   */
  async function releaseStrays(): Promise<void> {
    const found = (await store.turns.runningUnder(current)).filter(({ id }) => !runner.has(id))
    for (const turn of found) {
      if (!strays.has(turn.id)) continue
      await store.turns.release(turn, current)
      log.warn({ turn: turn.id }, 'queued a turn again that was marked as running here but was not')
    }
    strays = new Set(found.map(({ id }) => id))
  }

  /** Checks the database, so that doors can refuse requests at once while it is unreachable. */
  async function look(): Promise<void> {
    const late = setTimeout(() => {
      away = true
    }, pingTimeoutMs)
    try {
      await store.ping()
      away = false
    } catch {
      away = true
    } finally {
      clearTimeout(late)
    }
  }

  const beating = clock.every(beatMs, 'lease beat', beat)
  const looking = clock.every(lookMs, 'database look', look)
  return {
    away: () => away,
    async stop() {
      await Promise.all([beating.stop(), looking.stop()])
      await store.leases
        .leave(current)
        .catch((error: unknown) => log.error({ err: error }, 'could not release the lease'))
    },
  }
}
