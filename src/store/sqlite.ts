// SQLite behind the port: one connection, WAL, synchronous=FULL; the writes of one tick share one commit.
import { closeSync, openSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { AppError } from '#core/errors.ts'
import { type Job, query, type Row, type Sql, type Statement } from './sql.ts'

const busyTimeoutMs = 5_000
/** SQLITE_BUSY: somebody else holds the file. */
const busy = 5
const maxBatch = 256
/** A commit takes no further job once it has worked for this long: nothing else happens meanwhile. */
const maxMs = 20

type Write = { job: () => Job<unknown>; resolve: (value: unknown) => void; reject: (error: unknown) => void }

/** Opens (and makes) the database file. `:memory:` serves tests. Where `extensions`, one may be let in later. */
export function openSqlite(path: string, { extensions = false } = {}): Sql & { readonly db: DatabaseSync } {
  let db: DatabaseSync
  try {
    if (path !== ':memory:') makePrivate(path)
    db = new DatabaseSync(path, { timeout: busyTimeoutMs, allowExtension: extensions })
    if (extensions) db.enableLoadExtension(false)
    keepLog(db)
    db.exec('PRAGMA synchronous=FULL; PRAGMA foreign_keys=OFF; PRAGMA temp_store=MEMORY')
    // What is deleted is overwritten: to erase a user is to erase their words.
    db.exec('PRAGMA cache_size=-16000; PRAGMA journal_size_limit=67108864; PRAGMA secure_delete=ON')
  } catch (error) {
    throw asAppError(error)
  }
  const statements = new Map<string, StatementSync>()
  let queue: Write[] = []
  let closed = false

  function run({ sql, values }: Statement): Row[] {
    let statement = statements.get(sql)
    if (!statement) {
      statement = db.prepare(sql)
      statements.set(sql, statement)
    }
    return statement.all(...values) as Row[]
  }

  function drive<T>(job: Job<T>): T {
    let step = job.next()
    while (!step.done) step = job.next(run(step.value))
    return step.value
  }

  function rollback(): void {
    // A full disk may have ended the transaction already.
    if (db.isTransaction) db.exec('ROLLBACK')
  }

  /** One transaction of the first jobs: of as many as there is time for. `failed`: nothing was kept, the next one threw. */
  function together(batch: readonly Write[]): { results: unknown[]; failed?: { error: unknown } } {
    const results: unknown[] = []
    const until = performance.now() + maxMs
    db.exec('BEGIN IMMEDIATE')
    try {
      for (const write of batch) {
        results.push(drive(write.job()))
        if (performance.now() > until) break
      }
    } catch (error) {
      rollback()
      return { results, failed: { error } }
    }
    try {
      db.exec('COMMIT')
    } catch (error) {
      rollback()
      throw error
    }
    return { results }
  }

  /** Settles the first of some jobs and tells how many. One that throws does so alone; what was before it is done again. */
  function settle(batch: readonly Write[]): number {
    try {
      const { results, failed } = together(batch)
      if (!failed) batch.slice(0, results.length).forEach((write, at) => write.resolve(results[at]))
      else if (results.length > 0) return settle(batch.slice(0, results.length))
      else batch[0]?.reject(asAppError(failed.error))
      return Math.max(1, results.length)
    } catch (error) {
      const fault = asAppError(error)
      for (const write of batch) write.reject(fault)
      return batch.length
    }
  }

  function flush(): void {
    const done = settle(queue.slice(0, maxBatch))
    queue.splice(0, done)
    if (queue.length > 0) setImmediate(flush)
  }

  // oxlint-disable-next-line require-await -- the port is asynchronous, SQLite is not
  async function read<T>(job: () => Job<T>): Promise<T> {
    if (closed) throw new AppError('shutting_down', 'the database is closed')
    try {
      return drive(job())
    } catch (error) {
      throw asAppError(error)
    }
  }

  return {
    backend: 'sqlite',
    lock: '',
    db,
    read,
    write<T>(job: () => Job<T>) {
      if (closed) return Promise.reject(new AppError('shutting_down', 'the database is closed'))
      return new Promise<T>((resolve, reject) => {
        queue.push({ job, resolve: resolve as (value: unknown) => void, reject })
        if (queue.length === 1) setImmediate(flush)
      })
    },
    async ping() {
      await read(() => query('SELECT 1'))
    },
    async close() {
      while (queue.length > 0) await new Promise((resolve) => setImmediate(resolve))
      if (closed) return
      closed = true
      queue = []
      statements.clear()
      db.close()
    },
  }
}

/** Makes a missing file for its owner alone; SQLite gives its log the same rights. A fault is SQLite's to tell. */
function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o600))
  } catch {}
}

/** Goes over to WAL. SQLite has no patience of its own where two do so at once: it tells one of them "locked" straight away. */
function keepLog(db: DatabaseSync): void {
  const until = performance.now() + busyTimeoutMs
  for (;;) {
    try {
      return db.exec('PRAGMA journal_mode=WAL')
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== busy || performance.now() > until) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}

/** The faults of the database that a user can act on; anything else stays what it is. */
export function asAppError(error: unknown): unknown {
  const code = (error as { errcode?: number }).errcode
  if (code === undefined || error instanceof AppError) return error
  const words = (error as Error).message
  // The low byte is SQLite's primary code.
  switch (code & 0xff) {
    case 13:
      return new AppError('disk_full', 'the disk is full: nothing was stored; free some space and try again', {
        cause: error,
      })
    case 8:
      return new AppError('home_unwritable', `the database cannot be written (${words})`, { cause: error })
    case busy:
    case 6:
    case 10:
    case 14:
      return new AppError('database_unavailable', `the database is unavailable (${words})`, { cause: error })
    case 11:
    case 26:
      return new AppError('database_unavailable', `the database file is damaged (${words}); restore a backup`, {
        cause: error,
      })
    default:
      return error
  }
}
