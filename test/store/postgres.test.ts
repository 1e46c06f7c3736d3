// The store's promises on PostgreSQL.
import { after, before } from 'node:test'
import { createSeal } from '#lib/seal.ts'
import { openPostgresStore } from '#store/open.ts'
import { type Server, startPostgres } from '../postgres.ts'
import { storeTests } from './suite.ts'

let server: Server
before(async () => {
  server = await startPostgres()
})
after(() => server.remove())

storeTests('PostgreSQL', async (t) => {
  const clock = { now: Date.now() }
  const url = await server.database()
  const { store } = await openPostgresStore({ url, seal: createSeal('0'.repeat(64)), now: () => clock.now })
  t.after(() => store.close())
  return { store, clock }
})
