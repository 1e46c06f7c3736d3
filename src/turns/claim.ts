// Claims queued turns: looks at the queue when it may have turns and this process has room, one look at a time.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Lease } from '#core/lease.ts'
import type { StartedTurn } from '#core/turn-store.ts'
import type { Store } from '#core/store.ts'
import type { Log } from '#lib/log.ts'
import { createLookLoop } from '#lib/look-loop.ts'
import { pace } from '#lib/pace.ts'

/** Turns of one claim. It is one transaction, which blocks SQLite, and all its turns start together. */
const maxAtOnce = 64
/** Pause before a failed claim is tried again. */
const retryMs = 1_000

export type ClaimParts = {
  readonly store: Pick<Store, 'turns'>
  /** The lease to claim under and the number of turns that may still start; undefined when no turn may start. */
  readonly room: () => { readonly lease: Lease; readonly turns: number } | undefined
  readonly take: (started: StartedTurn, lease: Lease) => void
  readonly log: Log
}

export interface Claims {
  /** A turn may be queued: looks soon. */
  wake(): void
  /** A turn may be queued: looks after the next `freed`. */
  expect(): void
  /** A turn ended here, so that another may start. */
  freed(): void
  /** Claims no more; resolves once a claim under way has handed over its turns. */
  stop(): Promise<void>
}

export function createClaims({ store, room, take, log }: ClaimParts): Claims {
  let expected = false
  /** A turn ended during the claim, which may have seen it running. */
  let freedMeanwhile = false

  const loop = createLookLoop({
    look: claim,
    onFault(error) {
      log.error({ err: error }, 'could not claim queued turns; trying again')
      expected = true
      return retryMs
    },
  })

  function wake(): void {
    expected = true
    loop.wake()
  }

  /** Returns 0 if another claim may find more. */
  async function claim(): Promise<number | undefined> {
    const free = room()
    if (!free) return undefined
    const began = performance.now()
    expected = false
    freedMeanwhile = false
    const { started, more } = await store.turns.claim(free.lease, Math.min(free.turns, maxAtOnce))
    for (const each of started) {
      take(each, free.lease)
      // The beginnings of all of them together would block the event loop.
      await pace()
    }
    if (!more) return undefined
    expected = true
    if (started.length === 0) return freedMeanwhile ? 0 : undefined
    // Pause for as long as the claim took, so that other work can use the database.
    await sleep(performance.now() - began)
    return 0
  }

  return {
    wake,
    expect() {
      expected = true
    },
    freed() {
      freedMeanwhile = true
      if (expected) wake()
    },
    stop: loop.stop,
  }
}
