// After a sign-in: answers the gates that waited for the secret, so that their turns go on.
import type { Credential } from '#core/errors.ts'
import { operator, type UserId } from '#core/ids.ts'
import type { Store } from '#core/store.ts'
import { type Answered, answerGate, ignoreClosed, maxGates } from './gate-answers.ts'

/** A secret that was just set. `owner` is the user it is for (the operator's is for everybody), `by` the one who set it. */
export type NewSecret = Credential & { readonly owner: UserId; readonly by: string }

/**
 * Answers every gate that waits for the secret: the owner's gates, or everybody's when the owner is the operator. Skips a
 * gate that was answered by somebody else at the same time.
 */
export async function answerWaitingFor(
  { store, now }: { store: Pick<Store, 'turns'>; now: () => number },
  { tool, secret, of, owner, by }: NewSecret,
): Promise<readonly Answered[]> {
  const answered: Answered[] = []
  const whose = owner === operator ? undefined : owner
  // Also those that were opened before the clock was set back.
  for (const { turn, callIds } of await store.turns.waitingSince(Infinity, whose)) {
    const { userId: user, threadId } = turn
    const open = await store.turns.openGates(user, { threadId, limit: maxGates })
    for (const { gate } of open) {
      const { credential } = gate
      const same = credential?.tool === tool && credential.secret === secret && credential.of === of
      if (!same || !callIds.includes(gate.callId)) continue
      const answer = { callId: gate.callId, by, decision: 'allow' as const }
      const done = await answerGate({ store, now }, { user, threadId }, answer).catch(ignoreClosed)
      if (done) answered.push(done)
    }
  }
  return answered
}
