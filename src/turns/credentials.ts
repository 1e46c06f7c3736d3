// Going on after a sign-in: the gates that waited for a secret are answered by its being there.
import type { Credential } from '#core/errors.ts'
import { operator, type UserId } from '#core/ids.ts'
import type { Store } from '#core/store.ts'
import { type Answered, answerGate, maxGates } from './gate-answers.ts'

/** A secret that is set now, by whom, and for whom: the operator's stand for everybody. */
export type Brought = Credential & { readonly owner: UserId; readonly by: string }

/**
 * Answers every gate that waits for the secret, of the person whose it is, or of all when it is the operator's. One that
 * somebody else answers at the same time is left to them.
 */
export async function answerBrought(
  { store, now }: { store: Pick<Store, 'turns'>; now: () => number },
  { tool, secret, owner, by }: Brought,
): Promise<readonly Answered[]> {
  const answered: Answered[] = []
  const whose = owner === operator ? undefined : owner
  for (const { turn, callIds } of await store.turns.waitingSince(now() + 1, whose)) {
    const { userId: user, threadId } = turn
    const open = await store.turns.openGates(user, { threadId, limit: maxGates })
    for (const { gate } of open) {
      const waits = gate.credential?.tool === tool && gate.credential.secret === secret && callIds.includes(gate.callId)
      if (!waits) continue
      const said = { callId: gate.callId, by, decision: 'allow' as const }
      const done = await answerGate({ store, now }, { user, threadId }, said).catch(ignoreClosed)
      if (done) answered.push(done)
    }
  }
  return answered
}

function ignoreClosed(error: unknown): undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code !== 'gate_closed' && code !== 'not_found') throw error
}
