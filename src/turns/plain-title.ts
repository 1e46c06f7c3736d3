// The title that a conversation has from its first message, where another message is sent in place of that one.
import type { UserId } from '#core/ids.ts'
import type { ForkOrder, ThreadStore } from '#core/thread-store.ts'
import { titleOf } from './message.ts'

export async function withPlainTitle(
  threads: Pick<ThreadStore, 'entries'>,
  user: UserId,
  forks: ForkOrder,
): Promise<ForkOrder> {
  if (!forks.variant || forks.beforeSeq !== 1) return forks
  const [entry] = (await threads.entries(user, forks.threadId, { after: 0, limit: 1 })).entries
  return entry ? { ...forks, plainTitle: titleOf([entry.item]) } : forks
}
