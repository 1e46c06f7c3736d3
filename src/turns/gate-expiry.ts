// Denies gates that nobody answered for a day, so that their turns can end.
import type { Store } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import { createEraseClock, type EraseClockParts, settleMs } from './erase-clock.ts'
import { gateMs, ignoreClosed } from './gate-answers.ts'
import type { Gates } from './gates.ts'

/** Delay of the first look, so that short commands end without one. */
const firstLookMs = 1_000
/** Minimum time between looks: each reads all waiting turns, so gates that expire close together are denied together. */
const minGapMs = 5_000
const retryMs = 60_000

export type ExpiryParts = { readonly store: Pick<Store, 'turns'>; readonly gates: Pick<Gates, 'answer'> }

export type WatchParts = ExpiryParts & {
  readonly store: { readonly leases: Pick<Store['leases'], 'databaseTime'> }
  readonly clock: Clock
  readonly elapsed?: EraseClockParts['elapsed']
}

/** Starts to deny gates as they expire; after the clock was set forward, an hour later. */
export function watchExpiry({ clock, elapsed, ...parts }: WatchParts): void {
  const timeToExpire = createEraseClock({ leases: parts.store.leases, clock, elapsed })
  const look = async (): Promise<void> => {
    let next = clock.now() + retryMs
    try {
      const time = await timeToExpire()
      if (time === undefined) next = clock.now() + settleMs
      else next = Math.max(await expireGates({ ...parts, now: () => time }), clock.now() + minGapMs)
    } finally {
      clock.at(next, 'gate expiry', look)
    }
  }
  clock.at(clock.now() + firstLookMs, 'gate expiry', look)
}

/**
 * Denies every gate that has been open for a day; an answer that came first wins. Returns the time of the next look: no
 * gate expires before it, not even one that any process opens in the meantime.
 */
export async function expireGates({
  store,
  gates,
  now,
}: ExpiryParts & { readonly now: () => number }): Promise<number> {
  const looked = now()
  for (const { turn, callIds } of await store.turns.waitingSince(looked - gateMs)) {
    for (const callId of callIds) {
      const denial = { callId, decision: 'deny' as const, output: 'nobody answered within 24 hours', by: 'expiry' }
      await gates.answer(turn.userId, turn.threadId, denial).catch(ignoreClosed)
    }
  }
  const oldest = (await store.turns.oldestGate(looked - gateMs)) ?? looked
  return oldest + gateMs + 1
}
