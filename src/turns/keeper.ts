// Keeps this process's lease alive, and takes over what others left behind.
import type { Lease, Store } from '#core/store.ts'
import type { Log } from '#lib/log.ts'
import type { Runner } from './runner.ts'

const beatMs = 3_000
const lookMs = 1_000

export type KeeperParts = {
  readonly store: Pick<Store, 'leases' | 'turns' | 'ping'>
  readonly runner: Runner
  readonly lease: Lease
  readonly log: Log
}

export interface Keeper {
  /** True while the database cannot be reached. */
  away(): boolean
  stop(): Promise<void>
}

/**
 * Beats every few seconds. A beat that finds the lease run out (the process was stopped or cut off) gives up the turns
 * under it and joins anew; the store refuses whatever is still written under the old one.
 */
export function createKeeper({ store, runner, lease, log }: KeeperParts): Keeper {
  let held = lease
  let beating: Promise<void> | undefined
  let away = false

  async function beat(): Promise<void> {
    if (!(await store.leases.beat(held))) {
      held = await store.leases.join(held.owner)
      runner.renew(held)
      log.warn({ epoch: held.epoch }, 'the lease had run out; its turns were given up')
    }
    const taken = await store.turns.recover(held)
    if (taken > 0) log.info({ turns: taken }, 'turns of a lost process go on')
    runner.wake()
  }

  const timer = setInterval(() => {
    beating ??= beat()
      .catch((error: unknown) => log.error({ err: error }, 'the lease could not be renewed; trying again'))
      .finally(() => {
        beating = undefined
      })
  }, beatMs)
  timer.unref()
  // A look each second, so that doors can say at once that nothing can be taken.
  const looking = setInterval(() => {
    store.ping().then(
      () => {
        away = false
      },
      () => {
        away = true
      },
    )
  }, lookMs)
  looking.unref()
  return {
    away: () => away,
    async stop() {
      clearInterval(timer)
      clearInterval(looking)
      await beating
      await store.leases
        .leave(held)
        .catch((error: unknown) => log.error({ err: error }, 'the lease could not be given back'))
    },
  }
}
