// The digest of a turn's entries, taken in the transaction that ends it.
import { digestOf } from '#core/digest.ts'
import type { Entry } from '#core/item.ts'
import type { Turn } from '#core/turn.ts'
import { entryOf } from './rows.ts'
import { type Job, query } from './sql.ts'

/** Null where nothing of the turn stands in the log. `earlier` is used where it and `last` are all there is. */
export function* digestOfTurn(
  { id, threadId, firstSeq }: Turn,
  last: readonly Entry[],
  earlier: readonly Entry[] = [],
): Job<string | null> {
  if (firstSeq === undefined) return null
  const known = [...earlier, ...last]
  const whole = last.length > 0 && earlier.length > 0 && known.every(({ seq }, at) => seq === firstSeq + at)
  if (whole) return digestOf(known)
  const rows = yield* query('SELECT * FROM items WHERE thread_id = ? AND seq >= ? ORDER BY seq', threadId, firstSeq)
  return digestOf(rows.map(entryOf).filter(({ turnId }) => turnId === id))
}
