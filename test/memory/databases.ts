// Runs tests on SQLite and on PostgreSQL, each with stores of their own.
import { after, before, describe, type TestContext } from 'node:test'
import type { Store } from '#core/store.ts'
import { createSeal } from '#lib/seal.ts'
import { openPostgresStore, openStore } from '#store/open-store.ts'
import { type Server, startPostgres } from '../postgres.ts'

const seal = createSeal('0'.repeat(64))

export type OpenStore = (t: Pick<TestContext, 'after'>) => Promise<Store>

export function onBoth(what: string, tests: (open: OpenStore, name: 'SQLite' | 'PostgreSQL') => void): void {
  describe(`${what} on SQLite`, () => {
    tests((t) => {
      const store = openStore({ path: ':memory:', seal })
      t.after(() => store.close())
      return Promise.resolve(store)
    }, 'SQLite')
  })
  describe(`${what} on PostgreSQL`, () => {
    let server: Server
    before(async () => {
      server = await startPostgres()
    })
    after(() => server.remove())
    tests(async (t) => {
      const { store } = await openPostgresStore({ url: await server.database(), seal })
      t.after(() => store.close())
      return store
    }, 'PostgreSQL')
  })
}
