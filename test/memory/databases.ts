// Runs tests on SQLite and on PostgreSQL, each with stores of their own.
import { describe, type TestContext } from 'node:test'
import type { Store } from '#core/store.ts'
import { createSeal } from '#lib/seal.ts'
import { openPostgresStore } from '#store/open-store.ts'
import { usePostgres } from '../postgres.ts'
import { openMemoryStore } from '../store/memory-store.ts'

const seal = createSeal('0'.repeat(64))

export type OpenStore = (t: Pick<TestContext, 'after'>) => Promise<Store>

export function onBoth(what: string, tests: (open: OpenStore, name: 'SQLite' | 'PostgreSQL') => void): void {
  describe(`${what} on SQLite`, () => {
    tests((t) => {
      const store = openMemoryStore({ seal })
      t.after(() => store.close())
      return Promise.resolve(store)
    }, 'SQLite')
  })
  // The mutation tester leaves PostgreSQL out: it would start a server for every fault.
  describe(`${what} on PostgreSQL`, { skip: process.env['TEST_DATABASES'] === 'sqlite' }, () => {
    const server = usePostgres()
    tests(async (t) => {
      const { store } = await openPostgresStore({ url: (await server.emptied()).url, seal })
      t.after(() => store.close())
      return store
    }, 'PostgreSQL')
  })
}
