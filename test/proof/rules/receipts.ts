// The receipt of a turn is made from its log, which nobody changed.
import { digestOf } from '#core/digest.ts'
import { ended } from '#core/turn-status.ts'
import type { Rule } from '../history.ts'
import { entriesByTurn } from './log.ts'

export const receipts: Rule = {
  name: 'receipts',
  promise: 'The digest of each ended turn fits its log.',
  check({ stored }) {
    const entries = entriesByTurn(stored)
    return stored.turns.flatMap(({ turnId, status, hash }) => {
      const own = entries.get(turnId)
      if (!ended(status) || !own) return []
      return hash === digestOf(own) ? [] : [`turn ${turnId} (${status}) does not fit its digest ${hash}`]
    })
  },
}
