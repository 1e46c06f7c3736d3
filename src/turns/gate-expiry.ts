// Approvals that nobody answered: after a day they are denied, so that the turn can end.
import { AppError } from '#core/errors.ts'
import type { Store } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import { gateMs } from './gate-answers.ts'
import type { Gates } from './gates.ts'

/** After the start; a command that is over by then does not look. */
const firstLookMs = 1_000
/** Many gates that expire one after the other are denied together: a look reads all that wait. */
const minGapMs = 5_000
const retryMs = 60_000

/** What an answer that came first, or the end of the turn, leaves of a gate. */
const gone: ReadonlySet<string> = new Set(['gate_closed', 'not_found'])

export type ExpiryParts = { readonly store: Pick<Store, 'turns'>; readonly gates: Pick<Gates, 'answer'> }

/** Denies gates when they expire, from now on. */
export function watchExpiry({ clock, ...parts }: ExpiryParts & { readonly clock: Clock }): void {
  const look = async (): Promise<void> => {
    let next = clock.now() + retryMs
    try {
      next = Math.max(await expireGates({ ...parts, now: () => clock.now() }), clock.now() + minGapMs)
    } finally {
      clock.at(next, 'gate expiry', look)
    }
  }
  clock.at(clock.now() + firstLookMs, 'gate expiry', look)
}

/**
 * Denies every gate that has been open for a day; an answer that came first wins. Returns when to look again: no gate
 * expires before, neither one that is open now nor one that is opened meanwhile, by whichever process.
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
      await gates.answer(turn.userId, turn.threadId, denial).catch((error: unknown) => {
        if (!(error instanceof AppError && gone.has(error.code))) throw error
      })
    }
  }
  const oldest = (await store.turns.oldestGate(looked - gateMs)) ?? looked
  return oldest + gateMs + 1
}
