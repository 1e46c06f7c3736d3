// A function of the caller is called by the caller alone, and its output counts once.
import type { Rule } from '../history.ts'
import { deletedThreads, entriesByTurn, eventsOf, said } from './log.ts'

export const functions: Rule = {
  name: 'functions',
  promise: "The output of a caller's function is taken once, as it was sent, and reaches the model.",
  check(history) {
    const sent = new Map(eventsOf(history, 'returning').map(({ callId, output }) => [callId, output]))
    const taken = new Map<string, string>()
    const status = new Map(history.stored.turns.map((turn) => [turn.turnId, turn.status]))
    const stored = [...entriesByTurn(history.stored)].flatMap(([turnId, entries]) =>
      entries.flatMap(({ item }) => {
        if (item.type !== 'answer' || item.decision !== 'output') return []
        const { callId, output = '' } = item
        const before = taken.get(callId)
        taken.set(callId, turnId)
        if (before !== undefined) return [`the output of ${callId} is in the turns ${before} and ${turnId}`]
        if (sent.get(callId) !== output)
          return [`the output of ${callId} is ${JSON.stringify(output)}, which nobody sent`]
        const silent = status.get(turnId) === 'completed' && !said(entries).some((text) => text.includes(': done '))
        return silent ? [`the output of ${callId} did not reach the model`] : []
      }),
    )
    const deleted = deletedThreads(history)
    const lost = eventsOf(history, 'returned').flatMap(({ op, callId, turnId, threadId }) =>
      taken.get(callId) === turnId || deleted.has(threadId)
        ? []
        : [`op ${op}: the output of ${callId} was acknowledged and is not in turn ${turnId}`],
    )
    return [...stored, ...lost]
  },
}
