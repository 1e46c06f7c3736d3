// A real PostgreSQL for tests: one server for the test files of a process.
import { migratePostgres } from '#store/migrate-postgres.ts'
import { openPostgres } from '#store/postgres.ts'
import { afterAllFiles } from './after-all-files.ts'
import { createDatabase, type Server, startPostgres } from './postgres-server.ts'
import { patienceMs } from './until.ts'

export type TestServer = Pick<Server, 'database'> & {
  /** One database with every table, without its rows at each call: for tests that run one after the other. */
  emptied(): Promise<EmptiedDatabase>
}

export type EmptiedDatabase = { readonly url: string; readonly sql: ReturnType<typeof openPostgres> }

type Shared = { readonly server: Promise<Pick<Server, 'database' | 'remove'>>; whole?: ReturnType<typeof makeWhole> }

/** The server of all test files of this process. */
let shared: Shared | undefined

/** A server that is started when it is first asked for, and ends after the last test file of this process. */
export function usePostgres(): TestServer {
  const database = async () => (await share().server).database()
  return {
    database,
    async emptied() {
      const { url, sql, clear } = await (share().whole ??= database().then(makeWhole))
      await sql.pool.query(clear)
      return { url, sql }
    },
  }
}

function share(): Shared {
  if (shared) return shared
  const running = process.env['TEST_POSTGRES']
  const made: Shared = { server: running === undefined ? startPostgres() : Promise.resolve(useRunning(running)) }
  afterAllFiles(async () => {
    try {
      await (await made.whole)?.sql.close()
    } finally {
      await (await made.server).remove()
    }
  })
  return (shared = made)
}

/** A server that runs already. Whoever started it drops the databases that are made here; `given` says how their names begin. */
function useRunning(given: string): Pick<Server, 'database' | 'remove'> {
  const cut = given.lastIndexOf('/')
  const [address, prefix] = [given.slice(0, cut), given.slice(cut + 1)]
  let count = 0
  return { database: () => createDatabase(address, `${prefix}${++count}`), remove: async () => {} }
}

/** To delete the rows of all tables takes a hundredth of what a new database takes. */
async function makeWhole(url: string) {
  // On a busy machine, jobs of one moment wait longer for a connection than those of a service may.
  const sql = openPostgres(url, { connectMs: patienceMs })
  await migratePostgres(sql.pool)
  const { rows } = await sql.pool.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_version'`,
  )
  return { url, sql, clear: rows.map(({ name }) => `DELETE FROM ${name};`).join('') }
}
