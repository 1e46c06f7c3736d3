// One PostgreSQL server for all tests of a run: to start one for every fault would take longer than its test.
import { dropDatabases, type Server, startPostgres } from '../postgres-server.ts'

export type SharedServer = {
  /** Runs a test that finds the server by this environment, and drops the databases that it leaves. */
  lend<T>(run: (env: NodeJS.ProcessEnv) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Started when a test first needs it. */
export function shareServer(): SharedServer {
  let started: Promise<Server> | undefined
  let lent = 0
  return {
    async lend(run) {
      const { address } = await (started ??= startPostgres())
      const prefix = `test_${++lent}_`
      try {
        return await run({ TEST_POSTGRES: `${address}/${prefix}` })
      } finally {
        await dropDatabases(address, prefix)
      }
    },
    close: async () => (await started)?.remove(),
  }
}
