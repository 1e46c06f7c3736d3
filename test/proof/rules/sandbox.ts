// A sandboxed tool does no harm, whatever it tries.
import { hostileTool, mustFail } from '../hostile-calls.ts'
import type { Rule } from '../history.ts'
import { entriesByTurn, eventsOf } from './log.ts'

export const sandbox: Rule = {
  name: 'sandbox',
  promise: 'A sandboxed tool reaches no address that it was not granted; its loops, floods and traps end as errors.',
  check(history) {
    const escaped = eventsOf(history, 'escaped').map(({ op }) => `the tool reached a forbidden address in op ${op}`)
    const unharmed = [...entriesByTurn(history.stored)].flatMap(([turnId, entries]) => {
      const calls = new Map(
        entries.flatMap(({ item }) =>
          item.type === 'call' && item.name === hostileTool && mustFail(item.args) ? [[item.callId, item.args]] : [],
        ),
      )
      return entries.flatMap(({ item }) =>
        item.type === 'result' && calls.has(item.callId) && !item.error
          ? [`turn ${turnId} has a good end of ${calls.get(item.callId)}`]
          : [],
      )
    })
    return [...escaped, ...unharmed]
  },
}
