// What needs an approval waits for it.
import type { Rule } from '../history.ts'
import { entriesByTurn } from './log.ts'

export const approval: Rule = {
  name: 'approval',
  promise: 'A call that needs an approval runs only after a person has allowed it.',
  check({ events, stored }) {
    const allowed = new Set<number>()
    const early = events.flatMap((event) => {
      if (event.type === 'decided' && event.action === 'approve') allowed.add(event.op)
      if (event.type !== 'effect' || allowed.has(event.op)) return []
      return [`op ${event.op} was paid before anybody allowed it`]
    })
    const unasked = [...entriesByTurn(stored)].flatMap(([turnId, entries]) => {
      const pays = new Set<string>()
      const answers = new Set<string>()
      return entries.flatMap(({ item }) => {
        if (item.type === 'call' && item.name === 'http_request') pays.add(item.callId)
        if (item.type === 'answer' && item.decision === 'allow') answers.add(item.callId)
        if (item.type !== 'attempt' || !pays.has(item.callId) || answers.has(item.callId)) return []
        return [`turn ${turnId} attempted ${item.callId} before it was allowed`]
      })
    })
    return [...early, ...unasked]
  },
}
