// Threads with words in them, and what a user finds by these words.
import type { UserId } from '#core/ids.ts'
import type { ThreadToIndex } from '#core/thread-index.ts'
import type { NewTurn } from '#core/turn-store.ts'
import type { Store } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import { catchUp } from '#turns/thread-indexer.ts'
import { createThreadSearch } from '#turns/thread-search.ts'
import { ada, finish, say, turnOf } from './harness.ts'

/** A finished turn. */
export async function tell(store: Store, said: string, over: Partial<NewTurn> = {}): Promise<Turn> {
  const { turn } = await store.turns.start(turnOf({ title: said.slice(0, 40), input: [say(said)], ...over }))
  return finish(store, turn)
}

/** The titles of what a user finds, once all is indexed. */
export async function findTitles(store: Store, query: string, user: UserId = ada): Promise<string[]> {
  await catchUp(store.threadIndex)
  const found = await searchOf(store)(user, { query, limit: 20 })
  return found.map(({ title }) => title)
}

export const searchOf = (store: Store) => createThreadSearch({ index: store.threadIndex, threads: store.threads })

/** What the next step of the indexer reads. */
export async function nextToIndex({ threadIndex }: Pick<Store, 'threadIndex'>): Promise<ThreadToIndex[]> {
  return threadIndex.read(await threadIndex.due())
}
