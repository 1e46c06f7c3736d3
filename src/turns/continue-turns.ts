// Continues the turns that the last run of this home, or a lost process, has left. On a full disk they wait for room.
import { AppError } from '#core/errors.ts'
import type { Lease } from '#core/lease.ts'
import type { Store } from '#core/store.ts'
import type { Log } from '#lib/log.ts'
import type { Runner } from './runner.ts'
import { untilStored } from './store-retry.ts'

type ContinueParts = {
  readonly store: { readonly turns: Pick<Store['turns'], 'recover'> }
  readonly runner: Pick<Runner, 'wake'>
  readonly lease: Lease
  readonly log: Log
}

/** Resolves once the turns are queued, or wait for room; with the function that ends the wait. */
export async function continueTurns({ store, runner, lease, log }: ContinueParts): Promise<() => Promise<void>> {
  const waits = new AbortController()
  const recover = async (): Promise<void> => {
    const recovered = await store.turns.recover(lease)
    if (recovered > 0) log.info({ turns: recovered }, 'continuing turns of the last run')
    runner.wake()
  }
  try {
    await recover()
    return () => Promise.resolve()
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'disk_full') throw error
    log.error({ code: error.code }, 'the disk is full: turns of the last run wait until there is room')
  }
  const { signal } = waits
  const waiting = untilStored(recover, { over: () => signal.aborted, signal }).catch((error: unknown) => {
    if (!signal.aborted) log.error({ err: error }, 'could not continue the turns of the last run')
  })
  return async () => {
    waits.abort()
    await waiting
  }
}
