// Gates and grants for doors: open gates, their answers, and the grants that users have given.
import type { Bus } from '#core/bus.ts'
import type { Grant } from '#core/grant.ts'
import type { UserId } from '#core/ids.ts'
import type { Answer, Gate } from '#core/item.ts'
import type { AnsweredGate, OpenGate } from '#core/turn-store.ts'
import type { Store } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import { publishAndWake } from './announce.ts'
import { answerWaitingFor, type NewSecret } from './credentials.ts'
import {
  type Answered,
  answerGate,
  checkMayAllow,
  type GateAnswer,
  gateMs,
  maxAnswered,
  maxGates,
  type MayAllow,
} from './gate-answers.ts'

export interface Gates {
  /** Open gates of this user, oldest first, without expired ones. */
  list(user: UserId): Promise<readonly OpenGate[]>
  /** The open gates of one thread, or of one call in it. */
  inThread(user: UserId, threadId: string, callId?: string): Promise<readonly OpenGate[]>
  /** The answer to the gate of a call; undefined if it has none, or its turn is gone. */
  answerTo(user: UserId, turnId: string, callId: string): Promise<Answer | undefined>
  /** Gates that this user answered since a time, latest first. */
  answered(user: UserId, since: number): Promise<readonly AnsweredGate[]>
  /** The gate that a turn waits for; undefined when it does not wait. */
  ofTurn(turn: Omit<Turn, 'options'>): Promise<Gate | undefined>
  /** Answers a gate; with a grantRequest it makes a grant too. Throws gate_closed, not_found, grant_refused, forbidden. */
  answer(user: UserId, threadId: string, answer: GateAnswer, may?: MayAllow): Promise<Turn>
  /** A secret of a tool was set: every turn that waited for it goes on. Returns the number of answered gates. */
  signedIn(secret: NewSecret): Promise<number>
  grants(user: UserId): Promise<readonly Grant[]>
  /** Revokes a grant; false when the user has no access to a grant with this id. */
  revoke(user: UserId, grantId: string): Promise<boolean>
}

export type GatesParts = {
  readonly store: Pick<Store, 'turns' | 'grants'>
  readonly bus: Bus
  readonly now?: () => number
}

export function createGates({ store, bus, now = Date.now }: GatesParts): Gates {
  /** Announces an answered gate: watchers see it, and its turn is queued. */
  function publishAnswer(answered: Answered): void {
    if (answered.grant) bus.signal({ type: 'grants', user: answered.turn.userId })
    publishAndWake(bus, answered)
  }

  return {
    list: (user) => store.turns.openGates(user, { since: now() - gateMs, limit: maxGates }),
    inThread: (user, threadId, callId) =>
      store.turns.openGates(user, {
        threadId,
        since: now() - gateMs,
        limit: maxGates,
        ...(callId !== undefined && { callId }),
      }),
    async answerTo(user, turnId, callId) {
      const [found] = await store.turns.answeredGates(user, { turnId, callId, since: 0, limit: 1 })
      return found?.answer
    },
    answered: (user, since) => store.turns.answeredGates(user, { since, limit: maxAnswered }),
    async ofTurn({ id, userId, threadId, status }) {
      if (status !== 'waiting') return undefined
      const [open] = await store.turns.openGates(userId, { threadId, since: now() - gateMs, limit: 1 })
      return open?.turn.id === id ? open.gate : undefined
    },
    async answer(user, threadId, answer, may = {}) {
      const { decision, callId, grantRequest } = answer
      if (decision === 'allow')
        await checkMayAllow({ store, now }, { user, threadId, callId }, { ...may, grantRequest })
      const answered = await answerGate({ store, now }, { user, threadId }, answer)
      publishAnswer(answered)
      return answered.turn
    },
    async signedIn(secret) {
      const answered = await answerWaitingFor({ store, now }, secret)
      for (const each of answered) publishAnswer(each)
      return answered.length
    },
    grants: (user) => store.grants.list(user),
    async revoke(user, grantId) {
      const owner = await store.grants.remove(user, grantId)
      if (owner !== undefined) bus.signal({ type: 'grants', user: owner })
      return owner !== undefined
    },
  }
}
