// Lets the turns go on that waited for a secret which a command has stored.
import { operator } from '#core/ids.ts'
import { answerWaitingFor, type NewSecret } from '#turns/credentials.ts'
import { withStore } from './home-store.ts'
import { askService } from './running-service.ts'

/** Answers the operator's gates that waited for the secret. Returns a sentence about them, empty if there were none. */
export async function goOnWith(secret: Omit<NewSecret, 'owner' | 'by'>): Promise<string> {
  const reply = (await askService('/signed-in', secret)) as { closed?: number } | undefined
  const all = { ...secret, owner: operator, by: 'operator' }
  const closed = reply?.closed ?? (await withStore((store) => answerWaitingFor({ store, now: Date.now }, all))).length
  return closed > 0 ? ` ${closed === 1 ? 'A turn that waited goes' : `${closed} turns that waited go`} on.` : ''
}
