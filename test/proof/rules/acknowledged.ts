// What the service has said it has, it has.
import type { Rule } from '../history.ts'
import { deletedThreads, entriesByTurn, eventsOf, opOf } from './log.ts'

export const acknowledged: Rule = {
  name: 'acknowledged',
  promise: 'A message that was acknowledged is stored; a thread whose deletion was acknowledged is gone.',
  check(history) {
    const { stored } = history
    const turns = new Map(stored.turns.map((turn) => [turn.turnId, turn]))
    const entries = entriesByTurn(stored)
    const deleted = deletedThreads(history)
    const threads = new Set(stored.threads.map(({ id }) => id))
    const left = eventsOf(history, 'deleted').flatMap(({ threadId }) =>
      threads.has(threadId) ? [`thread ${threadId} was deleted and is there`] : [],
    )
    const lost = eventsOf(history, 'acknowledged').flatMap(({ op, turnId, threadId }) => {
      const turn = turns.get(turnId)
      if (!turn) return deleted.has(threadId) ? [] : [`op ${op}: turn ${turnId} is gone`]
      if (threadId !== '' && turn.threadId !== threadId) return [`op ${op}: turn ${turnId} is in another thread`]
      // A message enters its thread when its turn begins; one that was stopped before never does.
      if (turn.status === 'queued' || (turn.status === 'cancelled' && !entries.has(turnId))) return []
      const found = entries.get(turnId)?.some((entry) => opOf(entry) === op)
      return found ? [] : [`op ${op}: turn ${turnId} has not its message`]
    })
    return [...lost, ...left]
  },
}
