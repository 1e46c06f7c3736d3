// The entries of one turn, as far as one answer can hold them.
import type { UserId } from '#core/ids.ts'
import type { Entry } from '#core/item.ts'
import type { Store } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'

const maxEntries = 10_000
const maxBytes = 64 * 1024 * 1024

export async function entriesOf(
  { threads }: Pick<Store, 'threads'>,
  user: UserId,
  { id, threadId, firstSeq, lastSeq }: Omit<Turn, 'options'>,
): Promise<Entry[]> {
  if (firstSeq === undefined) return []
  const upTo = lastSeq ?? Number.MAX_SAFE_INTEGER
  const { entries } = await threads.entries(user, threadId, { after: firstSeq - 1, upTo, limit: maxEntries, maxBytes })
  return entries.filter(({ turnId }) => turnId === id)
}
