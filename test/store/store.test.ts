// The store's promises on SQLite.
import { createSeal } from '#lib/seal.ts'
import { openStore } from '#store/open.ts'
import { storeTests } from './suite.ts'

storeTests('SQLite', (t) => {
  const clock = { now: Date.now() }
  const store = openStore({ path: ':memory:', seal: createSeal('0'.repeat(64)), now: () => clock.now })
  t.after(() => store.close())
  return Promise.resolve({ store, clock })
})
