// Approvals that nobody answered: after a day they are denied, so that the turn can end.
import { AppError } from '#core/errors.ts'
import type { Store } from '#core/store.ts'
import { gateMs } from './gate-answers.ts'
import type { Gates } from './gates.ts'

/** What an answer that came first, or the end of the turn, leaves of a gate. */
const gone: ReadonlySet<string> = new Set(['gate_closed', 'not_found'])

/** Denies every gate that has been open for a day. An answer that came first wins. */
export async function expireGates({
  store,
  gates,
  now,
}: {
  store: Store
  gates: Pick<Gates, 'answer'>
  now: () => number
}): Promise<void> {
  for (const { turn, callIds } of await store.turns.waitingSince(now() - gateMs)) {
    for (const callId of callIds) {
      const denial = { callId, decision: 'deny' as const, output: 'nobody answered within 24 hours', by: 'expiry' }
      await gates.answer(turn.userId, turn.threadId, denial).catch((error: unknown) => {
        if (!(error instanceof AppError && gone.has(error.code))) throw error
      })
    }
  }
}
