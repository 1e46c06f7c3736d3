// Decides which events of turns, gates and missions are news, and for whom. Pure.
import { doorOf } from '#core/doors.ts'
import { operator, type UserId } from '#core/ids.ts'
import type { SettledMission } from '#core/mission.ts'
import type { NewNews } from '#core/notification.ts'
import type { Turn } from '#core/turn.ts'

/** A turn that took longer is news when it ends: its user has looked away. */
const longTurnMs = 60_000

type RestedTurn = Pick<Turn, 'id' | 'threadId' | 'door' | 'status' | 'createdAt' | 'endedAt'>

/** The user who is told of a turn: its own, or the operator if its sender has no account. */
export function readerOf({ userId, door }: Pick<Turn, 'userId' | 'door'>): UserId {
  return doorOf(door).operatorReaches ? operator : userId
}

/** True if the rest of this turn may be news. Needs nothing but the turn: it is asked for every turn of the service. */
export function mayBeNews({ status, door, createdAt, endedAt = createdAt }: RestedTurn): boolean {
  if (status === 'waiting') return true
  // Their ends come from the clock of missions, which knows whether there is something to report.
  if (door === 'mission') return false
  return status === 'failed' || (status === 'completed' && endedAt - createdAt > longTurnMs)
}

/**
 * The news of a turn that came to rest. `openCalls` are the calls of its open gates; `endsOpen`: it ended with a call for
 * its client.
 */
export function newsOfTurn(
  turn: RestedTurn,
  { temporary = false, endsOpen = false }: { readonly temporary?: boolean; readonly endsOpen?: boolean },
  openCalls: readonly string[],
): NewNews[] {
  const { id: turnId, threadId, door } = turn
  if (!mayBeNews(turn)) return []
  if (turn.status === 'waiting') {
    return openCalls.map((callId) => {
      return { event: 'needs_you', subject: `gate ${callId}`, threadId, turnId, callId, door }
    })
  }
  // A temporary thread is in no list. One that ends with a call for its client goes on as soon as that has answered.
  if (temporary || endsOpen) return []
  const event = turn.status === 'failed' ? 'failed' : 'finished'
  return [{ event, subject: `turn ${turnId}`, threadId, turnId, door }]
}

/** The news of a run of a mission that ended, or of a mission that was paused. */
export function newsOfMission({ mission, outcome, paused, at, turn }: SettledMission): NewNews[] {
  // A gate is news of its own. A run that a person stopped is not news.
  if (outcome !== 'ok' && outcome !== 'failed') return []
  const subject = turn ? `run ${turn.id}` : `mission ${mission.id} at ${at}`
  return [
    {
      event: outcome === 'ok' ? 'finished' : 'failed',
      subject: paused ? `${subject}, paused` : subject,
      missionId: mission.id,
      ...(turn && { threadId: turn.threadId, turnId: turn.id }),
    },
  ]
}
