// A tool that may not be repeated takes effect at most once, and its result says what is known.
import type { Rule } from '../history.ts'
import { entriesByTurn, eventsOf, opOf } from './log.ts'

export const once: Rule = {
  name: 'at most once',
  promise: 'A call that may not be repeated runs at most once; one that was interrupted is reported as unknown.',
  check(history) {
    const effects = new Map<number, number>()
    for (const { op } of eventsOf(history, 'effect')) effects.set(op, (effects.get(op) ?? 0) + 1)
    const doubled = [...effects]
      .filter(([, times]) => times > 1)
      .map(([op, times]) => `op ${op} was paid ${times} times`)
    const claims = [...entriesByTurn(history.stored).values()].flatMap((entries) => {
      const op = entries.map(opOf).find((found) => found !== undefined)
      const pays = new Set(
        entries.flatMap(({ item }) => (item.type === 'call' && item.name === 'http_request' ? [item.callId] : [])),
      )
      return entries.flatMap(({ item }) => {
        if (item.type !== 'result' || !pays.has(item.callId) || op === undefined) return []
        const ran = effects.has(op)
        if (!item.error && !ran) return [`op ${op} is told as paid, and was not`]
        // Denied, expired or refused: nothing of it may have happened.
        const known = item.error && !/interrupted|failed|ended|timed out/.test(item.output)
        return known && ran ? [`op ${op} was paid, and is told as ${JSON.stringify(item.output)}`] : []
      })
    })
    return [...doubled, ...claims]
  },
}
