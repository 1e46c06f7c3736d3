// Opens the store of this home for one command, with or without a running service.
import { loadConfig } from '#config.ts'
import type { Store } from '#core/store.ts'
import { openHomeStore } from '#app/open-storage.ts'

/** Opens the store, does the work, and always closes it. */
export async function withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const { store } = await openHomeStore(loadConfig())
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}
