// Questions of a server of the older era. It does not say which call a question belongs to: a person is asked only when
// that is certain, one question at a time.
import type { CallDeadline } from './call-deadline.ts'

/** Asks a person for what a server of the older era wants to know during a call. */
export type Elicit = (params: unknown) => Promise<Record<string, unknown>>

export type CallUnderWay = {
  readonly elicit?: Elicit | undefined
  /** Calls of one thread are of one person. */
  readonly threadId?: string | undefined
  readonly deadline: Pick<CallDeadline, 'hold'>
  /** Is called when a person is asked: others may call meanwhile. */
  readonly onHold: () => void
}

export interface Questions {
  /** A call goes out. The returned function ends it; `answered` is false if the server may still work on it. */
  add(call: CallUnderWay): (answered: boolean) => void
  ask(params: unknown): Promise<Record<string, unknown>>
  /** The server was started anew: it works on nothing. */
  reset(): void
}

export function createQuestions(): Questions {
  const underWay = new Set<CallUnderWay>()
  /** Threads of calls that ended without an answer. */
  const unanswered = new Set<string | undefined>()
  let last: Promise<unknown> = Promise.resolve()

  function asker(): CallUnderWay | undefined {
    const [call] = underWay
    if (!call || underWay.size > 1) return undefined
    return [...unanswered].every((threadId) => threadId === call.threadId) ? call : undefined
  }

  return {
    add(call) {
      underWay.add(call)
      return (answered) => {
        underWay.delete(call)
        if (!answered) unanswered.add(call.threadId)
      }
    },
    async ask(params) {
      const call = asker()
      const elicit = call?.elicit
      if (!call || !elicit) return { action: 'decline' }
      const release = call.deadline.hold()
      call.onHold()
      const answer = last.then(() => (underWay.has(call) ? elicit(params) : { action: 'decline' }))
      last = answer.catch(() => {})
      try {
        return await answer
      } finally {
        release()
      }
    },
    reset: () => unanswered.clear(),
  }
}
