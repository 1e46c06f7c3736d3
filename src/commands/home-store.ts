// The store of this home for the time of one command, beside a running service or without one.
import { loadConfig } from '#config.ts'
import type { Store } from '#core/store.ts'
import { openHomeStore } from '#app/open-storage.ts'

/** Opens the store, works, and closes it whatever comes of the work. */
export async function withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const { store } = await openHomeStore(loadConfig())
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}
