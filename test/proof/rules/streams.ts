// What a stream told is what is stored, as far as it went.
import type { Rule } from '../history.ts'
import { entriesByTurn, eventsOf, said } from './log.ts'

export const streams: Rule = {
  name: 'streams',
  promise: 'The text of each stream is the beginning of the stored reply, and all of it if the stream was completed.',
  check(history) {
    const entries = entriesByTurn(history.stored)
    return eventsOf(history, 'streamed').flatMap(({ op, turnId, text, whole }) => {
      const own = entries.get(turnId)
      if (!own) return []
      const stored = said(own).join('')
      if (whole ? stored === text : stored.startsWith(text)) return []
      return [
        `op ${op}: ${whole ? 'the stream' : 'a cut stream'} told ${JSON.stringify(text)}, stored is ${JSON.stringify(stored)}`,
      ]
    })
  },
}
