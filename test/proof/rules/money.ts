// Money that was held for a model call is settled or released.
import type { Rule } from '../history.ts'
import { entriesByTurn, eventsOf } from './log.ts'

/** Sums of amounts in USD differ by rounding. */
const slackUsd = 1e-6

export const money: Rule = {
  name: 'money',
  promise: 'Nothing stays held for a turn at rest, and the spending of a user is the sum of the turns.',
  check(history) {
    const { turns, spent } = history.stored
    const entries = entriesByTurn(history.stored)
    const held = turns.flatMap(({ turnId, status, reservedUsd }) =>
      status !== 'running' && (reservedUsd ?? 0) > 0
        ? [`turn ${turnId} is ${status} and holds ${reservedUsd} USD`]
        : [],
    )
    const calls = turns.flatMap(({ turnId, costUsd }) => {
      const asked = (entries.get(turnId) ?? []).reduce((sum, entry) => sum + (entry.asked?.usage.costUsd ?? 0), 0)
      return asked > (costUsd ?? 0) + slackUsd ? [`turn ${turnId} cost ${costUsd} USD, its calls ${asked} USD`] : []
    })
    // The turns of a deleted thread are gone, what they cost is not.
    const deleters = new Set(eventsOf(history, 'deleting').map(({ userId }) => userId))
    const users = [...Map.groupBy(turns, ({ userId }) => userId)].flatMap(([user, own]) => {
      const [sum, counted] = [own.reduce((all, { costUsd }) => all + (costUsd ?? 0), 0), spent.get(user) ?? 0]
      const fits = deleters.has(user) ? sum <= counted + slackUsd : Math.abs(sum - counted) <= slackUsd
      return fits ? [] : [`user ${user} has turns for ${sum} USD and spent ${counted} USD`]
    })
    return [...held, ...calls, ...users]
  },
}
