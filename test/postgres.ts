// A real PostgreSQL for tests: one server for the test files of a process, or for those of all (test/run-server.ts).
import { migratePostgres } from '#store/migrate-postgres.ts'
import { openPostgres } from '#store/postgres.ts'
import { afterAllFiles } from './after-all-files.ts'
import { createDatabase, type Server, startPostgres } from './postgres-server.ts'
import { patienceMs } from './until.ts'

export type TestServer = {
  /** The address of a new database without a table. */
  database(): Promise<string>
  /** The address of a new database for services: it has every table, unless they have to make them. */
  prepared(): Promise<string>
  /** One database with every table, without its rows at each call: for tests that run one after the other. */
  emptied(): Promise<EmptiedDatabase>
}

export type EmptiedDatabase = { readonly url: string; readonly sql: ReturnType<typeof openPostgres> }

type Databases = Pick<TestServer, 'database' | 'prepared'> & Pick<Server, 'remove'>
type Shared = { readonly server: Promise<Databases>; whole?: ReturnType<typeof makeWhole> }

/** The server of all test files of this process. */
let shared: Shared | undefined

/** A server that is started when it is first asked for, and ends after the last test file of this process. */
export function usePostgres(): TestServer {
  const prepared = async () => (await share().server).prepared()
  return {
    database: async () => (await share().server).database(),
    prepared,
    async emptied() {
      const { url, sql, clear } = await (share().whole ??= prepared().then(makeWhole))
      await sql.pool.query(clear)
      return { url, sql }
    },
  }
}

function share(): Shared {
  if (shared) return shared
  const running = process.env['TEST_POSTGRES']
  const made: Shared = { server: running === undefined ? startOwn() : Promise.resolve(useRunning(running)) }
  afterAllFiles(async () => {
    try {
      await (await made.whole)?.sql.close()
    } finally {
      await (await made.server).remove()
    }
  })
  return (shared = made)
}

async function startOwn(): Promise<Databases> {
  const server = await startPostgres()
  return { database: () => server.database(), prepared: () => server.database(), remove: () => server.remove() }
}

/** A server that runs already. Whoever started it drops the databases that are made here; `given` says how their names begin. */
function useRunning(given: string): Databases {
  const cut = given.lastIndexOf('/')
  const [address, prefix] = [given.slice(0, cut), given.slice(cut + 1)]
  const template = process.env['TEST_POSTGRES_TEMPLATE']
  let count = 0
  const nextName = (): string => `${prefix}${process.pid}_${++count}`
  return {
    database: () => createDatabase(address, nextName()),
    prepared: () => createDatabase(address, nextName(), { template }),
    remove: async () => {},
  }
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
