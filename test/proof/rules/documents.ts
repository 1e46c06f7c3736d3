// A document reads as it was written last.
import type { Rule } from '../history.ts'

export const documents: Rule = {
  name: 'documents',
  promise: 'A document that a user wrote reads as they wrote it last, on every replica.',
  check({ events }) {
    const last = new Map<string, number>()
    return events.flatMap((event) => {
      if (event.type === 'wrote') last.set(`${event.user} ${event.path}`, event.op)
      if (event.type !== 'read') return []
      const written = last.get(`${event.user} ${event.path}`) ?? -1
      return event.op === written
        ? []
        : [`${event.user} read op ${event.op} in ${event.path}, op ${written} wrote it last`]
    })
  },
}
