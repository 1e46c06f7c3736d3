// PostgreSQL databases of every version that has landed open with the code of today.
import { test } from 'node:test'
import { usePostgres } from '../../postgres.ts'
import { checkPostgres } from './check-upgraded.ts'
import { keptVersions } from './databases.ts'

const server = usePostgres()

test('PostgreSQL: databases of all versions open, every thread reads, and every receipt is verified', async () => {
  await checkPostgres(await server.database(), keptVersions())
})
