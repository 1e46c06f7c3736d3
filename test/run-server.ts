// The PostgreSQL server of a run of the tests. Its processes share it, and copy a database that has every table.
import { migratePostgres } from '#store/migrate-postgres.ts'
import { openPostgres } from '#store/postgres.ts'
import { leaveSignals, type Server, startPostgres } from './postgres-server.ts'

/** For the pools of all processes. */
const connections = 'max_connections=400'

export type RunServer = Pick<Server, 'remove'> & {
  /** By which `usePostgres` finds it. */
  readonly env: Readonly<Record<string, string>>
  /** From here on a signal ends the tests, and whoever runs them removes the server behind them. */
  leaveSignals(): void
}

export async function startRunServer(): Promise<RunServer> {
  const server = await startPostgres([connections])
  const { address } = server
  try {
    const url = await server.database()
    const sql = openPostgres(url)
    try {
      await migratePostgres(sql.pool)
    } finally {
      await sql.close()
    }
    const env = { TEST_POSTGRES: `${address}/test_`, TEST_POSTGRES_TEMPLATE: url.slice(address.length + 1) }
    return { env, remove: () => server.remove(), leaveSignals: () => leaveSignals('SIGINT', 'SIGTERM') }
  } catch (error) {
    await server.remove()
    throw error
  }
}
