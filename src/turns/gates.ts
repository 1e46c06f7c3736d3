// Gates and grants for doors: what waits for somebody, the answers, and what is allowed beyond one call.
import type { Bus } from '#core/bus.ts'
import type { Grant } from '#core/grant.ts'
import type { UserId } from '#core/ids.ts'
import type { Gate } from '#core/item.ts'
import type { AnsweredGate, OpenGate, Store } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import { tellFree } from './announce.ts'
import { answerBrought, type Brought } from './credentials.ts'
import { type Answered, answerGate, type GateAnswer, gateMs, maxAnswered, maxGates } from './gate-answers.ts'

export interface Gates {
  /** What waits for this user's word, oldest first; nothing that has expired. */
  list(user: UserId): Promise<readonly OpenGate[]>
  /** What this user has said since a time, latest first. */
  answered(user: UserId, since: number): Promise<readonly AnsweredGate[]>
  /** What a turn waits for; undefined when it does not. */
  ofTurn(turn: Omit<Turn, 'options'>): Promise<Gate | undefined>
  /** Answers a gate; with a grantRequest it makes a grant too. Throws gate_closed, not_found, grant_refused. */
  answer(user: UserId, threadId: string, said: GateAnswer): Promise<Turn>
  /** A secret of a tool is there: every turn that waited for it goes on. Tells how many gates that closed. */
  signedIn(brought: Brought): Promise<number>
  /** What a user has allowed beyond one call. */
  grants(user: UserId): Promise<readonly Grant[]>
  /** Takes a grant back; false when the user reaches none of this id. */
  revoke(user: UserId, grantId: string): Promise<boolean>
}

export type GatesParts = {
  readonly store: Pick<Store, 'turns' | 'grants'>
  readonly bus: Bus
  readonly now?: () => number
}

export function createGates({ store, bus, now = Date.now }: GatesParts): Gates {
  /** A gate was answered: its watchers see it, and its turn is queued. */
  function tellAnswer(answered: Answered): void {
    if (answered.grant) bus.signal({ type: 'grants', user: answered.turn.userId })
    tellFree(bus, answered)
  }

  return {
    list: (user) => store.turns.openGates(user, { since: now() - gateMs, limit: maxGates }),
    answered: (user, since) => store.turns.answeredGates(user, { since, limit: maxAnswered }),
    async ofTurn({ id, userId, threadId, status }) {
      if (status !== 'waiting') return undefined
      const [open] = await store.turns.openGates(userId, { threadId, since: now() - gateMs, limit: 1 })
      return open?.turn.id === id ? open.gate : undefined
    },
    async answer(user, threadId, said) {
      const answered = await answerGate({ store, now }, { user, threadId }, said)
      tellAnswer(answered)
      return answered.turn
    },
    async signedIn(brought) {
      const answered = await answerBrought({ store, now }, brought)
      for (const each of answered) tellAnswer(each)
      return answered.length
    },
    grants: (user) => store.grants.list(user),
    async revoke(user, grantId) {
      const whose = await store.grants.remove(user, grantId)
      if (whose !== undefined) bus.signal({ type: 'grants', user: whose })
      return whose !== undefined
    },
  }
}
