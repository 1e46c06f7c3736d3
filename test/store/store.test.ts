// The store's promises on SQLite.
import type { TestContext } from 'node:test'
import { createSeal } from '#lib/seal.ts'
import { openStore } from '#store/open.ts'
import { storeTests } from './suite.ts'
import { openSqliteVersion } from './versions.ts'

function open(t: TestContext) {
  const clock = { now: Date.now() }
  const store = openStore({ path: ':memory:', seal: createSeal('0'.repeat(64)), now: () => clock.now })
  t.after(() => store.close())
  return Promise.resolve({ store, clock })
}

storeTests('SQLite', open, openSqliteVersion)
