// Takes queued turns: a look at the queue when something may be in it and there is room, one look at a time.
import { setImmediate as pass, setTimeout as sleep } from 'node:timers/promises'
import type { Lease, StartedTurn, Store } from '#core/store.ts'
import type { Log } from '#lib/log.ts'

/** Turns of one claim: it is one transaction, on SQLite nothing else happens meanwhile, and all of them begin together. */
const maxAtOnce = 64
/** A claim that failed is tried again after this. */
const againMs = 1_000

export type ClaimParts = {
  readonly store: Pick<Store, 'turns'>
  /** The lease to claim under and how many turns there is room for; undefined when there is none. */
  readonly room: () => { readonly lease: Lease; readonly free: number } | undefined
  readonly take: (started: StartedTurn, lease: Lease) => void
  readonly log: Log
}

export interface Claims {
  /** Something may be queued: looks soon. */
  wake(): void
  /** Something may be queued, for which a place must become free first. */
  expect(): void
  /** A place has become free. */
  freed(): void
  /** Takes nothing more; resolves once a claim that is under way has handed over what it took. */
  stop(): Promise<void>
}

export function createClaims({ store, room, take, log }: ClaimParts): Claims {
  let expected = false
  let stopped = false
  let claiming: Promise<void> | undefined
  let wokenAgain = false

  function wake(): void {
    expected = true
    // A wake during a claim may be about something that the claim did not see: look once more after it.
    wokenAgain = claiming !== undefined
    if (stopped || claiming) return
    claiming = pass()
      .then(claim)
      .finally(() => {
        claiming = undefined
        if (wokenAgain) wake()
      })
  }

  async function claim(): Promise<void> {
    const place = stopped ? undefined : room()
    if (!place) return
    const began = performance.now()
    try {
      expected = false
      const { started, more } = await store.turns.claim(place.lease, Math.min(place.free, maxAtOnce))
      for (const each of started) take(each, place.lease)
      if (more) expected = true
      if (!more || started.length === 0) return
      // As long as it took, others have their turn before the next one.
      await sleep(performance.now() - began)
      wokenAgain = true
    } catch (error) {
      log.error({ err: error }, 'queued turns could not be claimed; trying again')
      expected = true
      setTimeout(wake, againMs).unref()
    }
  }

  return {
    wake,
    expect() {
      expected = true
    },
    freed() {
      if (expected) wake()
    },
    async stop() {
      stopped = true
      await claiming
    },
  }
}
